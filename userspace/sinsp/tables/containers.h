/* SPDX-License-Identifier: MIT */
/*
 * The tables of control groups and of containers. Threads in the same groups share one entry, which
 * knows its container: nothing is parsed per event. Entries live as long as a thread refers to
 * them.
 */
#ifndef SINSP_TABLES_CONTAINERS_H
#define SINSP_TABLES_CONTAINERS_H

#include "sinsp/tables/container.h"

struct sinsp_cgroups {
	struct sinsp_cgroups *next; /* of the same bucket */
	struct sinsp_containers *table;
	struct sinsp_container *container; /* NULL: of the host */
	uint32_t refs; /* by threads */
	uint32_t hash;
	size_t len;
	char text[]; /* "name=/path", each with its NUL */
};

enum { SINSP_CONTAINERS_BUCKETS = 1024 };

struct sinsp_containers {
	struct sinsp_cgroups *cgroups[SINSP_CONTAINERS_BUCKETS];
	struct sinsp_container *containers[SINSP_CONTAINERS_BUCKETS];
	struct sinsp_container *fresh; /* not yet taken by sinsp_containers_take_new() */
	uint32_t count; /* of containers */
	struct sinsp_container_info *nothing; /* of containers of which nothing is known */
};

/* Returns 0 or -ENOMEM. */
int sinsp_containers_init(struct sinsp_containers *table);

/* No thread may refer to an entry any more. */
void sinsp_containers_finish(struct sinsp_containers *table);

/* The entry of these groups, with a reference for the caller; NULL if out of memory. */
struct sinsp_cgroups *sinsp_cgroups_get(struct sinsp_containers *table, const char *text,
					size_t len);

static inline struct sinsp_cgroups *sinsp_cgroups_ref(struct sinsp_cgroups *cgroups)
{
	cgroups->refs++;
	return cgroups;
}

/* Accepts NULL. */
void sinsp_cgroups_unref(struct sinsp_cgroups *cgroups);

/* The container of a whole id, or NULL. */
struct sinsp_container *sinsp_containers_find(const struct sinsp_containers *table, const char *id,
					      size_t len);

/* The next container that was added since the last call; NULL: none. Oldest last. */
struct sinsp_container *sinsp_containers_take_new(struct sinsp_containers *table);

/* Replaces what is known of a container; NULL: nothing. Takes ownership of `info`. */
void sinsp_container_set_info(struct sinsp_containers *table, struct sinsp_container *container,
			      enum sinsp_meta_state state, struct sinsp_container_info *info);

/* Calls `visit` for every container. */
void sinsp_containers_each(const struct sinsp_containers *table,
			   void (*visit)(struct sinsp_container *container, void *context),
			   void *context);

#endif
