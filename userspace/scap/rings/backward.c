/* SPDX-License-Identifier: MIT */
/*
 * The head of such a ring goes down: the newest record begins there, the others follow, up to where
 * a record was overwritten in part. The copy has the same bytes in the other order of records, so
 * that the cursor of other rings reads it; the time of a record, which that does not know, moves to
 * its end.
 *
 * A frame is earlier than the record that has it, but frames wait in slots, so that records do not
 * tell by their frames what was overwritten. Their own times do: these follow one another, but for
 * programs that interrupt each other between the reading of the clock and the place in the ring.
 */
#include "scap/rings/backward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

enum {
	RECORD_ALIGN = 8,
	/* So many records may be out of order: of a task, and of what interrupts it and that. */
	NESTED_MAX = 4,
};

/* What precedes the size of the raw bytes in a sample. */
struct timed_header {
	struct perf_event_header header;
	uint64_t ns;
} __attribute__((packed));

int scap_backward_open_event(unsigned int cpu, uint32_t bytes, struct error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_period = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.write_backward = 1,
		.use_clockid = 1,
		.clockid = CLOCK_BOOTTIME,
		/* Nobody waits for it. */
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
	};
	long fd;

	if (bytes < BACKWARD_BYTES_MIN || bytes & (bytes - 1))
		return error_set(err, -EINVAL,
				 "a ring of %u bytes that is overwritten: the size must be a power "
				 "of two and at least %d",
				 bytes, BACKWARD_BYTES_MIN);
	fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return (int)fd;
	return error_set(err, -errno,
			 "opening the perf event of CPU %u: %s; run as root or with CAP_PERFMON",
			 cpu, strerror(errno));
}

void scap_backward_init(struct scap_backward *ring, const struct perf_event_mmap_page *meta,
			const void *data, uint64_t bytes)
{
	*ring = (struct scap_backward){.meta = meta, .data = data, .bytes = bytes, .fd = -1};
}

int scap_backward_map(int fd, unsigned int cpu, uint32_t bytes, struct scap_backward *ring,
		      struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = page + bytes;
	/* That it cannot be written to makes the kernel overwrite it. */
	void *map = mmap(NULL, all, PROT_READ, MAP_SHARED, fd, 0);
	int r = -errno;

	if (map == MAP_FAILED) {
		close(fd);
		return error_set(err, r,
				 "mapping a ring of %u KiB for CPU %u: %s; use a smaller "
				 "--flight-recorder",
				 bytes / 1024, cpu, strerror(-r));
	}
	scap_backward_init(ring, map, (const uint8_t *)map + page, bytes);
	ring->cpu = (uint16_t)cpu;
	ring->fd = fd;
	ring->map = map;
	ring->map_bytes = all;
	return 0;
}

void scap_backward_close(struct scap_backward *ring)
{
	if (ring->map)
		munmap(ring->map, ring->map_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct scap_backward){.cpu = ring->cpu, .fd = -1};
}

static uint64_t backward_head(const struct scap_backward *ring)
{
	return __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
}

uint64_t scap_backward_written(const struct scap_backward *ring)
{
	return ring->meta ? 0 - backward_head(ring) : 0;
}

/* Copies bytes of the ring, which may wrap, from a position of the kernel's on. */
static void read_at(const struct scap_backward *ring, uint64_t position, void *to, size_t bytes)
{
	uint64_t at = position & (ring->bytes - 1), straight = ring->bytes - at;

	if (bytes <= straight) {
		memcpy(to, ring->data + at, bytes);
		return;
	}
	memcpy(to, ring->data + at, straight);
	memcpy((uint8_t *)to + straight, ring->data, bytes - straight);
}

/* The other way round than the kernel has it: see above. */
static void move_time(uint8_t *record, size_t bytes)
{
	struct timed_header timed;

	memcpy(&timed, record, sizeof(timed));
	memmove(record + sizeof(timed.header), record + sizeof(timed), bytes - sizeof(timed));
	memcpy(record + bytes - sizeof(timed.ns), &timed.ns, sizeof(timed.ns));
}

