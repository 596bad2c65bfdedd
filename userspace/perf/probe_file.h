/* SPDX-License-Identifier: MIT */
/*
 * The file that a probe is in, held from when its symbols are read: an event that is opened later
 * is of the same file, also if another one has its path by then.
 */
#ifndef PERF_PROBE_FILE_H
#define PERF_PROBE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"

struct perf_probe_file {
	struct perf_probe_file *next;
	int fd; /* owned: opened with O_PATH */
	char path[32]; /* leads to it, whatever its name is now */
	/* As it was then: when it was written to, and how large it was. */
	int64_t written_s;
	uint32_t written_ns;
	uint64_t bytes;
};

/*
 * Holds a file, as the first one of a list. Memory is the arena's. Returns 0, -ENOMEM, or -errno
 * if it cannot be opened.
 */
int perf_probe_file_hold(const char *path, struct arena *arena, struct perf_probe_file **list);

/* Whether it was not written to since: offsets in it still mean the same. Asks no server. */
bool perf_probe_file_is_same(const struct perf_probe_file *file);

/* Lets go of those of a list that come before `end`. NULL: of all. */
void perf_probe_files_close(struct perf_probe_file *list, const struct perf_probe_file *end);

#endif
