/* SPDX-License-Identifier: MIT */
/* The lines of a stream that comes in pieces of any size. */
#ifndef META_KUBE_LINES_H
#define META_KUBE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* A pod may have 1.5 MiB, the limit of etcd. */
enum { LINES_BYTES_MAX = 2 * 1024 * 1024 };

/* Zeroed: at the begin of a stream. */
struct lines {
	struct buf line; /* owned; the part that has come */
	bool is_whole; /* it was returned */
	bool skips; /* it was too long: its rest is dropped */
	uint64_t dropped; /* lines that were too long, or for which there was no memory */
};

/* Bytes that were not taken yet. */
struct lines_input {
	const char *bytes;
	size_t len;
};

/*
 * Takes bytes up to the end of a line. Returns true if lines->line is a whole one then, without its
 * end; it is valid until the next call. Empty lines are left out.
 */
bool lines_next(struct lines *lines, struct lines_input *input);

/* A new stream begins. Frees the memory; the count stays. */
void lines_restart(struct lines *lines);

#endif