/*
 * Copies records, from `head` on, to the end of `data`, and each before the one that was copied
 * before it. Returns how many bytes they have. is_cut: what follows is no record, though a part of
 * one that was overwritten could not explain that.
 */
static uint64_t copy_records(const struct scap_backward *ring, uint64_t head, uint64_t most,
			     uint8_t *data, bool *is_cut)
{
	uint64_t done = 0;

	*is_cut = false;
	while (most - done >= sizeof(struct timed_header)) {
		struct perf_event_header header;
		uint8_t *to;

		read_at(ring, head + done, &header, sizeof(header));
		*is_cut = header.size < sizeof(struct timed_header) || header.size % RECORD_ALIGN ||
			  (header.size > most - done && most < ring->bytes);
		if (*is_cut || header.size > most - done)
			break;
		to = data + ring->bytes - done - header.size;
		read_at(ring, head + done, to, header.size);
		memcpy(to, &header, sizeof(header)); /* that may be overwritten by now */
		if (header.type == PERF_RECORD_SAMPLE)
			move_time(to, header.size);
		done += header.size;
	}
	return done;
}

/* The first record of `data` behind `start` of which no part was overwritten during the copy. */
static uint64_t skip_torn(const struct scap_backward *ring, const uint8_t *data, uint64_t start,
			  uint64_t intact)
{
	while (ring->bytes - start > intact) {
		struct perf_event_header header;

		memcpy(&header, data + start, sizeof(header));
		start += header.size;
	}
	return start;
}

/* Until when records were overwritten: none of the first ones that are left is much later. */
static uint64_t latest_of_first(const struct scap_backward *ring, const uint8_t *data,
				uint64_t start)
{
	uint64_t latest = 0, ns;

	for (int i = 0; i < NESTED_MAX && start < ring->bytes; i++) {
		struct perf_event_header header;

		memcpy(&header, data + start, sizeof(header));
		start += header.size;
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&ns, data + start - sizeof(ns), sizeof(ns));
		if (ns > latest)
			latest = ns;
	}
	return latest;
}

/* How much of what was written up to `head` is still there, when it has been copied. */
static uint64_t intact_bytes(const struct scap_backward *ring, uint64_t head)
{
	uint64_t since = head - backward_head(ring) + BACKWARD_TORN_BYTES;

	return since < ring->bytes ? ring->bytes - since : 0;
}

int scap_backward_copy(const struct scap_backward *ring, struct scap_backward_copy *copy)
{
	uint64_t head, written, intact, start;
	bool is_cut;

	*copy = (struct scap_backward_copy){0};
	scap_ring_init_empty(ring->cpu, &copy->ring);
	if (!ring->meta)
		return 0;
	copy->meta = calloc(1, sizeof(*copy->meta));
	copy->data = malloc(ring->bytes);
	if (!copy->meta || !copy->data)
		return -ENOMEM;
	head = backward_head(ring);
	written = 0 - head;
	start = ring->bytes - copy_records(ring, head,
					   written < ring->bytes ? written : ring->bytes,
					   copy->data, &is_cut);
	/* What was copied is read before the head, by which it is judged. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	intact = intact_bytes(ring, head);
	copy->corrupt = is_cut && ring->bytes - start < intact;
	start = skip_torn(ring, copy->data, start, intact);
	copy->bytes = ring->bytes - start;
	if (written > copy->bytes)
		copy->since_ns = copy->bytes ? latest_of_first(ring, copy->data, start)
					     : clock_ns(CLOCK_BOOTTIME);
	copy->meta->data_head = ring->bytes;
	scap_ring_init(&copy->ring, copy->meta, copy->data, ring->bytes, NULL);
	copy->ring.cpu = ring->cpu;
	scap_ring_begin_at(&copy->ring, start);
	return 0;
}

void scap_backward_copy_close(struct scap_backward_copy *copy)
{
	scap_ring_close(&copy->ring);
	free(copy->meta);
	free(copy->data);
	*copy = (struct scap_backward_copy){0};
}
