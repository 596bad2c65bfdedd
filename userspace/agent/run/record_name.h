/* SPDX-License-Identifier: MIT */
/*
 * The names of the files of one recording: as sysdig gives them, a counter after the name, or the
 * time in it; and which file makes room when only so many are kept.
 */
#ifndef AGENT_RUN_RECORD_NAME_H
#define AGENT_RUN_RECORD_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"

struct record_name {
	const char *base;
	bool split; /* there are several files */
	bool timed; /* the name has the time at which a file begins */
	uint64_t files; /* how many are kept; 0: all */
	uint64_t count; /* names given so far */
	uint64_t repeated; /* how often the last time came again */
	char *timed_now; /* owned: the last time in the name */
	char **kept; /* owned, `files` of them: names given, each in the place of an older one */
	char *now; /* owned: the last name, when all files are kept */
	char *replaced; /* owned: what was in its place */
};

/* Returns 0 or -ENOMEM; release in both cases. The options are borrowed. */
int record_name_init(struct record_name *name, const struct options *options);
void record_name_finish(struct record_name *name);

/*
 * The name of the next file, that begins at that time. `replaces`: the file whose place it takes,
 * to be removed, or NULL. Both are valid until the next call. Returns 0, -ENOMEM or -ENAMETOOLONG.
 */
int record_name_next(struct record_name *name, uint64_t ns, const char **next,
		     const char **replaces);

#endif
