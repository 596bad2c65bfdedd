/* SPDX-License-Identifier: MIT */
/* Reads the ring of a CPU, of which the kernel moves the head and we the tail. */
#include "scap/samples/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_ALIGN = 8 };

void sample_ring_init(struct sample_ring *ring, struct perf_event_mmap_page *meta, const void *data,
		      uint64_t bytes, uint8_t *bounce)
{
	*ring = (struct sample_ring){.meta = meta, .data = data, .bytes = bytes, .bounce = bounce};
}

int sample_ring_map(int fd, uint16_t cpu, uint32_t bytes, struct sample_ring *ring,
		    struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), all = page + bytes;
	uint8_t *bounce = malloc(SAMPLE_RECORD_BYTES_MAX);
	uint8_t *map;

	if (!bounce)
		return error_set(err, -ENOMEM, "out of memory");
	map = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		free(bounce);
		return error_set(err, -errno,
				 "mapping a ring of %u KiB for the samples of CPU %u: %s; use a "
				 "smaller --buffer-size%s",
				 bytes / 1024, cpu, strerror(errno),
				 errno == EPERM ? ", or raise kernel.perf_event_mlock_kb" : "");
	}
	sample_ring_init(ring, (struct perf_event_mmap_page *)map, map + page, bytes, bounce);
	ring->cpu = cpu;
	ring->map = map;
	ring->map_bytes = all;
	return 0;
}

void sample_ring_close(struct sample_ring *ring)
{
	if (!ring->map)
		return;
	munmap(ring->map, ring->map_bytes);
	free(ring->bounce);
	*ring = (struct sample_ring){.cpu = ring->cpu};
}

/* In one piece; NULL if its size is invalid. At most one between tail and head wraps. */
static const void *record_at(struct sample_ring *ring, uint64_t position, uint64_t end,
			     size_t *bytes)
{
	uint64_t at = position & (ring->bytes - 1), straight = ring->bytes - at;
	struct perf_event_header header;

	if (end - position < sizeof(header) || straight < sizeof(header))
		return NULL;
	memcpy(&header, ring->data + at, sizeof(header));
	if (header.size < sizeof(header) || header.size % RECORD_ALIGN ||
	    header.size > end - position)
		return NULL;
	*bytes = header.size;
	if (header.size <= straight)
		return ring->data + at;
	memcpy(ring->bounce, ring->data + at, straight);
	memcpy(ring->bounce + straight, ring->data, header.size - straight);
	return ring->bounce;
}

const void *sample_ring_next(struct sample_ring *ring, uint64_t *position, size_t *bytes)
{
	uint64_t end = __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
	const void *record;

	if (end == ring->head)
		return NULL;
	record = end - ring->released > ring->bytes || end < ring->head
			 ? NULL
			 : record_at(ring, ring->head, end, bytes);
	if (!record) {
		/* No later one can be found from here. */
		ring->corrupt++;
		ring->head = end;
		return NULL;
	}
	*position = ring->head;
	ring->head += *bytes;
	return record;
}

const void *sample_ring_at(struct sample_ring *ring, uint64_t position, size_t *bytes)
{
	return position >= ring->released && position < ring->head
		       ? record_at(ring, position, ring->head, bytes)
		       : NULL;
}

void sample_ring_release(struct sample_ring *ring, uint64_t position)
{
	if (position <= ring->released)
		return;
	ring->released = position;
	__atomic_store_n(&ring->meta->data_tail, position, __ATOMIC_RELEASE);
}
