/* SPDX-License-Identifier: MIT */
/* Paths as text: joining and normalising, without the file system. Used by the state engine. */
#ifndef SINSP_TABLES_PATH_H
#define SINSP_TABLES_PATH_H

#include <stddef.h>

/* Bytes of a joined path, its NUL included: a directory and a path as long as the kernel takes
 * them. */
enum { SINSP_PATH_MAX = 8192 };

/* Put before the paths of a directory that is not known. */
#define SINSP_PATH_UNKNOWN "<UNKNOWN>"

/*
 * Appends a path to the directory that it starts from: "." and empty components vanish, ".."
 * removes the component before it, a '/' at the end is dropped. An absolute or empty path stands
 * alone. A base that starts with '/' is a directory, with or without a '/' at its end; to another
 * one the path is glued. Writes at most SINSP_PATH_MAX bytes and returns the length; what would be
 * longer becomes "/DIR_TOO_LONG/FILENAME_TOO_LONG".
 */
size_t sinsp_path_join(const char *base, size_t base_len, const char *path, size_t path_len,
		       char out[SINSP_PATH_MAX]);

/*
 * Copies a path as it is, but for '/' that follow each other: those become one. Returns the length
 * written to `out`, cut to SINSP_PATH_MAX with its NUL.
 */
size_t sinsp_path_collapse(const char *path, char out[SINSP_PATH_MAX]);

#endif
