/* SPDX-License-Identifier: MIT */
/* A listener to snapshots that writes all calls as text, a line for each. */
#ifndef TESTS_TRANSCRIPT_H
#define TESTS_TRANSCRIPT_H

#include "scap/proc/snapshot.h"
#include "util/buf.h"

/*
 * Begins as {.snapshot.ops = &transcript_ops}. Lines begin with the name of the call: "begin",
 * "machine", "interface", "user", "group", "thread", "fds", "fd", "container", "end".
 */
struct transcript {
	struct scap_snapshot snapshot; /* first */
	struct buf text; /* to be finished */
	unsigned int threads, fds;
	int answer; /* to all calls */
	const char *rejected; /* the call to answer with -EIO in its place; NULL: none */
};

extern const struct scap_snapshot_ops transcript_ops;

/* What was written, with a NUL. Valid until the next call of the listener. */
const char *transcript_text(struct transcript *transcript);

#endif
