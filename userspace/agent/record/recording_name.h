/* SPDX-License-Identifier: MIT */
/*
 * The names of the files of a recording: as in sysdig, with a counter at the end, or with the time;
 * and the file to remove if the number of files is limited.
 */
#ifndef AGENT_RECORD_RECORDING_NAME_H
#define AGENT_RECORD_RECORDING_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/recording_config.h"

struct recording_name {
	const char *base;
	bool split; /* several files */
	bool timed; /* the name has the time at which a file begins */
	uint64_t files; /* number of files to keep; 0: all */
	uint64_t count; /* names returned so far */
	uint64_t repeated; /* repetitions of the last time */
	char *timed_now; /* owned: the last time in the name */
	char **kept; /* owned, `files` of them: ring of names returned */
	char *now; /* owned: the last name, if all files are kept */
	char *replaced; /* owned: the older name in its place */
};

/*
 * Returns 0 or -ENOMEM; release in both cases. The configuration is borrowed.
 */
int recording_name_init(struct recording_name *name, const struct recording_config *config);
void recording_name_finish(struct recording_name *name);

/*
 * The name of the next file, which begins at time `ns`. `replaces`: the file to remove for it, or
 * NULL. Both are valid until the next call. Returns 0, -ENOMEM or -ENAMETOOLONG.
 */
int recording_name_next(struct recording_name *name, uint64_t ns, const char **next,
			const char **replaces);

#endif
