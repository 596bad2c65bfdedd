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
};

struct continuous_files;

struct continuous_files_config {
	const char *folder; /* made if it is missing, not what is above it */
	uint64_t keep_bytes, keep_ns; /* older files are removed */
};

/*
 * Opens the folder, and finds the files of earlier runs there; what has another form of name is not
 * touched. Returns 0, or -errno with a message.
 */
int continuous_files_open(const struct continuous_files_config *config,
			  struct continuous_files **files, struct error *err);
void continuous_files_close(struct continuous_files *files); /* accepts NULL */

/*
 * Writes a file of a container, or of what `name` stands for, which becomes a name of a folder. The
 * time is since the epoch. Returns 0, or -errno with a message.
 */
int continuous_files_write(struct continuous_files *files, const char *name, uint64_t time_ns,
			   const struct buf *content, struct error *err);

/* Removes files that are too old, or too many; now_ns: since the epoch. Returns how many. */
uint64_t continuous_files_clean(struct continuous_files *files, uint64_t now_ns);

#endif
