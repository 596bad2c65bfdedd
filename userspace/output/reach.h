/* SPDX-License-Identifier: MIT */
/*
 * The files that the threads of an output use, by its kind and its keys: they cannot reach others.
 */
#ifndef OUTPUT_REACH_H
#define OUTPUT_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "output/config.h"
#include "privileges/files.h"
#include "util/buf.h"
#include "util/error.h"

struct output_reach {
	struct files_rule *rules; /* owned, with their paths; the last one has none */
	size_t count;
	bool failed; /* out of memory */
};

/* Adds what the target takes: what all threads read, what its kind does, the files of its keys. */
void output_reach_target(const struct output_config *config, struct output_reach *reach);

/*
 * Adds the file with the servers of names; by output_reach_target(). These change while the agent
 * runs, and the file is replaced by another one: so the rule is about its folder, unless the file
 * is mounted there, as in containers.
 */
void output_reach_resolver(const char *path, struct output_reach *reach);

/* Adds what the spool takes; nothing without one. */
void output_reach_spool(const struct output_config *config, struct output_reach *reach);

/*
 * The paths that it writes to, by what the user gave: the target (which need not be a path), the
 * spool, files of keys; NULL after the last.
 */
const char *output_path_written(const struct output_config *config, size_t i);

/*
 * Makes the folders above all that it writes, where they are missing: mode 755, less what the umask
 * takes. For a thread without limits, before the threads of the output start. Returns 0, or -errno
 * with a message.
 */
int output_make_folders(const struct output_config *config, struct error *err);

/*
 * Whether the files that its keys name, such as certificates, are there and can be read. Returns 0,
 * or -errno with a message.
 */
int output_check_files(const struct output_config *config, struct error *err);

/* As a limit of a thread; borrows the rules. */
struct files_limits output_reach_limits(const struct output_reach *reach);

/* Appends "writes /a, /b; reads /c". */
void output_reach_append(const struct output_reach *reach, struct buf *text);

void output_reach_finish(struct output_reach *reach);

#endif
