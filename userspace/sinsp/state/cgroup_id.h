/* SPDX-License-Identifier: MIT */
/* The shapes of the ids of containers and pods in names of control groups. Only for cgroup_path.c.
 */
#ifndef SINSP_STATE_CGROUP_ID_H
#define SINSP_STATE_CGROUP_ID_H

#include <string.h>

#include "sinsp/state/cgroup_path.h"

/* A part of a path; no NUL follows. */
struct text {
	const char *at;
	size_t len;
};

static inline bool text_starts(struct text text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.len >= n && memcmp(text.at, prefix, n) == 0;
}

static inline bool text_ends(struct text text, const char *suffix)
{
	size_t n = strlen(suffix);

	return text.len >= n && memcmp(text.at + text.len - n, suffix, n) == 0;
}

static inline bool text_is(struct text text, const char *other)
{
	return text.len == strlen(other) && text_starts(text, other);
}

struct id_shape {
	/* Whether the text is such an id; may remove what precedes it. */
	bool (*fits)(struct text *id);
	bool is_name; /* that a user gave */
	bool escaped; /* as systemd does: "\x2d" is '-' */
};

extern const struct id_shape id_hex, /* 64 digits */
	id_uuid, /* digits in groups of 8-4-4-4-12 */
	id_garden, /* 8-4-4-4-4 */
	id_word, /* a name of letters, digits, "+-._@" */
	id_name, /* any name */
	id_escaped, /* the same, escaped */
	id_after_leader; /* the same, perhaps after a process id and a dash */

/* Copies an id that fits, with its NUL. Returns its length. */
size_t id_copy(const struct id_shape *shape, struct text id, char copy[SINSP_CONTAINER_ID_BYTES]);

/* Copies the uid of a pod, with dashes for '_'. Returns false if the text is not one. */
bool pod_uid_copy(struct text text, char uid[SINSP_POD_UID_BYTES]);

#endif
