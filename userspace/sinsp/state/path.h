/* SPDX-License-Identifier: MIT */
/* Paths as text: joining and normalising, without the file system. Used by the state engine. */
#ifndef SINSP_STATE_PATH_H
#define SINSP_STATE_PATH_H

#include <stddef.h>

/*
 * Bytes of a joined path, its NUL included: a directory and a path of the kernel's maximum length.
 */
enum { STATE_PATH_MAX = 8192 };

/* Prefix of paths relative to an unknown directory. */
#define STATE_PATH_UNKNOWN "<UNKNOWN>"

/*
 * Appends a path to its base directory: "." and empty components are removed, ".." removes the
 * component before it, a '/' at the end is dropped. For an absolute or empty path the base is
 * ignored. A base that starts with '/' is a directory, with or without a '/' at its end; to any
 * other one the path is appended directly. Writes at most STATE_PATH_MAX bytes and returns the
 * length; a longer path becomes "/DIR_TOO_LONG/FILENAME_TOO_LONG".
 */
size_t state_path_join(const char *base, size_t base_len, const char *path, size_t path_len,
		       char out[STATE_PATH_MAX]);

/*
 * Copies a path, with consecutive '/' replaced by one. Returns the length written to `out`,
 * truncated to STATE_PATH_MAX including its NUL.
 */
size_t state_path_collapse(const char *path, char out[STATE_PATH_MAX]);

/* The part after the last '/'; the whole path if it has none. */
const char *state_path_name(const char *path);

#endif
