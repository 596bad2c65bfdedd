/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of containers as JSON, as the `container` events of capture files have them: those
 * of all versions of Falco's libraries and of its container plugin, and our own. And the tables of
 * their members.
 */
#ifndef SINSP_STATE_CONTAINERS_CONTAINER_JSON_H
#define SINSP_STATE_CONTAINERS_CONTAINER_JSON_H

#include "sinsp/state/containers/container.h"
#include "util/buf.h"

enum {
	CONTAINER_JSON_BYTES_MAX = 4 << 20,
	CONTAINER_JSON_ITEMS_MAX = 4096, /* of a list: labels, mounts */
};

struct state_container_json {
	const char *id; /* whole, or its first 12 digits; in the memory of `info` */
	enum state_meta state;
	struct state_container_info *info; /* owned by the receiver */
	uint32_t ignored; /* values of another type than expected, and items beyond the limit */
};

/*
 * Reads a description of `len` bytes. Returns 0; -EBADMSG if it is not valid JSON or names no
 * container; -E2BIG if it is too long; -ENOMEM. with_env: also takes the environment.
 */
int state_container_json_read(const char *text, size_t len, bool with_env,
			      struct state_container_json *json);

/* Overwrites the environment in such a text, in whatever form, with blanks. */
void state_container_json_hide_env(char *text, size_t len);

/*
 * Appends the description of a container: what other readers know, under their names, and the rest
 * in the member "lanner", which they skip.
 */
void state_container_json_append(const struct state_container *container, struct buf *out);

/*
 * The members of a container's JSON, and where their values are in its description: the same tables
 * for both directions.
 */

struct container_member {
	const char *key;
	size_t offset; /* in struct state_container_info */
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
int container_type_number(enum state_container_type type);

/* The type of a number; STATE_CONTAINER_NONE: it is unknown. */
enum state_container_type container_type_of(int64_t number);

static inline const char **container_text(struct state_container_info *info,
					  const struct container_member *member)
{
	return (const char **)((char *)info + member->offset);
}

static inline enum state_answer *container_answer(struct state_container_info *info,
						  const struct container_member *member)
{
	return (enum state_answer *)((char *)info + member->offset);
}

#endif
