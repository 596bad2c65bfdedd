/* SPDX-License-Identifier: MIT */
/* What a container is called, by what is known of it; kept when that is forgotten. */
#ifndef AGENT_COUNTS_COUNTED_NAME_H
#define AGENT_COUNTS_COUNTED_NAME_H

#include "agent/counts/counted.h"
#include "requests/metrics/labels.h"

enum { COUNTED_ID_BYTES = 4 * STATE_CONTAINER_ID_BYTES + 16 };

/* Texts are valid UTF-8; "": not known. */
struct counted_name {
	/* Its name, or the short id as long as that is not known. */
	char container[LABEL_BYTES_MAX];
	/* No two containers have the same: the whole one, and "@USER" behind it if that made it. */
	char id[COUNTED_ID_BYTES];
	char pod[LABEL_BYTES_MAX], ns[LABEL_BYTES_MAX];
	char workload_kind[LABEL_BYTES_MAX], workload[LABEL_BYTES_MAX];
};

/* Sets what the container and its group tell alone. */
void counted_name_init(const struct counted_who *who, struct counted_name *name);

/* Adds what is known of it now. Returns whether its name is. */
bool counted_name_learn(const struct state *state, const struct counted_who *who,
			struct counted_name *name);

#endif
