/* SPDX-License-Identifier: MIT */
/* A container: its id, what its runtime says of it, its lists, and the pod that it is in. */
#ifndef SINSP_STATE_CONTAINERS_CONTAINER_H
#define SINSP_STATE_CONTAINERS_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/containers/cgroup_path.h"
#include "sinsp/state/containers/container_users.h"
#include "sinsp/state/containers/pods.h"

/*
 * A container: its id, which its processes' control groups contain, and what its runtime says of
 * it. The description is made outside of the engine, by one thread at a time, and never changes
 * once the engine has it: new data is a new description.
 */

struct state_mount {
	const char *source, *dest, *mode, *propagation;
	bool writable;
};

struct state_mounts {
	const struct state_mount *items;
	size_t count;
};

struct state_container_info {
	struct state_texts texts;
	const char *name;
	struct state_image image;
	const char *ip, *cni_json;
	enum state_container_type type; /* STATE_CONTAINER_NONE: as the control groups say */
	enum state_answer privileged, host_pid, host_network, host_ipc;
	bool is_sandbox; /* it holds the namespaces of a pod */
	uint64_t created_ns; /* since the epoch; 0: not known */
	struct state_labels labels;
	struct state_mounts mounts;
	bool wants_env; /* set by its maker: sources fill `env`, too */
	struct state_labels env; /* variables of its first process, which may be secrets */
	struct state_pod pod; /* as the runtime says */
};

/* An empty description; NULL if out of memory. */
struct state_container_info *state_container_info_create(void);

/* Accepts NULL. */
void state_container_info_destroy(struct state_container_info *info);

enum state_meta {
	STATE_META_MISSING, /* nobody knew it, or nobody was asked */
	STATE_META_PENDING, /* asked for */
	STATE_META_OK,
	STATE_META_UNVERIFIED, /* others than root can have made it up */
	STATE_META_ROOTLESS, /* as a user says of a container of his own */
	STATE_META_PARTIAL, /* a part of it: who may know the rest has not answered */
	STATE_META_STATES_COUNT,
};

/* "ok" */
const char *state_meta_name(enum state_meta state);

/* Lists of containers; one can be in all of them. */
enum state_container_listing {
	STATE_CONTAINERS_NEW, /* until state_containers_take_new() */
	STATE_CONTAINERS_AGAIN, /* asked for again, until state_take_container_again() */
	STATE_CONTAINERS_CHANGED, /* their descriptions, until state_containers_take_changed() */
	STATE_CONTAINERS_UNUSED, /* described, and no thread refers to them */
	STATE_CONTAINERS_UNREAD, /* their users can be read, until state_take_users_wanted() */
	STATE_CONTAINERS_USERS, /* new, or with other users, until state_dump_changed() */
	STATE_CONTAINERS_LISTS,
};

struct holder_group;
struct state_pod_entry;

struct state_container_link {
	struct state_container *older, *newer;
	bool listed;
};

struct state_container {
	struct state_container *next; /* of the same bucket */
	uint64_t revision; /* see state_container_changed() */
	uint64_t *revisions; /* of its table: the last one */
	struct state_container_link links[STATE_CONTAINERS_LISTS];
	uint32_t refs; /* by control groups; 0: unused */
	int64_t first_tid; /* the thread by which it was found, which may have ended */
	uint32_t owner; /* STATE_OWNER_ROOT, a user, or STATE_OWNER_ANYBODY */
	enum state_container_type type;
	enum state_meta state; /* of runtime_info: see state_container_state() */
	/* Owned; of its runtime, or of a capture; NULL: none. */
	const struct state_container_info *runtime_info;
	size_t runtime_info_bytes; /* approximate size of a description from a capture */
	struct state_pod_entry *pod; /* NULL: it is in none, so far as known */
	struct state_container *pod_next; /* of the same pod */
	bool is_listed; /* in the description of its pod */
	/* All that is known of it: runtime_info, completed by the pod. The texts are theirs. */
	struct state_container_info info;
	uint8_t asked_again; /* how often: see state_ask_for_container_again() */
	uint64_t ask_ns; /* in STATE_CONTAINERS_AGAIN: not before an event of that time */
	bool removed; /* by its runtime: it is not kept when it is unused */
	bool is_named; /* the id is the name that a user gave */
	char pod_uid[STATE_POD_UID_BYTES]; /* from the path of its control groups; "": none */
	char *outer_ids; /* owned; see state_cgroup_match; NULL: it is in no other container */
	char *path; /* owned; see state_cgroups_declare(); NULL: the form of the path has the id */
	struct state_container_users *users; /* owned; NULL: those of the host */
	bool users_read; /* on a live machine; false: not known yet */
	bool users_asked; /* somebody reads them */
	int64_t users_tid; /* a thread to read them by, which came since then; 0: none */
	uint8_t users_tries; /* how often the container had no root of its own */
	struct holder_group *holder; /* of its control groups; NULL: none yet */
	size_t id_len;
	char id[]; /* whole; NUL-terminated */
};

/*
 * Gives a container a new revision, a number that no container of the table had before. To be
 * called after every change of what fields show of a container, of its pod included: outputs keep
 * bytes of each revision.
 */
static inline void state_container_changed(struct state_container *container)
{
	container->revision = ++*container->revisions;
}

/*
 * Whether the data of a container is known, by its runtime or as a container of its pod, and who
 * says so.
 */
enum state_meta state_container_state(const struct state_container *container);

/* Whether somebody can be asked for it: only Podman keeps files of users about their containers. */
bool state_container_can_be_described(const struct state_container *container);

/* Whether anything is known of it but its control groups. */
bool state_container_is_described(const struct state_container *container);

/* Bytes of the id that are its short form: all of an id that is a name. */
size_t state_container_short_len(const struct state_container *container);

/* Lists of containers, in the order in which they were added: see enum state_container_listing. */

struct state_container_list {
	struct state_container *oldest, *newest;
	uint32_t count;
};

/* All of a table's; zeroed ones are empty. */
struct state_container_lists {
	struct state_container_list of[STATE_CONTAINERS_LISTS];
};

/* Does nothing if it is in the list. */
void state_container_list_add(struct state_container_lists *lists,
			      struct state_container *container,
			      enum state_container_listing which);

/* Does nothing if it is not in the list. */
void state_container_list_remove(struct state_container_lists *lists,
				 struct state_container *container,
				 enum state_container_listing which);

/*
 * Which pod a container is in, and what is known of the container by that: nothing is looked for
 * per event. To be called by the table of containers alone.
 */

/*
 * Sets the container's pod, and all that is known of the container: after it was found, and when
 * its description, or that of a pod, has changed. The pod is the one of which the control groups
 * have the uid; if the API does not know that, the one in which the API lists the container; else
 * the one that the runtime names. Without memory for an entry it is in none.
 */
void state_container_set_pod(struct state_pods *pods, struct state_container *container);

/* Takes a container that is removed out of its pod. */
void state_container_leave_pod(struct state_pods *pods, struct state_container *container);

#endif
