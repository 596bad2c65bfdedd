/* SPDX-License-Identifier: MIT */
/*
 * The interface of all places that know containers: the files of a runtime, or its socket. Only the
 * thread of meta.c calls them; they may block.
 */
#ifndef META_SOURCE_H
#define META_SOURCE_H

#include "sinsp/tables/container.h"
#include "util/error.h"

/* A container that is looked for. */
struct meta_request {
	const char *id; /* whole */
	enum sinsp_container_type type; /* as its control groups say */
	/*
	 * The folder of its OCI bundle, from the command lines of the runtime's processes above its
	 * first one ("runc create --bundle FOLDER", conmon -b, the directory of containerd's shim);
	 * NULL: not known. It is input of others: it may be anything.
	 */
	const char *bundle;
};

struct meta_source;

struct meta_source_ops {
	const char *name; /* "docker files", for messages */
	/*
	 * Adds what it knows to the members of `info` that are not set yet. Returns 0 if it knows
	 * the container, -ENOENT if not, or another -errno with a message.
	 */
	int (*describe)(struct meta_source *source, const struct meta_request *request,
			struct sinsp_container_info *info, struct error *err);
	void (*destroy)(struct meta_source *source);
};

/* Sources embed this as their first member. */
struct meta_source {
	const struct meta_source_ops *ops;
};

#endif
