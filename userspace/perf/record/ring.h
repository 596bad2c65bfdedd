/* SPDX-License-Identifier: MIT */
/* The ring of a CPU, of which the kernel moves the head and we the tail. */
#ifndef PERF_RECORD_RING_H
#define PERF_RECORD_RING_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "perf/record/recording.h"

struct perf_record_ring {
	struct perf_event_mmap_page *meta; /* owned with what is behind; NULL: not mapped */
	const uint8_t *data;
	uint64_t bytes; /* a power of two */
	uint64_t tail; /* all before it was written */
};

/* Maps the ring of an event. Returns 0 or -errno. */
int perf_record_ring_map(struct perf_record_ring *ring, int fd, uint32_t bytes);
void perf_record_ring_unmap(struct perf_record_ring *ring);

/* Writes what it has. Returns 1; 0: it has nothing; or -errno. */
int perf_record_ring_drain(struct perf_record_ring *ring, struct perf_data_writer *writer,
			   struct perf_build_ids *build_ids, struct perf_recording_stats *stats);

#endif
