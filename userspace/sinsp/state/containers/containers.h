/* SPDX-License-Identifier: MIT */
/*
 * The tables of control groups and of containers. Threads in the same groups share one entry, which
 * knows its container: nothing is parsed per event. Entries live as long as a thread refers to
 * them; containers that a capture describes live longer, up to a limit, since nobody can be asked
 * again.
 */
#ifndef SINSP_STATE_CONTAINERS_CONTAINERS_H
#define SINSP_STATE_CONTAINERS_CONTAINERS_H

#include "sinsp/state/containers/container.h"
#include "sinsp/state/containers/pods.h"
#include "util/holders.h"

struct state_cgroups {
	struct state_cgroups *next; /* of the same bucket */
	struct state_containers *table;
	struct state_container *container; /* NULL: of the host */
	struct holder_group *holder; /* that of the container, if any; NULL: no memory for it */
	uint32_t refs; /* by threads */
	uint32_t hash;
	uint64_t revision; /* when it was added or got its container; 0: groups not known yet */
	size_t len;
	char text[]; /* "name=/path", each with its NUL */
};

enum {
	STATE_CONTAINERS_BUCKETS = 1024,
	/* Of descriptions of containers that no thread refers to; the oldest are dropped. */
	STATE_CONTAINERS_UNUSED_MAX = 1024,
	STATE_CONTAINERS_UNUSED_BYTES_MAX = 16 << 20,
};

/* A zeroed struct is an empty table. */
struct state_containers {
	struct state_cgroups *cgroups[STATE_CONTAINERS_BUCKETS];
	struct state_container *containers[STATE_CONTAINERS_BUCKETS];
	struct state_container_lists lists;
	struct state_pods pods;
	struct state_container_users *users; /* those that containers share */
	uint32_t count; /* of containers */
	size_t cgroups_bytes; /* of the entries of groups */
	uint64_t revisions; /* the last one that a container or an entry of groups got */
	uint64_t forgotten; /* entries of groups removed since the start: no thread is in them */
	uint32_t declared; /* of these, by state_cgroups_declare() */
	/*
	 * Who can make groups in a group, "name=/path": STATE_OWNER_ROOT, a user, or
	 * STATE_OWNER_ANYBODY if that is not known. NULL: a capture does not say it.
	 */
	uint32_t (*owner_of)(void *context, const char *group, size_t len);
	void *owner_context;
	bool keeps_unused; /* descriptions stay when no thread refers to them any more */
	size_t unused_bytes; /* of descriptions of unused containers */
	uint64_t unused_dropped; /* at the limits above, since the start */
};

/* No thread may refer to an entry any more. */
void state_containers_finish(struct state_containers *table);

/* The entry of these groups, with a reference for the caller; NULL if out of memory. */
struct state_cgroups *state_cgroups_get(struct state_containers *table, const char *text,
					size_t len);

/*
 * The entry of the same groups but for those of some subsystems (bits of cgroup_subsystems), whose
 * path is `path`; with a reference for the caller. NULL if out of memory.
 */
struct state_cgroups *state_cgroups_moved(const struct state_cgroups *from, uint32_t subsystems,
					  const char *path);

/*
 * These groups, in which no form of path shows a container, are of one all the same: its runtime
 * moved a process to `path`, whose last component is the container's id. Groups with that path, or
 * one below it, are of that container from now on, as long as it has a thread. Nothing changes if
 * memory runs out.
 */
void state_cgroups_declare(struct state_cgroups *cgroups, const char *path,
			   enum state_container_type type);

static inline struct state_cgroups *state_cgroups_ref(struct state_cgroups *cgroups)
{
	cgroups->refs++;
	return cgroups;
}

/* Grows when the groups get another container, or when that or its pod is described. */
static inline uint64_t state_cgroups_revision(const struct state_cgroups *cgroups)
{
	const struct state_container *container = cgroups->container;

	return container && container->revision > cgroups->revision ? container->revision
								    : cgroups->revision;
}

/* Calls `visit` for all entries with a revision above `since`. */
void state_cgroups_each(const struct state_containers *table, uint64_t since,
			void (*visit)(const struct state_cgroups *cgroups, void *context),
			void *context);

/* Accepts NULL. */
void state_cgroups_unref(struct state_cgroups *cgroups);

/*
 * The container of a whole id whose group that owner made, or NULL. A group of a user is never of
 * the container of root that has the same id.
 */
struct state_container *state_containers_find(const struct state_containers *table, const char *id,
					      size_t len, uint32_t owner);

/* Root's container of a whole id, or the first one whose id begins with these 12 digits; or NULL.
 */
struct state_container *state_containers_find_shown(const struct state_containers *table,
						    const char *id);

/* Removes and returns the newest container that was not taken yet; NULL: none. */
struct state_container *state_containers_take_new(struct state_containers *table);

/* Replaces the runtime's description of a container; NULL: none. Takes ownership of `info`. */
void state_container_set_info(struct state_containers *table, struct state_container *container,
			      enum state_meta state, struct state_container_info *info);

/* Sets the state of a container, whose description stays. */
void state_container_set_state(struct state_containers *table, struct state_container *container,
			       enum state_meta state);

/* A description from a capture. */
struct state_description {
	const char *id; /* whole, or its first 12 digits */
	enum state_meta state;
	struct state_container_info *info; /* not NULL; the table takes ownership */
	size_t bytes; /* approximate size */
};

/*
 * Replaces the description of the container of an id, also before a thread refers to it. An
 * incomplete description does not replace a complete one. Returns 0 or -ENOMEM.
 */
int state_containers_describe(struct state_containers *table,
			      const struct state_description *description);

/* Drops a container, by its whole id or the first 12 digits, as soon as no thread refers to it. */
void state_containers_forget(struct state_containers *table, const char *id);

/*
 * Replaces what the API of Kubernetes says of a pod, for its containers here and those to come.
 * Takes ownership of `info`.
 */
void state_containers_describe_pod(struct state_containers *table, struct state_pod_info *info);

/* The API removed a pod. It stays the pod of its containers. */
void state_containers_forget_pod(struct state_containers *table, const char *uid);

/* Drops all containers that no thread refers to. */
void state_containers_forget_unused(struct state_containers *table);

/*
 * Returns the container whose data changed longest ago and was not taken since; NULL: none. Cheap
 * enough for each event.
 */
const struct state_container *state_containers_take_changed(struct state_containers *table);

/*
 * Returns the container that is new, or whose users became known, longest ago and was not taken
 * since; NULL: none.
 */
const struct state_container *state_containers_take_users_changed(struct state_containers *table);

/* Replaces the users of a container; NULL: those of the host. Takes ownership. */
void state_container_set_users(struct state_containers *table, struct state_container *container,
			       struct state_container_users *users);

/*
 * The users of a container, by its whole id or the first 12 digits, that a capture gives: tables of
 * its own, empty at first. NULL: it has no process, and so nobody can ask for them; or out of
 * memory.
 */
struct state_container_users *state_containers_own_users(struct state_containers *table,
							 const char *id);

/* Calls `visit` for every container. */
void state_containers_each(const struct state_containers *table,
			   void (*visit)(struct state_container *container, void *context),
			   void *context);

#endif
