/* SPDX-License-Identifier: MIT */
/*
 * One CPU's perf ring, and the cursor that returns its events in time order. The contents of the
 * ring are not trusted: every record and frame is checked.
 */
#ifndef SCAP_RINGS_RING_H
#define SCAP_RINGS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "abi.h"
#include "scap/rings/enabled.h"
#include "util/buf.h"
#include "util/error.h"

/* A frame whose header was checked: `len` and `type` are valid. */
struct scap_frame {
	const void *bytes;
	uint32_t len;
	uint16_t type;
	uint64_t ts;
};

/* Consecutive frames, in time order. */
struct ring_frames {
	const uint8_t *at;
	uint32_t bytes;
	uint32_t count; /* how many there should be; 0: not known */
};

/* A frame that follows one with a later time, or was added from a slot. */
struct ring_straggler {
	struct scap_frame frame; /* `bytes` is NULL if it is in `aside` */
	size_t aside_at;
};

/* Positions count bytes since the ring was created, as in the kernel; they never wrap. */
struct scap_ring {
	struct perf_event_mmap_page *meta; /* the shared page: its head and tail; NULL: no memory */
	const uint8_t *data;
	uint64_t bytes; /* a power of two */
	uint8_t *bounce; /* room for a record that wraps; NULL: `data` is mapped twice in a row */
	uint64_t head; /* all before it is checked and known to the cursor */
	uint64_t head_ts; /* latest time before `head` */
	uint64_t record_begin, record_end; /* of the current record */
	uint64_t done; /* nothing before it is needed any more */
	uint64_t done_ts; /* latest time of the frames taken in order */
	uint64_t released; /* data_tail */
	struct ring_use *use; /* borrowed, shared with the programs of its CPU; NULL: none */
	struct ring_frames frames_left; /* of the current record, after `ahead` */
	struct scap_frame ahead; /* the next frame in order; `bytes` NULL: not known */
	struct ring_straggler *stragglers; /* owned; ordered by time */
	uint32_t stragglers_at, stragglers_len, stragglers_capacity;
	struct buf aside; /* frames added from slots */
	uint64_t aside_live; /* bytes of them that were not taken yet */
	uint64_t heartbeats; /* records without events: the programs of the CPU run */
	uint64_t lost; /* by PERF_RECORD_LOST: records, each of several events */
	uint64_t corrupt; /* events; 1 for a record without a count */
	uint64_t wakeups; /* times that it ended a wait of its reader */
	struct scap_enabled enabled; /* when it was last looked at */
	int fd; /* the perf event; -1: none */
	uint16_t cpu;
	void *map; /* owned, with `bounce`; NULL if the memory is the caller's */
	size_t map_bytes;
};

/*
 * Opens the ring of a CPU. Returns 0; -ENODEV if the CPU is not online, or another -errno, with a
 * message. Close it with scap_ring_close().
 */
int scap_ring_open(unsigned int cpu, uint32_t bytes, struct scap_ring *ring, struct error *err);

/* The two steps of that: the perf event of a ring takes privileges (returns it, or -errno). */
int scap_ring_open_event(unsigned int cpu, uint32_t bytes, struct error *err);

/* How many bytes of a ring of that size wake its reader. */
uint32_t scap_ring_watermark(uint32_t bytes);

/* This takes only CAP_IPC_LOCK, for a large ring. Owns `fd`, also on failure. */
int scap_ring_map(int fd, unsigned int cpu, uint32_t bytes, struct scap_ring *ring,
		  struct error *err);

/*
 * Creates a cursor over memory of the caller, for tests. `bounce` has room for a record of `bytes`,
 * or is NULL if the data is mapped twice in a row. Close it with scap_ring_close().
 */
void scap_ring_init(struct scap_ring *ring, struct perf_event_mmap_page *meta, const void *data,
		    uint64_t bytes, uint8_t *bounce);

/* Nothing before that position is read: to be called before anything is. */
void scap_ring_begin_at(struct scap_ring *ring, uint64_t position);

/* Creates the ring of a CPU that is not online: it has no memory, but frames can be added. */
void scap_ring_init_empty(unsigned int cpu, struct scap_ring *ring);

/*
 * Lets the programs know how full the ring is from now on, so that the last part of it is left to
 * important events, and each process has a share of what precedes it; a ring of a few records has
 * no such part. `use` is that of its CPU.
 */
void scap_ring_share(struct scap_ring *ring, struct ring_use *use);

/*
 * Lets the programs know that of a ring of which no part is left to anyone: they stop processes
 * that fill most of it.
 */
void scap_ring_hold(struct scap_ring *ring, struct ring_use *use);

/* The programs have no ring any more on its CPU, so that none is full. */
void scap_ring_unshare(struct scap_ring *ring);

/* Closes the perf event. The contents of the ring can still be read. */
void scap_ring_detach(struct scap_ring *ring);

/* Bytes of the ring's memory that are in use: not released to the kernel. */
uint64_t scap_ring_used(const struct scap_ring *ring);

/* Whether at most half of it is in use. */
bool scap_ring_has_room(const struct scap_ring *ring);

/* Whether all that the kernel has written, and all that was added, is taken. */
bool scap_ring_drained(const struct scap_ring *ring);

/* Frees all but `ring` itself, which is then the empty ring of its CPU. */
void scap_ring_close(struct scap_ring *ring);

/*
 * Checks what the kernel has written so far and makes it available to the cursor. A corrupt record
 * is dropped; if its size is invalid, all that follows it is dropped too.
 */
void scap_ring_load(struct scap_ring *ring);

/* Adds copies of frames that did not pass through the ring. Returns how many were added. */
uint32_t scap_ring_add(struct scap_ring *ring, struct batch_header batch, const void *frames);

/*
 * Gets the earliest of the loaded events that were not taken yet. Returns 1, or 0 if there is none.
 * The frame is valid until it is taken.
 */
int scap_ring_peek(struct scap_ring *ring, struct scap_frame *frame);

/*
 * Takes the event that scap_ring_peek() returned; memory is released to the kernel in steps.
 * Nothing may be loaded or added between the two calls.
 */
void scap_ring_take(struct scap_ring *ring);

/* Releases all memory that is not needed any more to the kernel. */
void scap_ring_release(struct scap_ring *ring);

#endif
