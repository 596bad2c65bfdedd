/* SPDX-License-Identifier: MIT */
/* The kernel's side of a perf ring, played in plain memory. */
#include "fake_ring.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi.h"

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void map_data(struct fake_ring *fake, bool mirrored)
{
	int fd = memfd_create("fake_ring", MFD_CLOEXEC);

	require(fd >= 0 && ftruncate(fd, (off_t)fake->bytes) == 0);
	fake->mapped_bytes = mirrored ? 2 * fake->bytes : fake->bytes;
	fake->data = mmap(NULL, fake->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	require(fake->data != MAP_FAILED);
	if (mirrored)
		require(mmap(fake->data + fake->bytes, fake->bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	close(fd);
}

void fake_ring_init(struct fake_ring *fake, size_t bytes, bool mirrored)
{
	*fake = (struct fake_ring){.bytes = bytes};
	map_data(fake, mirrored);
	fake->meta = calloc(1, sizeof(*fake->meta));
	require(fake->meta);
	if (!mirrored) {
		fake->bounce = malloc(bytes);
		require(fake->bounce);
	}
	scap_ring_init(&fake->ring, fake->meta, fake->data, bytes, fake->bounce);
}

void fake_ring_finish(struct fake_ring *fake)
{
	scap_ring_close(&fake->ring);
	munmap(fake->data, fake->mapped_bytes);
	free(fake->bounce);
	free(fake->meta);
}

void fake_ring_write(struct fake_ring *fake, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fake->data[fake->head++ % fake->bytes] = ((const uint8_t *)bytes)[i];
}

/* The body and the padding of a frame repeat the low byte of its time, for tests to compare. */
static size_t make_frame(uint8_t *out, uint64_t ts, uint16_t type, size_t extra)
{
	struct ppm_evt_hdr frame = {
		.ts = ts, .type = type, .len = (uint32_t)(sizeof(frame) + extra)};
	size_t padded = (frame.len + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;

	memset(out, (uint8_t)ts, padded);
	memcpy(out, &frame, sizeof(frame));
	return padded;
}

bool fake_ring_record_of(struct fake_ring *fake, struct batch_header batch, const void *frames,
			 size_t bytes)
{
	size_t size = (sizeof(struct perf_event_header) + 4 + sizeof(batch) + bytes + 7) / 8 * 8;
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = (uint16_t)size};
	uint32_t raw = (uint32_t)(size - sizeof(header) - sizeof(raw));
	uint8_t padding[8] = {0};

	if (fake->head + size - fake->meta->data_tail > fake->bytes)
		return false;
	fake_ring_write(fake, &header, sizeof(header));
	fake_ring_write(fake, &raw, sizeof(raw));
	fake_ring_write(fake, &batch, sizeof(batch));
	fake_ring_write(fake, frames, bytes);
	fake_ring_write(fake, padding, size - sizeof(header) - sizeof(raw) - sizeof(batch) - bytes);
	return true;
}

bool fake_ring_record(struct fake_ring *fake, const void *frames, size_t bytes)
{
	struct batch_header batch = {.bytes = (uint32_t)bytes};

	return fake_ring_record_of(fake, batch, frames, bytes);
}

bool fake_ring_sample(struct fake_ring *fake, uint64_t ts, uint16_t type, size_t extra)
{
	uint8_t frames[RECORD_BYTES_MAX];

	return fake_ring_record(fake, frames, make_frame(frames, ts, type, extra));
}

bool fake_ring_batch(struct fake_ring *fake, const uint64_t *times, size_t n, size_t extra)
{
	uint8_t frames[RECORD_BYTES_MAX];

	return fake_ring_record(fake, frames, fake_frames(frames, times, n, extra));
}

size_t fake_frames(uint8_t *out, const uint64_t *times, size_t n, size_t extra)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += make_frame(out + bytes, times[i], 1, extra + i);
	return bytes;
}

void fake_ring_lost(struct fake_ring *fake, uint64_t lost)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} record = {
		.header = {.type = PERF_RECORD_LOST, .size = sizeof(record)},
		.lost = lost,
	};

	fake_ring_write(fake, &record, sizeof(record));
}

void fake_ring_publish(struct fake_ring *fake)
{
	__atomic_store_n(&fake->meta->data_head, fake->head, __ATOMIC_RELEASE);
}
