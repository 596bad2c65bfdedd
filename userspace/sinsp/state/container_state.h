/* SPDX-License-Identifier: MIT */
/*
 * Containers of the state: new ones, where their runtime has their files, their descriptions, their
 * users; and the control groups of threads, for who keeps what a filter says of them.
 */
#ifndef SINSP_STATE_CONTAINER_STATE_H
#define SINSP_STATE_CONTAINER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/containers/container.h"
#include "sinsp/state/containers/container_users.h"

/*
 * Completes `info`, which came later, by copies of what was known. What was known stays, so that
 * all events of the container have the same values, except for its name and its addresses, which
 * can change. Returns 1 if `info` says more or something else now, 0 if it says what was known, or
 * -ENOMEM.
 */
int container_merge(struct state_container_info *info, const struct state_container_info *known);

/*
 * The users of containers on a live machine: whose are to be read, by another thread, and what it
 * read. Without that thread they stay unknown.
 */

struct state;
struct state_thread;

/*
 * Gets the next container whose users are to be read, with state_container_users_read(); its texts
 * are valid until the next event. Cheap enough for each event. Returns false if there is none.
 */
bool state_take_users_wanted(struct state *state, struct state_users_wanted *wanted);

/*
 * Sets the result of that; owns `users`. If the process exited, or had no root of its own, another
 * one is asked for when there is one. Does nothing if there is no such container any more.
 */
void state_set_users(struct state *state, const char *id, uint32_t owner, int result,
		     struct state_container_users *users);

/* The engine's /proc for the thread that reads; NULL: it has none. Returns 0 or -errno. */
int state_copy_proc(const struct state *state, struct scap_proc **proc);

/* The next container that was added since the last call, or NULL: cheap enough for each event. */
struct state_container *state_take_new_container(struct state *state);

/*
 * Gets the absolute path of a new container's OCI bundle from the command lines and directories of
 * the runtime's processes above its first one. Nothing is looked up outside of the tables. Any
 * program can choose its command line: the path may be anything. Returns whether there is one.
 */
bool state_container_bundle(const struct state *state, const struct state_container *container,
			    char *path, size_t size);

/*
 * For a thread that was there before the engine: if its parent is a shim of containerd, its groups
 * are those of the container whose id, a free name, is in the shim's arguments.
 */
void state_find_named_container(struct state *state, struct state_thread *thread);

/*
 * Says which container a process is in where a runtime's files tell, once the tables are filled:
 * `pid` is the first process of the container `id`. Its group is the one that is named `id`; if it
 * is in none, it is another process by now, and nothing changes.
 */
void state_declare_container(struct state *state, int64_t pid, const char *id,
			     enum state_container_type type);

enum {
	STATE_AGAIN_S = 5, /* after that a container is asked for again */
	STATE_AGAIN_TIMES = 8,
	STATE_AGAIN_MAX = 256, /* containers, at a time */
};

/*
 * Notes a container to be asked for again, since what kept it from being described may have passed.
 * Returns false if it was often enough, or too many are noted.
 */
bool state_ask_for_container_again(struct state *state, struct state_container *container);

/*
 * The next one that is due by the time of the last event, and not described by now; NULL: none.
 * Reads the arguments of its ancestors that could not be read before.
 */
struct state_container *state_take_container_again(struct state *state);

/* Whether one of its ancestors, which may tell its bundle, has arguments that could not be read. */
bool state_container_is_unread(const struct state *state, const struct state_container *container);

/* The container of a whole id whose group that owner made, or NULL: valid until the next event. */
const struct state_container *state_find_container(const struct state *state, const char *id,
						   uint32_t owner);

/* It is asked for; what is known of it remains. */
void state_container_set_pending(struct state_container *container);

/*
 * Sets or completes what is known of a container, between two events or before the current one is
 * read; NULL: nothing, which removes nothing; with STATE_META_OK, nobody has more to say. `owner`:
 * as the container has it. Owns `info`. Does nothing if there is no such container any more.
 */
void state_describe_container(struct state *state, const char *id, uint32_t owner,
			      enum state_meta meta, struct state_container_info *info);

/*
 * Its runtime removed the container: it is dropped when its last thread ends, and a description
 * that comes later is of another one with its id. Does nothing if there is none.
 */
void state_remove_container(struct state *state, const char *id);

/*
 * Replaces what the API of Kubernetes says of a pod, for its containers here and those to come.
 * Owns `info`.
 */
void state_describe_pod(struct state *state, struct state_pod_info *info);

/* The API removed a pod: that with this pod.uid, or with this api_uid. */
void state_forget_pod(struct state *state, const char *uid);

struct state_service_info;

/* Replaces what the API says of a Service or an EndpointSlice. Owns `info`. */
void state_describe_service(struct state *state, struct state_service_info *info);
/* The API removed it. */
void state_forget_service(struct state *state, const char *uid);

/*
 * The event's process talks with the pod of another node that has this uid. Returns whether its
 * workload is to be asked for now: see containers/workloads.h.
 */
bool state_want_workload(struct state *state, const char *uid);

struct state_workload;

/* What the API says of it; without a kind or a name: nothing. */
void state_set_workload(struct state *state, const char *uid,
			const struct state_workload *workload);

/*
 * The control groups that threads are in, for whoever keeps what a filter says of them
 * (filter/filter.h) instead of comparing each event.
 */

struct state_cgroups;

/*
 * A number that grows when a thread comes into groups that none was in, when groups turn out to be
 * of a container, and when a container or its pod is described: cheap enough for each event.
 */
uint64_t state_revision(const struct state *state);

/*
 * The number of groups, since the start, that were removed from the state because no thread is in
 * them any more. Their changes are not visited.
 */
uint64_t state_cgroups_forgotten(const struct state *state);

/*
 * Calls `visit` for the groups that this happened to after the revision `since`; 0: for all. Groups
 * that the last thread left are not visited; nothing is valid after the next event.
 */
void state_visit_cgroups(const struct state *state, uint64_t since,
			 void (*visit)(const struct state_cgroups *cgroups, void *context),
			 void *context);

/* The groups, "name=/path" and a NUL each, as long as they are valid. */
const char *state_cgroups_text(const struct state_cgroups *cgroups, size_t *len);

/* Whether they are of a container whose description was asked for, or will be, and has not come. */
bool state_cgroups_await_container(const struct state_cgroups *cgroups);

/* Whether they are of a container whose users are not known yet, but will be. */
bool state_cgroups_await_users(const struct state *state, const struct state_cgroups *cgroups);

/* Whether they are of a container in a pod that the API of Kubernetes has not described. */
bool state_cgroups_await_pod(const struct state_cgroups *cgroups);

#endif
