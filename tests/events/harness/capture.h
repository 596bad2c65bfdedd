/* SPDX-License-Identifier: MIT */
/*
 * The one capture that all live tests share, and the events it gave since the test began. Used by
 * the runner and by the expectations.
 */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "event/event.h"
#include "util/error.h"

/* An event with what the test did with it; `event` points into `frame`. */
struct captured {
	struct event event;
	uint64_t begin_ns, end_ns; /* the wall clock before and after the calls */
	uint64_t compared;	   /* a bit for each parameter */
	bool taken;
	uint8_t frame[];
};

/* What the test that runs has come to. Failures are collected, and printed when it is over. */
struct live_test {
	FILE *report; /* owned by the runner */
	unsigned int failures;
	pid_t pid;
	jmp_buf end; /* where a test goes that cannot go on */
};

extern struct live_test live_test;

/*
 * Opens the capture of all events of the table but those that come on request, and of the numbers that no
 * call of the table has; or of `tested`, one on request, with what the harness needs. Returns 0 or -errno.
 */
int capture_open(unsigned int tested, struct error *err);
void capture_close(void);

/* Forgets all events; those of calls made up to now are gone too. */
void capture_clear(void);

/* Notes a failure for each parameter that was not compared. */
void capture_check_compared(void);

/* Ends the children that the test left: one that failed half-way lets them wait for ever. */
void capture_end_children(void);

/* Events lost by the driver since the capture began. */
uint64_t capture_lost(void);

static inline struct captured *captured_of(const struct event *ev)
{
	return (struct captured *)((char *)ev - offsetof(struct captured, event));
}

#endif
