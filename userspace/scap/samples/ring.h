/* SPDX-License-Identifier: MIT */
/*
 * The ring of a CPU that samples are written to: its records, one after the other, and the release
 * of those that are done with. Its contents are not trusted: each record's size is checked.
 */
#ifndef SCAP_SAMPLES_RING_H
#define SCAP_SAMPLES_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Positions count bytes since the ring was created; they never wrap. */
struct sample_ring {
	struct perf_event_mmap_page *meta;
	const uint8_t *data;
	uint64_t bytes; /* a power of two */
	uint8_t *bounce; /* of PERF_RECORD_BYTES_MAX: the record that wraps */
	uint64_t head; /* all before it was returned by sample_ring_next() */
	uint64_t released;
	uint64_t corrupt; /* times that what was left could not be read */
	uint16_t cpu;
	void *map; /* owned, with `bounce`; NULL: the memory is the caller's */
	size_t map_bytes;
};

enum { SAMPLE_RECORD_BYTES_MAX = 1 << 16 };

/* Maps the ring of an event, which stays the caller's. Returns 0, or -errno with a message. */
int sample_ring_map(int fd, uint16_t cpu, uint32_t bytes, struct sample_ring *ring,
		    struct error *err);

/* Over memory of the caller, for tests. */
void sample_ring_init(struct sample_ring *ring, struct perf_event_mmap_page *meta, const void *data,
		      uint64_t bytes, uint8_t *bounce);

void sample_ring_close(struct sample_ring *ring);

/*
 * The next record that the kernel has written, and its position. Returns its bytes, valid until the
 * next call for this ring or its release; NULL: there is none.
 */
const void *sample_ring_next(struct sample_ring *ring, uint64_t *position, size_t *bytes);

/* The record at a position that was returned and not released. NULL: it is not there. */
const void *sample_ring_at(struct sample_ring *ring, uint64_t position, size_t *bytes);

/* Gives all before a position back to the kernel, which is not before that of an earlier call. */
void sample_ring_release(struct sample_ring *ring, uint64_t position);

#endif
