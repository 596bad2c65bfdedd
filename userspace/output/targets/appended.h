/* SPDX-License-Identifier: MIT */
/*
 * A file to which records are appended, whole ones only: after a failed write the half record is
 * cut off; where that is impossible it is completed by the next write. And permissions of files.
 */
#ifndef OUTPUT_TARGETS_APPENDED_H
#define OUTPUT_TARGETS_APPENDED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "output/record.h"
#include "output/stop.h"
#include "util/error.h"

struct appended {
	int fd; /* -1: closed */
	mode_t mode; /* of a file that is made */
	const struct output_stop *stop; /* borrowed */
	struct stat stat; /* of the file; its size is current after each call */
	uint64_t torn_number; /* the record of which a part ends the file; 0: none */
	uint32_t torn_bytes, torn_len; /* that part; the whole record */
};

void appended_init(struct appended *file, mode_t mode, const struct output_stop *stop);
void appended_finish(struct appended *file);

/*
 * Opens a file, or makes it. lines: what is in it ends with a newline; a last line that does not,
 * as a killed process leaves it, is cut off. What was open is closed, but only if that succeeds.
 * Returns 0 or -errno with a message that says what to do.
 */
int appended_open(struct appended *file, const char *path, bool lines, struct error *err);

/*
 * Looks at the file: its size, and whether `path` is another one by now, or none, so that it should
 * be opened again. Returns 1 or 0.
 */
int appended_moved(struct appended *file, const char *path);

/*
 * Appends the bytes of a batch from one offset to another, both at the beginning or end of a
 * record. `done`: where it ended, always set. Returns 0, -ECANCELED (stopped), or another -errno.
 */
int appended_write(struct appended *file, const struct output_batch *batch, size_t from, size_t to,
		   size_t *done);

/* The message of a failure ("write", a path), with what to do about it. Returns `code`. */
int appended_fail(int code, const char *verb, const char *path, struct error *err);

/* The permissions of files as users give them. */

/* Octal, as chmod(1) takes it. Returns 0 or -EINVAL with a message. */
static inline int output_mode_read(const char *text, mode_t *mode, struct error *err)
{
	char *end;
	unsigned long value = strtoul(text, &end, 8);

	if (text[0] < '0' || text[0] > '7' || *end || value > 0777)
		return error_set(err, -EINVAL, "mode: '%s' is not a file mode such as 640", text);
	*mode = (mode_t)value;
	return 0;
}

#endif
