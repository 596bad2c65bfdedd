/* SPDX-License-Identifier: MIT */
/*
 * The members of a container's JSON, and where their values are in its description: the same tables
 * for both directions.
 */
#ifndef SINSP_STATE_CONTAINER_JSON_MEMBERS_H
#define SINSP_STATE_CONTAINER_JSON_MEMBERS_H

#include "sinsp/state/container.h"

struct container_member {
	const char *key;
	size_t offset; /* in struct sinsp_container_info */
};

struct container_members {
	const struct container_member *items;
	size_t count;
};

extern const struct container_members container_texts, container_answers;

/* In the object CONTAINER_EXTENSION, which other readers skip. */
extern const struct container_members container_extension_texts;
#define CONTAINER_EXTENSION "lanner"
#define CONTAINER_DERIVED "workload_derived"
#define CONTAINER_STATE "meta_state" /* where "lookup_state" has no number for it */

/* Labels of the container that name its pod. */
extern const struct container_members container_pod_labels;

/* Values of "lookup_state". */
enum container_lookup { CONTAINER_LOOKUP_STARTED, CONTAINER_LOOKUP_DONE, CONTAINER_LOOKUP_FAILED };

/* The number of a type of containers; -1: it has none. */
int container_type_number(enum sinsp_container_type type);

/* The type of a number; SINSP_CONTAINER_NONE: it is unknown. */
enum sinsp_container_type container_type_of(int64_t number);

static inline const char **container_text(struct sinsp_container_info *info,
					  const struct container_member *member)
{
	return (const char **)((char *)info + member->offset);
}

static inline enum sinsp_answer *container_answer(struct sinsp_container_info *info,
						  const struct container_member *member)
{
	return (enum sinsp_answer *)((char *)info + member->offset);
}

#endif
