/* SPDX-License-Identifier: MIT */
/*
 * A perf ring of a CPU that keeps the latest records: the kernel writes it backwards, each record
 * before the one before it, and over the oldest ones, without asking anybody. Nobody reads it until
 * a copy is taken, which does not stop the kernel. Owned by the flight recorder.
 */
#ifndef SCAP_RINGS_BACKWARD_H
#define SCAP_RINGS_BACKWARD_H

#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "scap/rings/ring.h"
#include "util/error.h"

enum {
	/*
	 * What the kernel may be writing over while a copy is taken: a record for each of the
	 * contexts that can interrupt one another, each as large as a record can be.
	 */
	BACKWARD_TORN_BYTES = 4 << 16,
	BACKWARD_BYTES_MIN = 4 * BACKWARD_TORN_BYTES,
};

struct scap_backward {
	const struct perf_event_mmap_page *meta; /* the shared page; NULL: there is no ring */
	const uint8_t *data;
	uint64_t bytes; /* a power of two */
	uint16_t cpu;
	int fd; /* the perf event; -1: none */
	void *map; /* owned; NULL if the memory is the caller's */
	size_t map_bytes;
};

/*
 * The perf event of such a ring, which takes privileges: returns it; -ENODEV if the CPU is not
 * online; or another -errno, with a message. `bytes`: a power of two, at least BACKWARD_BYTES_MIN.
 * Its records have the time at which they were written, by the boot clock.
 */
int scap_backward_open_event(unsigned int cpu, uint32_t bytes, struct error *err);

/* Maps it. Owns `fd`, also on failure. Returns 0, or -errno with a message. */
int scap_backward_map(int fd, unsigned int cpu, uint32_t bytes, struct scap_backward *ring,
		      struct error *err);

/* A ring in memory of the caller, for tests. */
void scap_backward_init(struct scap_backward *ring, const struct perf_event_mmap_page *meta,
			const void *data, uint64_t bytes);

/* Frees all but `ring` itself, which then has no ring. */
void scap_backward_close(struct scap_backward *ring);

/* How many bytes were written to it so far. */
uint64_t scap_backward_written(const struct scap_backward *ring);

/* What a ring had at one moment, as a ring that is read forwards. */
struct scap_backward_copy {
	struct scap_ring ring; /* closed with the copy */
	struct perf_event_mmap_page *meta; /* owned, with the data */
	void *data;
	/*
	 * By the boot clock: of the events that were sent to the ring, all that are later are in
	 * the copy. 0: all are.
	 */
	uint64_t since_ns;
	uint64_t bytes; /* of its records */
	uint64_t corrupt; /* 1: what is before a record whose size is invalid was left out */
};

/*
 * Copies what a ring has, the newest first: if the kernel writes meanwhile, the copy lacks some of
 * the oldest records, and no others. Returns 0 or -ENOMEM; close the copy in both cases.
 */
int scap_backward_copy(const struct scap_backward *ring, struct scap_backward_copy *copy);
void scap_backward_copy_close(struct scap_backward_copy *copy);

#endif
