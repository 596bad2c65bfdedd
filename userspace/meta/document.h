/* SPDX-License-Identifier: MIT */
/* Reading JSON files that others write: nothing about them is trusted. */
#ifndef META_DOCUMENT_H
#define META_DOCUMENT_H

#include <jansson.h>
#include <stddef.h>
#include <sys/stat.h>

#include "util/error.h"

enum {
	DOCUMENT_BYTES_MAX = 4 << 20, /* of a file about one container */
	DOCUMENT_LIST_BYTES_MAX = 16 << 20, /* of a file about all of them */
};

/*
 * Reads a regular file of UTF-8 and parses it: an object or an array. root: a prefix of the path,
 * or "". What was read is described in `status` unless it is NULL. Returns 0 and a reference for
 * the caller; -ENOENT if there is no such file; or another -errno with a message.
 */
int document_load(const char *root, const char *path, size_t bytes_max, json_t **document,
		  struct stat *status, struct error *err);

/* Gets the status of a file without opening it: 0 or -errno. */
int document_status(const char *root, const char *path, struct stat *status);

/* The string of a member, or NULL. `object` may be anything, or NULL. */
const char *document_text(const json_t *object, const char *key);

#endif
