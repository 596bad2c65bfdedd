/* SPDX-License-Identifier: MIT */
/*
 * A perf ring in plain memory, for tests: the test plays the kernel and writes records, the cursor
 * under test reads them. In both forms: data mapped twice in a row, and mapped once.
 */
#ifndef TESTS_FAKE_RING_H
#define TESTS_FAKE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "scap/rings/ring.h"

struct fake_ring {
	struct scap_ring ring; /* under test */
	struct perf_event_mmap_page *meta;
	uint8_t *data;
	size_t bytes, mapped_bytes;
	uint8_t *bounce;
	uint64_t head; /* written, but seen by the cursor only after fake_ring_publish() */
};

void fake_ring_init(struct fake_ring *fake, size_t bytes, bool mirrored);
void fake_ring_finish(struct fake_ring *fake);

/* Bytes as they are, wrapping at the end. */
void fake_ring_write(struct fake_ring *fake, const void *bytes, size_t n);

/* A sample with these frames, whatever they are. Returns false if there is no room. */
bool fake_ring_record(struct fake_ring *fake, const void *frames, size_t bytes);

/* A sample with what a batch says, true or not. */
bool fake_ring_record_of(struct fake_ring *fake, struct batch_header batch, const void *frames,
			 size_t bytes);

/* Frames with these times, `extra` bytes and more after their headers. Returns their bytes. */
size_t fake_frames(uint8_t *out, const uint64_t *times, size_t n, size_t extra);

/* A sample with those. */
bool fake_ring_batch(struct fake_ring *fake, const uint64_t *times, size_t n, size_t extra);

/* A sample with one frame of `extra` bytes after its header. Returns false if there is no room.
 */
bool fake_ring_sample(struct fake_ring *fake, uint64_t ts, uint16_t type, size_t extra);

void fake_ring_lost(struct fake_ring *fake, uint64_t lost);

/* Lets the cursor see what was written. */
void fake_ring_publish(struct fake_ring *fake);

#endif
