/* SPDX-License-Identifier: MIT */
/*
 * The container that control groups belong to: runtimes put a process into a group whose path
 * contains the container's id, in a form specific to the runtime. Paths are input of others: they
 * may be anything.
 */
#ifndef SINSP_STATE_CONTAINERS_CGROUP_PATH_H
#define SINSP_STATE_CONTAINERS_CGROUP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum state_container_type {
	STATE_CONTAINER_NONE, /* a process of the host */
	STATE_CONTAINER_DOCKER,
	STATE_CONTAINER_PODMAN,
	STATE_CONTAINER_CONTAINERD,
	STATE_CONTAINER_CRIO,
	STATE_CONTAINER_CRI, /* of a pod, runtime unknown */
	STATE_CONTAINER_LXC,
	STATE_CONTAINER_LIBVIRT_LXC,
	STATE_CONTAINER_MESOS,
	STATE_CONTAINER_BPM,
	STATE_CONTAINER_CUSTOM, /* of a runtime that the .scap world has no name for */
	/* Control groups reveal none of these; capture files name them. */
	STATE_CONTAINER_RKT,
	STATE_CONTAINER_STATIC,
	STATE_CONTAINER_TYPES_COUNT,
};

enum {
	STATE_CONTAINER_ID_BYTES = 256, /* a name of a group, and its NUL */
	STATE_POD_UID_BYTES = 37,
	STATE_OUTER_IDS_BYTES = 512,
	/* Bytes of the short form of an id that is not a name. */
	STATE_CONTAINER_SHORT_LEN = 12,
};

/* Who made a group, and so could give it any name: a user id. */
enum { STATE_OWNER_ROOT = 0, STATE_OWNER_ANYBODY = UINT32_MAX };

/* The container that was found. */
struct state_cgroup_match {
	enum state_container_type type;
	bool is_name; /* the id is a name that a user gave */
	/* "name=/path" in the given groups, up to where the container's own group was made. */
	const char *place;
	size_t place_len;
	size_t id_len;
	char id[STATE_CONTAINER_ID_BYTES]; /* NUL-terminated */
	/* With dashes; 32 digits for a pod that the kubelet has from a file. "": in no pod. */
	char pod_uid[STATE_POD_UID_BYTES];
	/*
	 * Short forms of the ids of the containers around it, the innermost first, with commas. "":
	 * there are none. Those of more than so many bytes are left out.
	 */
	char outer_ids[STATE_OUTER_IDS_BYTES];
};

/*
 * Finds the container of a process by its groups, each "name=/path" and a NUL, which the last may
 * lack. For nested containers it is the innermost. Returns false, with nothing filled in, for a
 * process of the host.
 */
bool state_cgroup_match(const char *cgroups, size_t len, struct state_cgroup_match *match);

/* "docker"; "host" for processes of the host. */
const char *state_container_type_name(enum state_container_type type);

/* The shapes of the ids of containers and pods in names of control groups. Only for cgroup_path.c.
 */

/* A part of a path; no NUL follows. */
struct cgroup_text {
	const char *at;
	size_t len;
};

static inline bool cgroup_text_starts(struct cgroup_text text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.len >= n && memcmp(text.at, prefix, n) == 0;
}

static inline bool cgroup_text_ends(struct cgroup_text text, const char *suffix)
{
	size_t n = strlen(suffix);

	return text.len >= n && memcmp(text.at + text.len - n, suffix, n) == 0;
}

static inline bool cgroup_text_is(struct cgroup_text text, const char *other)
{
	return text.len == strlen(other) && cgroup_text_starts(text, other);
}

struct cgroup_id_shape {
	/* Whether the text is such an id; may remove what precedes it. */
	bool (*fits)(struct cgroup_text *id);
	bool is_name; /* that a user gave */
	bool escaped; /* as systemd does: "\x2d" is '-' */
};

extern const struct cgroup_id_shape cgroup_id_hex, /* 64 digits */
	cgroup_id_uuid, /* digits in groups of 8-4-4-4-12 */
	cgroup_id_garden, /* 8-4-4-4-4 */
	cgroup_id_word, /* a name of letters, digits, "+-._@" */
	cgroup_id_name, /* any name */
	cgroup_id_escaped, /* the same, escaped */
	cgroup_id_after_leader; /* the same, perhaps after a process id and a dash */

/* Copies an id that fits, with its NUL. Returns its length. */
size_t cgroup_id_copy(const struct cgroup_id_shape *shape, struct cgroup_text id,
		      char copy[STATE_CONTAINER_ID_BYTES]);

/* Copies the uid of a pod, with dashes for '_'. Returns false if the text is not one. */
bool cgroup_pod_uid_copy(struct cgroup_text text, char uid[STATE_POD_UID_BYTES]);

#endif
