/* SPDX-License-Identifier: MIT */
/*
 * Rotated files: PATH.20261122T195812.123Z, with .gz or .zst at the end if compressed. The time is
 * that of the rotation, in UTC, and never that of an older one: in the order of their names files
 * are in the order of their contents. A keeper removes and compresses them.
 */
#ifndef OUTPUT_TARGETS_ROTATED_H
#define OUTPUT_TARGETS_ROTATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/targets/compress.h"
#include "util/error.h"

/* Before the end of the name of a file that is not whole yet; a random number follows. */
#define ROTATED_PART ".part"

struct rotated_file {
	char *path; /* owned */
	uint64_t ms; /* when it was rotated, since the epoch */
	bool compressed;
	bool part; /* a file being compressed: not whole */
	bool done; /* for the caller: false */
};

struct rotated_list {
	struct rotated_file
		*files; /* owned, each path, too; oldest first, plain before compressed */
	size_t count;
};

/* Finds the rotated files of PATH. Returns 0 or -errno; release it in every case. */
int rotated_list_read(const char *path, struct rotated_list *list);
void rotated_list_finish(struct rotated_list *list);

/* The time of the newest rotated file of PATH; 0: there is none. Returns 0 or -errno. */
int rotated_newest(const char *path, uint64_t *ms);

/*
 * Renames PATH, over no other file. `ms`: the newest rotation so far, 0 at first; set to this one.
 * Returns 0 or -errno.
 */
int rotated_rename(const char *path, uint64_t now_ns, uint64_t *ms);

/*
 * Removes and compresses rotated files, in a thread of lowest priority: whoever writes does not
 * wait for it. What a run leaves undone the next one does.
 */

struct rotated_keeper;

/*
 * Starts the thread. path: of the file that is rotated; borrowed. keep: how many rotated files
 * remain; 0: all. Returns 0 or -errno.
 */
int rotated_keeper_create(const char *path, uint64_t keep, enum compress_method method,
			  struct rotated_keeper **keeper);

/* Ends the thread, in the middle of a file, too. Accepts NULL. */
void rotated_keeper_destroy(struct rotated_keeper *keeper);

/* A file was rotated. Accepts NULL. */
void rotated_keeper_wake(struct rotated_keeper *keeper);

/*
 * What went wrong since the last call. Returns 0, or -errno with a message. Accepts NULL.
 */
int rotated_keeper_result(struct rotated_keeper *keeper, struct error *err);

#endif
