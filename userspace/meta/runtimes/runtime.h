/* SPDX-License-Identifier: MIT */
/*
 * A runtime behind a unix socket. What it speaks is found by asking it, again after it was gone; a
 * socket that fails is left alone for a while. For one thread.
 */
#ifndef META_RUNTIMES_RUNTIME_H
#define META_RUNTIMES_RUNTIME_H

#include "util/backoff.h"
#include "meta/runtimes/events.h"
#include "meta/source.h"

/* What a runtime speaks; a bit each, for sets. */
enum runtime_api {
	RUNTIME_NONE = 0,
	RUNTIME_DOCKER = 1 << 0,
	RUNTIME_PODMAN = 1 << 1,
	RUNTIME_CRI = 1 << 2,
	RUNTIME_CONTAINERD = 1 << 3, /* its own interface, beside RUNTIME_CRI behind one socket */
	RUNTIME_ONE = RUNTIME_DOCKER | RUNTIME_PODMAN | RUNTIME_CRI, /* one of these */
};

struct runtime;

/*
 * `path` is copied. `apis`: what the socket may speak; nothing else is tried. Until another owner
 * is set, root alone is believed. Returns 0, or -errno with a message; does not connect.
 */
int runtime_open(const char *path, unsigned int apis, struct runtime **runtime, struct error *err);

/* Accepts NULL. */
void runtime_close(struct runtime *runtime);

/* Whoever listens there is believed only if it is this user, root, or the agent's own user. */
void runtime_set_owner(struct runtime *runtime, uint32_t owner);

const char *runtime_path(const struct runtime *runtime);

/*
 * Adds what the runtime knows of a container, if it may speak one of `apis`. Returns 0,
 * META_SOURCE_PART or _SOME, -ENOENT if it does not know it or is not there, -EPERM if another user
 * listens there, -EAGAIN if it was not asked since it failed a short time ago, or another -errno
 * with a message.
 */
int runtime_describe(struct runtime *runtime, unsigned int apis, const char *id,
		     uint64_t deadline_ns, struct state_container_info *info, struct error *err);

/*
 * For who follows it, without the wait after a failure; the same results. Connects, if that is not
 * done: -ECONNREFUSED if nobody listens, -EPROTO or -EOPNOTSUPP if it speaks something else.
 */
int runtime_connect(struct runtime *runtime, uint64_t deadline_ns, struct error *err);
int runtime_begin_events(const struct runtime *runtime, struct runtime_events *events);
int runtime_list(struct runtime *runtime, uint64_t deadline_ns, const struct runtime_list *list,
		 struct error *err);
int runtime_look_up(struct runtime *runtime, const char *id, uint64_t deadline_ns,
		    struct state_container_info *info, struct error *err);

/*
 * Whether a failure to connect means only that there is nothing to ask: nobody listens, or who does
 * lacks the interface.
 */
bool runtime_is_absent(const struct runtime *runtime, int result);

/* Another server may stand behind the socket the next time. */
void runtime_forget(struct runtime *runtime);

#endif
