/* SPDX-License-Identifier: MIT */
/*
 * The folder of a spool: its lock, its segments and their names; reads and writes of a part of a
 * file.
 */
#ifndef OUTPUT_SPOOL_FOLDER_H
#define OUTPUT_SPOOL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "util/error.h"

/* Reads and writes of a part of a file, whole or not at all. */

/* Returns 0, -EBADMSG if the file ends before, or what pread(2) gives. */
int spool_file_read(int fd, void *bytes, size_t len, uint64_t offset);

/* Returns 0 or -errno; then a part may have been written. */
int spool_file_write(int fd, const void *bytes, size_t len, uint64_t offset);

/* The folder of a spool: its lock, its segments and their names. */

enum {
	SPOOL_NAME_BYTES = 32,
	/* Files take whole blocks: so many small ones have no more room than they seem to. */
	SPOOL_BLOCK_BYTES = 4096,
};

struct spool_segment {
	uint64_t first; /* position of its first record */
	uint64_t bytes; /* of its file */
};

struct spool_segments {
	struct spool_segment *items; /* owned; in their order */
	size_t count, capacity;
};

/* What a file of this length takes of the limit. */
static inline uint64_t spool_bytes_on_disk(uint64_t bytes)
{
	return (bytes + SPOOL_BLOCK_BYTES - 1) / SPOOL_BLOCK_BYTES * SPOOL_BLOCK_BYTES;
}

/* The name of the segment's file. */
void spool_segment_name(uint64_t first, char name[SPOOL_NAME_BYTES]);

/*
 * Opens the folder, or makes it (not those above it), mode 700. Others must not be able to write to
 * it. Returns a descriptor, or -errno with a message.
 */
int spool_folder_open(const char *path, struct error *err);

/*
 * Locks it for this process: the descriptor holds the lock. Returns a descriptor, or -errno with a
 * message; -EBUSY: another process has it.
 */
int spool_folder_lock(int folder, const char *path, struct error *err);

/*
 * Lists the segments. A spool has nothing else to find them by. Returns 0 or -errno; release the
 * list with free(segments->items) in every case.
 */
int spool_folder_list(int folder, struct spool_segments *segments);

/* Makes room for another one. Returns 0 or -ENOMEM. */
int spool_segments_reserve(struct spool_segments *segments);

/* Adds a segment at the end. Returns 0 or -ENOMEM; 0 if room was reserved. */
int spool_segments_add(struct spool_segments *segments, const struct spool_segment *segment);

/* Removes the first `n`. */
void spool_segments_remove(struct spool_segments *segments, size_t n);

/* The index of the segment that has this position; 0 if all begin behind it. */
size_t spool_segments_find(const struct spool_segments *segments, uint64_t position);

#endif
