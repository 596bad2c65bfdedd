/* SPDX-License-Identifier: MIT */
/* A listener to snapshots that writes down all that it is told, a line for each call. */
#ifndef TESTS_RECORDER_H
#define TESTS_RECORDER_H

#include "scap/model/snapshot.h"
#include "util/buf.h"

/*
 * Begins as {.snapshot.ops = &recorder_ops}. Lines end in the name of what was told: "begin",
 * "machine", "interface", "user", "group", "thread", "fds", "fd", "end".
 */
struct recorder {
	struct scap_snapshot snapshot; /* first */
	struct buf text; /* to be finished; without a NUL */
	const char *refused; /* the end of a line to fail at, with -EIO; NULL: none */
};

extern const struct scap_snapshot_ops recorder_ops;

#endif
