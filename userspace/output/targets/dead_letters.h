/* SPDX-License-Identifier: MIT */
/*
 * A file of records that a server rejected for good, with its reason: a JSON object a line. Only
 * its owner can read it, and it stops at a size.
 */
#ifndef OUTPUT_TARGETS_DEAD_LETTERS_H
#define OUTPUT_TARGETS_DEAD_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "output/record.h"
#include "util/buf.h"
#include "util/error.h"

/* Zeroed: there is no file. */
struct dead_letters {
	const char *path; /* borrowed; NULL: rejected records are dropped */
	int fd; /* owned; valid while there is a path */
	uint64_t bytes, max_bytes; /* of the file */
	struct buf text; /* owned; what is to be written */
};

/* Opens the file, made with mode 600. Returns 0 or -errno with a message. */
int dead_letters_open(struct dead_letters *letters, const char *path, uint64_t max_bytes,
		      struct error *err);
void dead_letters_close(struct dead_letters *letters);

/* Adds a record. `status` is that of HTTP, `reason` what the server said. */
void dead_letters_add(struct dead_letters *letters, const struct output_batch *batch,
		      const struct output_record *record, long status, const char *reason);

/*
 * Writes what was added. Returns 0; -EFBIG if it did not all fit, or another -errno, with a
 * message: those records are lost.
 */
int dead_letters_write(struct dead_letters *letters, struct error *err);

#endif
