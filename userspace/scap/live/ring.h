/* SPDX-License-Identifier: MIT */
/*
 * One CPU's perf ring, and the cursor that gives its events in the order of their times. What
 * stands in the ring comes from outside and is checked record by record and frame by frame.
 */
#ifndef SCAP_LIVE_RING_H
#define SCAP_LIVE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "abi.h"
#include "util/buf.h"
#include "util/error.h"

/* A frame with a header that was checked: `len` and `type` can be relied on. */
struct scap_frame {
	const void *bytes;
	uint32_t len;
	uint16_t type;
	uint64_t ts;
};

/* Frames one after the other, in the order of their times. */
struct ring_frames {
	const uint8_t *at;
	uint32_t bytes;
	uint32_t count; /* how many there should be; 0: not known */
};

/* A frame that comes behind one with a later time, or was added from a slot. */
struct ring_straggler {
	struct scap_frame frame; /* without `bytes` when it stands in `aside` */
	size_t aside_at;
};

/* Positions count bytes since the ring was made, as in the kernel; they never wrap. */
struct scap_ring {
	struct perf_event_mmap_page *meta; /* the shared page: its head and tail; NULL: no memory */
	const uint8_t *data;
	uint64_t bytes;	   /* a power of two */
	uint8_t *bounce; /* room for a record that wraps; NULL: `data` is mapped twice in a row */
	uint64_t head;	   /* all before is checked and known to the cursor */
	uint64_t head_ts;  /* latest time before `head` */
	uint64_t record_begin, record_end; /* of the current record */
	uint64_t done;	   /* nothing before is needed any more */
	uint64_t done_ts;  /* latest time of what was taken in order */
	uint64_t released; /* data_tail */
	struct ring_frames frames_left;	   /* of the current record, behind `ahead` */
	struct scap_frame ahead; /* the next frame in order; `bytes` NULL: not known */
	struct ring_straggler *stragglers; /* owned; ordered by time */
	uint32_t stragglers_at, stragglers_len, stragglers_capacity;
	struct buf aside;    /* frames added from slots */
	uint64_t aside_live; /* bytes of them that were not taken yet */
	uint64_t lost;	     /* by PERF_RECORD_LOST: records, of some events each */
	uint64_t damaged;    /* events; one for what does not say how many it held */
	int fd; /* the perf event; -1: none */
	uint16_t cpu;
	void *map; /* owned, with `bounce`; NULL if the memory is the caller's */
	size_t map_bytes;
};

/*
 * Opens the ring of a CPU. Returns 0; -ENODEV when the CPU is not online, or another -errno, with a
 * message. Close it with scap_ring_close().
 */
int scap_ring_open(unsigned int cpu, uint32_t bytes, struct scap_ring *ring, struct error *err);

/*
 * Makes a cursor over memory of the caller, for tests. `bounce` has room for a record of `bytes`,
 * or is NULL if the data stands there twice in a row. Close it like the other.
 */
void scap_ring_init(struct scap_ring *ring, struct perf_event_mmap_page *meta, const void *data,
		    uint64_t bytes, uint8_t *bounce);

/* Makes the ring of a CPU that is not online: it has no memory, but can be added to. */
void scap_ring_init_empty(unsigned int cpu, struct scap_ring *ring);

/* Gives up the perf event. What stands in the ring can still be read. */
void scap_ring_detach(struct scap_ring *ring);

/* Whether all that the kernel has written, and all that was added, is taken. */
bool scap_ring_drained(const struct scap_ring *ring);

/* Frees all but `ring` itself, which is an empty one of its CPU then. */
void scap_ring_close(struct scap_ring *ring);

/*
 * Checks what the kernel has written up to now and lets the cursor see it. What cannot be right
 * costs itself when its size can be trusted, otherwise all that follows it.
 */
void scap_ring_load(struct scap_ring *ring);

/* Adds frames that did not come by way of the ring, copied. Returns how many there were. */
uint32_t scap_ring_add(struct scap_ring *ring, struct batch_header batch, const void *frames);

/*
 * The earliest event that was not taken yet, among those loaded. Returns 1, or 0 if there is
 * none. The frame is valid until it is taken.
 */
int scap_ring_peek(struct scap_ring *ring, struct scap_frame *frame);

/*
 * Takes the event that scap_ring_peek() gave; its memory goes back to the kernel in steps. Nothing
 * may be loaded or added in between.
 */
void scap_ring_take(struct scap_ring *ring);

/* Gives all memory that is not needed any more back to the kernel. */
void scap_ring_release(struct scap_ring *ring);

#endif
