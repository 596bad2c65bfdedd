/* SPDX-License-Identifier: MIT */
/* A kind of target that does with each batch what the test says, and keeps what was delivered. */
#ifndef TESTS_FAKE_TARGET_H
#define TESTS_FAKE_TARGET_H

#include <pthread.h>

#include "output/target.h"

enum { FAKE_CALLS_MAX = 8 };

/* One call of send(). */
struct fake_call {
	const char *results; /* a letter for each record: Delivered, Rejected, reTry; the last goes
				on */
	int code; /* what it returns; the message is "it failed" */
	bool uncertain, too_large, divide;
	bool waits; /* until it is stopped */
	uint64_t retry_after_ns;
};

struct fake_target {
	pthread_mutex_t lock; /* of what follows */
	struct fake_call calls[FAKE_CALLS_MAX]; /* later ones deliver all */
	size_t called;
	size_t counts[FAKE_CALLS_MAX]; /* of records, by call */
	uint64_t times_ns[FAKE_CALLS_MAX]; /* of calls, CLOCK_MONOTONIC */
	struct buf got; /* the bytes of records that were delivered, in their order */
	struct buf ends; /* the same of end records, which are in none of the above */
	size_t ticks, reopened, opened, closed;
	int open_code;
};

extern struct fake_target fake_target;

/* Named "fake"; its keys are x=TEXT, and most=COUNT: so many records it takes at once. */
extern const struct output_kind fake_kind;
extern const struct output_kind *const fake_kinds[];

void fake_begin(void);
void fake_end(void);

/* Waits until what was delivered is this text; fails the test after some seconds. */
void fake_expect(const char *text);

/* Waits until send() was called so often. */
void fake_expect_calls(size_t calls);

/* Reads a configuration of fake_kinds: "fake:" with these keys ("" or ",queue=4K"). */
struct output_config *fake_config(const char *keys);

#endif
