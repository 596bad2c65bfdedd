/* SPDX-License-Identifier: MIT */
/*
 * What the threads of meta.h hand to the event thread: answers to its requests, and what followers
 * (meta/follower.h) push.
 */
#ifndef META_UPDATE_H
#define META_UPDATE_H

#include <stdbool.h>

#include "sinsp/state/container.h"
#include "util/error.h"

enum meta_kind {
	META_CONTAINER, /* `id`, `info`: of an answer, NULL if nobody knows it */
	META_USERS, /* `id`, `users`, `result`: see sinsp_container_users_read() */
	META_CONTAINER_REMOVED, /* `id`: its runtime removed it */
	META_POD, /* `id`: the uid, as control groups have it; `pod` */
	META_POD_REMOVED, /* `id` */
	META_FAILURE, /* `err`, to be reported; `id`: of what container, NULL: of none */
	META_KINDS_COUNT,
};

struct meta_update {
	struct meta_update *next; /* of a queue */
	enum meta_kind kind;
	bool is_answer; /* to a request; false: pushed */
	char *id; /* whole; owned */
	uint32_t owner; /* of the container: see tables/container.h */
	unsigned int rank; /* enum meta_rank, of the request that this answers */
	struct sinsp_container_info *info; /* owned */
	struct sinsp_pod_info *pod; /* owned */
	struct sinsp_container_users *users; /* owned */
	int result;
	bool is_forgeable; /* what there is of it can be of others than the owner */
	struct error err; /* what could not be read; "": nothing */
};

/* Copies the id; NULL: none. Returns NULL if out of memory. */
struct meta_update *meta_update_create(enum meta_kind kind, const char *id);

/* Frees what it owns, too. Accepts NULL. */
void meta_update_destroy(struct meta_update *update);

#endif
