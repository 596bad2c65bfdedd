/* SPDX-License-Identifier: MIT */
/* Reading JSON files that others write: nothing about them is trusted. */
#ifndef META_FILES_DOCUMENT_H
#define META_FILES_DOCUMENT_H

#include <stddef.h>
#include <sys/stat.h>

#include "meta/json_input.h"

struct document_limits {
	size_t bytes, values;
};

/* Of a file about one container, and of a file about all of them. */
extern const struct document_limits document_of_one, document_of_all;

/*
 * Reads a regular file of UTF-8 that only its owner can have written (files/owned.h), and parses
 * it: an object or an array. root: a prefix of the path, or "". What was read is described in
 * `status` unless it is NULL. Returns 0 and a reference for the caller; -ENOENT if there is no such
 * file; -EPERM if it can be of others; or another -errno, both with a message.
 */
int document_load(const char *root, const char *path, uint32_t owner,
		  const struct document_limits *limits, json_t **document, struct stat *status,
		  struct error *err);

/* Gets the status of a file without opening it: 0 or -errno. */
int document_status(const char *root, const char *path, struct stat *status);

#endif
