/* SPDX-License-Identifier: MIT */
/*
 * The folder of profiles that are taken all the time: FOLDER/CONTAINER/TIME.pb.gz. A file is
 * complete when it has its name. Old ones are removed, of which only names and sizes are in memory.
 */
#ifndef AGENT_CONTINUOUS_FILES_H
#define AGENT_CONTINUOUS_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

enum {
	FILES_MAX = 1 << 18, /* that are kept, whatever their size */
	FILES_FOLDERS_MAX = 4096, /* of containers: with more, the oldest files are removed */
	FILES_NAME_BYTES = 192,
};

/* Names of folders that no container has. */
#define FILES_HOST "_host"
#define FILES_OTHER "_other"

struct continuous_files;

struct continuous_files_config {
	const char *folder; /* made if it is missing, not what is above it */
	uint64_t keep_bytes, keep_ns; /* older files are removed */
	uint64_t file_bytes; /* that one file may have */
	uint64_t lock_wait_ns; /* for another agent that has the folder */
};

/*
 * Opens the folder, which is this agent's alone from then on, and finds the files of earlier runs
 * there; what has another form of name is not touched. Returns 0, or -errno with a message.
 */
int continuous_files_open(const struct continuous_files_config *config,
			  struct continuous_files **files, struct error *err);
void continuous_files_close(struct continuous_files *files); /* accepts NULL */

/*
 * The name of a container's folder: its id; if it is too long, has other bytes than those of ids,
 * or begins as no id does, "_", what can be shown of it, a hash of the whole id, and the user
 * behind it ("@1000").
 */
void continuous_files_name(const char *id, char text[FILES_NAME_BYTES]);

/*
 * Writes a file into a folder of that name; time_ns: since the epoch; it is a second later if that
 * one has a file. Older files make room for it: how many is added to *removed. Returns 0, or -errno
 * with a message: -EFBIG: it is too large.
 */
int continuous_files_write(struct continuous_files *files, const char *name, uint64_t time_ns,
			   const struct buf *content, uint64_t *removed, struct error *err);

/*
 * Removes files that are too old, or too many; now_ns: since the epoch. How many is added to
 * *removed. Returns 0, or -errno with a message: one that cannot be removed is still kept.
 */
int continuous_files_clean(struct continuous_files *files, uint64_t now_ns, uint64_t *removed,
			   struct error *err);

#endif
