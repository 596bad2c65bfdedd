/* SPDX-License-Identifier: MIT */
/*
 * JSON files that others write: only those that root, or the user who owns a container, can have
 * written are believed.
 */
#ifndef META_RUNTIMES_DOCUMENT_H
#define META_RUNTIMES_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "util/json_input.h"

/*
 * Files that only root, or the user who owns a container, can have written. Paths are those that
 * processes name: they may lead anywhere, and to files that never answer.
 */

/*
 * Opens a file by its absolute path below `root`, a prefix or "", without effects on what it is
 * (O_PATH). All folders on the way are root's or the owner's, the file is the owner's, and nobody
 * else may write them. Symbolic links are followed where only root can have made them. The agent's
 * own user counts as root. Returns a descriptor, which may be a folder's; -ENOENT; -EPERM if others
 * can have put something there; or another -errno.
 */
int document_open_owned(const char *root, const char *path, uint32_t owner);

/* Reading JSON files that others write: nothing about them is trusted. */

struct document_limits {
	size_t bytes, values; /* of what is parsed */
};

/* Of a file about one container, and of a file about all of them. */
extern const struct document_limits document_of_one, document_of_all;
extern const struct document_limits document_of_user; /* the same, written by a user */

struct document {
	json_t *value; /* a reference of the caller's */
	struct stat status; /* of the file */
	uint32_t left_out; /* items: see util/json_input.h */
};

/*
 * Reads a regular file of UTF-8 that only its owner can have written, and parses
 * it: an object or an array. What is too long in it is left out before it is parsed. root: a prefix
 * of the path, or "". Returns 0; -ENOENT if there is no such file; -EPERM if it can be of others;
 * or another -errno; both with a message.
 */
int document_load(const char *root, const char *path, uint32_t owner,
		  const struct document_limits *limits, struct document *document,
		  struct error *err);

/* Gets the status of a file without opening it: 0 or -errno. */
int document_status(const char *root, const char *path, struct stat *status);

#endif
