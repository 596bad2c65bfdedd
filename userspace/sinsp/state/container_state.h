/* SPDX-License-Identifier: MIT */
/* Containers of the state: new ones, where their runtime has their files, their descriptions. */
#ifndef SINSP_STATE_CONTAINER_STATE_H
#define SINSP_STATE_CONTAINER_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/state/container.h"

struct sinsp;
struct sinsp_thread;

/* The next container that was added since the last call, or NULL: cheap enough for each event. */
struct sinsp_container *sinsp_take_new_container(struct sinsp *sinsp);

/*
 * Gets the absolute path of a new container's OCI bundle from the command lines and directories of
 * the runtime's processes above its first one. Nothing is looked up outside of the tables. Any
 * program can choose its command line: the path may be anything. Returns whether there is one.
 */
bool sinsp_container_bundle(const struct sinsp *sinsp, const struct sinsp_container *container,
			    char *path, size_t size);

/*
 * For a thread that was there before the engine: if its parent is a shim of containerd, its groups
 * are those of the container whose id, a free name, is in the shim's arguments.
 */
void state_find_named_container(struct sinsp *sinsp, struct sinsp_thread *thread);

/*
 * The same where a runtime's files say it, once the tables are filled: `pid` is the first process of
 * the container `id`. Its group is the one that is named `id`; if it is in none, it is another
 * process by now, and nothing changes.
 */
void sinsp_declare_container(struct sinsp *sinsp, int64_t pid, const char *id,
			     enum sinsp_container_type type);

/* It is asked for. */
void sinsp_container_set_pending(struct sinsp_container *container);

/*
 * Sets or completes what is known of a container, between two events or before the current one is
 * read; NULL: nothing, which removes nothing. `owner`: as the container has it. Owns `info`. Does
 * nothing if there is no such container any more.
 */
void sinsp_describe_container(struct sinsp *sinsp, const char *id, uint32_t owner,
			      enum sinsp_meta_state state, struct sinsp_container_info *info);

/*
 * Its runtime removed the container: it is dropped when its last thread ends, and a description
 * that comes later is of another one with its id. As above.
 */
void sinsp_remove_container(struct sinsp *sinsp, const char *id);

/*
 * Replaces what the API of Kubernetes says of a pod, for its containers here and those to come.
 * Owns `info`. As above.
 */
void sinsp_describe_pod(struct sinsp *sinsp, struct sinsp_pod_info *info);

/* The API removed a pod: that with this pod.uid, or with this api_uid. */
void sinsp_forget_pod(struct sinsp *sinsp, const char *uid);

#endif
