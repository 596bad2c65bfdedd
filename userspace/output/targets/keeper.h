/* SPDX-License-Identifier: MIT */
/*
 * Removes and compresses rotated files, in a thread of lowest priority: whoever writes does not
 * wait for it. What a run leaves undone the next one does.
 */
#ifndef OUTPUT_TARGETS_KEEPER_H
#define OUTPUT_TARGETS_KEEPER_H

#include <stdint.h>

#include "output/targets/compress.h"
#include "util/error.h"

struct keeper;

/*
 * Starts the thread. path: of the file that is rotated; borrowed. keep: how many rotated files
 * remain; 0: all. Returns 0 or -errno.
 */
int keeper_create(const char *path, uint64_t keep, enum compress_method method,
		  struct keeper **keeper);

/* Ends the thread, in the middle of a file, too. Accepts NULL. */
void keeper_destroy(struct keeper *keeper);

/* A file was rotated. Accepts NULL. */
void keeper_wake(struct keeper *keeper);

/*
 * What went wrong since the last call. Returns 0, or -errno with a message. Accepts NULL.
 */
int keeper_result(struct keeper *keeper, struct error *err);

#endif
