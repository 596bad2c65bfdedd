/* SPDX-License-Identifier: MIT */
/*
 * A runtime behind a unix socket. What it speaks is found by asking it, again after it was gone; a
 * socket that fails is left alone for a while.
 */
#ifndef META_RUNTIMES_RUNTIME_H
#define META_RUNTIMES_RUNTIME_H

#include "meta/backoff.h"
#include "meta/source.h"

/* What a runtime speaks; a bit each, for sets. */
enum runtime_api {
	RUNTIME_NONE = 0,
	RUNTIME_DOCKER = 1 << 0,
	RUNTIME_PODMAN = 1 << 1,
	RUNTIME_CRI = 1 << 2,
	RUNTIME_ALL = RUNTIME_DOCKER | RUNTIME_PODMAN | RUNTIME_CRI,
};

struct runtime;

/*
 * `path` is copied. `apis`: what the socket may speak; nothing else is tried. Returns 0, or -errno
 * with a message; does not connect.
 */
int runtime_open(const char *path, unsigned int apis, struct runtime **runtime, struct error *err);

/* Accepts NULL. */
void runtime_close(struct runtime *runtime);

/*
 * Adds what the runtime knows of a container, if it may speak one of `apis`. Returns 0, -ENOENT if
 * it does not know it or was not asked, or another -errno with a message.
 */
int runtime_describe(struct runtime *runtime, unsigned int apis, const char *id,
		     uint64_t deadline_ns, struct sinsp_container_info *info, struct error *err);

#endif
