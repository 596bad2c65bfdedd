/* SPDX-License-Identifier: MIT */
/*
 * The file that a recording writes: opened with care, so that no data is lost of the file that is
 * read, or of what was recorded before.
 */
#ifndef AGENT_RECORD_RECORDING_FILE_H
#define AGENT_RECORD_RECORDING_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "agent/record/recording_config.h"
#include "util/error.h"

struct recording_file {
	const struct recording_config *config; /* borrowed */
	int fd; /* -1: none is open */
	bool to_stdout;
	struct stat input; /* the file that is read; zeroed: none */
	uint64_t rotated_ms; /* the newest rotation, since the epoch */
};

/* Opens nothing yet. Returns 0 or -errno with a message. */
int recording_file_init(struct recording_file *file, const struct recording_config *config,
			struct error *err);

/*
 * Opens a file, which is empty then: what it had is removed, or, if the recording rotates, has
 * another name. name: not used for standard output. Returns 0 or -errno with a message.
 */
int recording_file_open(struct recording_file *file, const char *name, struct error *err);

/* Whether the open file has another name by now, or none. */
bool recording_file_has_moved(const struct recording_file *file, const char *name);

/* Its size; if it is no regular file, the bytes written. */
uint64_t recording_file_bytes(const struct recording_file *file, uint64_t written);

/* Returns 0 or -errno. */
int recording_file_close(struct recording_file *file);

#endif
