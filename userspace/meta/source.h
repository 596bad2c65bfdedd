/* SPDX-License-Identifier: MIT */
/*
 * The interface of all places that know containers: the files of a runtime, or its socket. Only the
 * thread of meta.c calls them; they may block.
 */
#ifndef META_SOURCE_H
#define META_SOURCE_H

#include "sinsp/state/containers/container.h"
#include "util/error.h"

/* Whose look-ups come first, and how many there may be at a time. */
enum meta_rank {
	META_OF_RUNTIME, /* a runtime's process above it says where its files are */
	META_OF_ROOT, /* its group is root's, as all of them have the owner STATE_OWNER_ROOT */
	META_OF_USER,
	META_RANKS,
};

/* A container that is looked for. */
struct meta_request {
	const char *id; /* whole */
	enum state_container_type type; /* as its control groups say */
	uint32_t owner; /* who made these; see state/containers/container.h */
	enum meta_rank rank;
	/*
	 * The absolute path of its OCI bundle, from the command lines of the runtime's processes;
	 * NULL: not known. Any program can choose its command line: this may be anything.
	 */
	const char *bundle;
	bool is_part_known; /* files described their part of it */
	uint64_t missing_ns; /* for that long it need not be looked for again, if nobody knows it */
	bool with_env; /* its environment is wanted, too */
};

struct meta_source;

/* More can be known: by files if a runtime says it, by a runtime if files do; or by another
 * runtime. */
enum { META_SOURCE_PART = 1, META_SOURCE_SOME = 2 };

struct meta_source_ops {
	/*
	 * Adds what it knows to the members of `info` that are not set yet. Returns 0 if it knows
	 * all of the container, one of the above if another source may know more, both with a
	 * message if something could not be read; -ENOENT if it does not know it; -EPERM if others
	 * than the owner can have written what it has; or another -errno; both with a message.
	 */
	int (*describe)(struct meta_source *source, const struct meta_request *request,
			struct state_container_info *info, struct error *err);
	void (*destroy)(struct meta_source *source);
};

/* Sources embed this as their first member. */
struct meta_source {
	const struct meta_source_ops *ops;
};

static inline void meta_source_destroy(struct meta_source *source)
{
	if (source)
		source->ops->destroy(source);
}

#endif
