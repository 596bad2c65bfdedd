/* SPDX-License-Identifier: MIT */
/* A listener to snapshots that records all calls as text, a line for each. */
#ifndef TESTS_RECORDER_H
#define TESTS_RECORDER_H

#include "scap/model/snapshot.h"
#include "util/buf.h"

/*
 * Begins as {.snapshot.ops = &recorder_ops}. Lines begin with the name of the call: "begin",
 * "machine", "interface", "user", "group", "thread", "fds", "fd", "end".
 */
struct recorder {
	struct scap_snapshot snapshot; /* first */
	struct buf text; /* to be finished */
	unsigned int threads, fds;
	int answer; /* to all calls */
	const char *rejected; /* the call to answer with -EIO in its place; NULL: none */
};

extern const struct scap_snapshot_ops recorder_ops;

/* What was recorded, with a NUL. Valid until the next call that is recorded. */
const char *recorder_text(struct recorder *recorder);

#endif
