/* SPDX-License-Identifier: MIT */
/* What tests of rings expect: the next event of a ring, with its body as fake_ring.c made it. */
#ifndef TESTS_RING_EVENTS_H
#define TESTS_RING_EVENTS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "fake_ring.h"

enum { RING_BYTES = 4096 };

static inline bool next_event(struct scap_ring *ring, struct scap_frame *frame)
{
	return scap_ring_peek(ring, frame) == 1;
}

static inline void expect_event(struct scap_ring *ring, uint64_t ts)
{
	struct scap_frame frame;

	assert_true(next_event(ring, &frame));
	assert_int_equal(frame.ts, ts);
	for (size_t i = sizeof(struct ppm_evt_hdr); i < frame.len; i++)
		assert_int_equal(((const uint8_t *)frame.bytes)[i], (uint8_t)ts);
	scap_ring_take(ring);
}

static inline void expect_end(struct scap_ring *ring)
{
	struct scap_frame frame;

	assert_false(next_event(ring, &frame));
}

#endif
