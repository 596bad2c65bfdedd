/* SPDX-License-Identifier: MIT */
/* Goes from header to header to count, and hands the bytes to the writer as they are. */
#include "perf/record/ring.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_ALIGN = 8, SAMPLE_TIME_AT = 32 };

int perf_record_ring_map(struct perf_record_ring *ring, int fd, uint32_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	ring->meta = (struct perf_event_mmap_page *)map;
	ring->data = map + page;
	ring->bytes = bytes;
	return 0;
}

void perf_record_ring_unmap(struct perf_record_ring *ring)
{
	if (ring->meta)
		munmap(ring->meta, (size_t)(ring->data - (uint8_t *)ring->meta) + ring->bytes);
	*ring = (struct perf_record_ring){0};
}

/* Numbers of 8 bytes stand at multiples of that: none of them wraps. */
static uint64_t number_at(const struct perf_record_ring *ring, uint64_t position)
{
	uint64_t number;

	memcpy(&number, ring->data + (position & (ring->bytes - 1)), sizeof(number));
	return number;
}

static void note_time(struct perf_recording_stats *stats, uint64_t time_ns)
{
	if (!stats->first_ns || time_ns < stats->first_ns)
		stats->first_ns = time_ns;
	if (time_ns > stats->last_ns)
		stats->last_ns = time_ns;
}

/* Remembers the build id of a file that is mapped, once for each path. */
static void note_mapping(const struct perf_record_ring *ring, uint64_t position, size_t bytes,
			 struct perf_build_ids *build_ids)
{
	uint8_t copy[PERF_DATA_RECORD_BYTES_MAX + 1];
	uint64_t at = position & (ring->bytes - 1), straight = ring->bytes - at;
	struct perf_data_mapping mapping;
	const char *path = (const char *)copy + sizeof(mapping);
	struct perf_build_id id = {0};

	if (bytes <= sizeof(mapping))
		return;
	straight = straight < bytes ? straight : bytes;
	memcpy(copy, ring->data + at, straight);
	memcpy(copy + straight, ring->data, bytes - straight);
	copy[bytes] = '\0';
	memcpy(&mapping, copy, sizeof(mapping));
	if (!(mapping.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    mapping.build_id_bytes > sizeof(id.bytes) || perf_build_ids_have(build_ids, path))
		return;
	id.size = mapping.build_id_bytes;
	memcpy(id.bytes, mapping.build_id, sizeof(id.bytes));
	perf_build_ids_add(build_ids, path, &id, false);
}

static void note_record(const struct perf_record_ring *ring, uint64_t position,
			const struct perf_event_header *header, struct perf_build_ids *build_ids,
			struct perf_recording_stats *stats)
{
	enum { LOST_BYTES = 24, LOST_AT = 16, LOST_SAMPLES_BYTES = 16 };

	stats->records++;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		stats->samples++;
		if (header->size >= SAMPLE_TIME_AT + sizeof(uint64_t))
			note_time(stats, number_at(ring, position + SAMPLE_TIME_AT));
		break;
	case PERF_RECORD_LOST:
		if (header->size >= LOST_BYTES)
			stats->lost += number_at(ring, position + LOST_AT);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (header->size >= LOST_SAMPLES_BYTES)
			stats->lost_samples += number_at(ring, position + sizeof(*header));
		break;
	case PERF_RECORD_THROTTLE:
		stats->throttled++;
		break;
	case PERF_RECORD_MMAP2:
		note_mapping(ring, position, header->size, build_ids);
		break;
	}
}

/* Returns where the last whole record ends. */
static uint64_t note_all(const struct perf_record_ring *ring, uint64_t head,
			 struct perf_build_ids *build_ids, struct perf_recording_stats *stats)
{
	uint64_t at = ring->tail;

	while (head - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		uint64_t word = number_at(ring, at);

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || header.size % RECORD_ALIGN ||
		    header.size > head - at)
			break;
		note_record(ring, at, &header, build_ids, stats);
		at += header.size;
	}
	stats->corrupt += at != head;
	return at;
}

int perf_record_ring_drain(struct perf_record_ring *ring, struct perf_data_writer *writer,
			   struct perf_build_ids *build_ids, struct perf_recording_stats *stats)
{
	uint64_t head = __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
	uint64_t begin = ring->tail & (ring->bytes - 1), end, straight, bytes;
	struct iovec parts[2];
	int r;

	if (head == ring->tail)
		return 0;
	if (head - ring->tail > ring->bytes) {
		stats->corrupt++;
		end = ring->tail;
	} else {
		end = note_all(ring, head, build_ids, stats);
	}
	bytes = end - ring->tail;
	straight = ring->bytes - begin < bytes ? ring->bytes - begin : bytes;
	parts[0] = (struct iovec){(void *)(uintptr_t)(ring->data + begin), straight};
	parts[1] = (struct iovec){(void *)(uintptr_t)ring->data, bytes - straight};
	r = bytes ? perf_data_writer_append_ring(writer, parts, bytes > straight ? 2 : 1) : 0;
	/* What could not be read is passed over: no later record can be found from there. */
	ring->tail = head;
	__atomic_store_n(&ring->meta->data_tail, head, __ATOMIC_RELEASE);
	return r ? r : 1;
}
