/* SPDX-License-Identifier: MIT */
/* Compresses whole files, in a thread that may take its time. */
#ifndef OUTPUT_TARGETS_COMPRESS_H
#define OUTPUT_TARGETS_COMPRESS_H

#include <stdint.h>

#include "output/stop.h"

/* In the order of COMPRESS_WORDS. */
enum compress_method { COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD };

extern const char *const COMPRESS_WORDS[]; /* ends with NULL */

/* What is appended to names: ".gz"; "" for COMPRESS_NONE. */
const char *compress_end(enum compress_method method);

/*
 * Reads `from` to its end and writes it compressed to `to`; sets `bytes` to how many were read.
 * Returns 0, -ECANCELED if it was stopped, or -errno.
 */
int compress_file(enum compress_method method, int from, int to, const struct output_stop *stop,
		  uint64_t *bytes);

#endif
