/* SPDX-License-Identifier: MIT */
/*
 * When files were made, by their names, so that a call that removes one can say how old it is. Of
 * names only hashes with a secret are kept, so that the memory is fixed. If all of it is used, who
 * has most of it loses what is oldest of that.
 */
#ifndef SINSP_STATE_CREATED_H
#define SINSP_STATE_CREATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

enum {
	CREATED_MAX = 1 << 16, /* files, of all who make some */
	CREATED_OWNERS = 256, /* places, by a hash of who makes them */
	CREATED_NAMES = 2, /* of a file: as it was given, and where that leads */
};

struct created_file;

/* A zeroed struct is empty. */
struct created {
	struct hash_key key; /* secret: who makes files chooses their names */
	struct created_file *files; /* owned; NULL: none was made yet */
	uint32_t *buckets; /* owned; of names */
	uint32_t oldest[CREATED_OWNERS], newest[CREATED_OWNERS]; /* files, + 1; 0: none */
	uint32_t counts[CREATED_OWNERS];
	uint32_t free; /* the first one of a list, + 1 */
	uint64_t count; /* now */
	uint64_t dropped; /* that gave way to others, or found no memory */
};

void created_finish(struct created *created);

/* Where names mean the same, and who makes or removes files there. */
struct created_scope {
	const char *container; /* its whole id; NULL: the host */
	size_t container_len;
	const char *root; /* of the process, in its namespace; NULL: "/" */
	uint32_t uid;
	const char *group; /* control groups of the process */
	size_t group_len;
};

/* An absolute path. */
struct created_name {
	const char *text;
	size_t len; /* 0: there is none */
};

/* A file was made, under one name that may be given in two ways. ns: when. */
void created_put(struct created *created, const struct created_scope *scope,
		 const struct created_name names[CREATED_NAMES], uint64_t ns);

/*
 * The file of that name is no more. Returns when it was made; 0: it is not known, or others made,
 * removed or renamed one of the same name, which may be another file: so it is in a mount namespace
 * of one's own.
 */
uint64_t created_take(struct created *created, const struct created_scope *scope,
		      const struct created_name *name);

/*
 * A file has another name, and what had that is no more; or, if both are exchanged, has the first
 * one's. Likewise. A name that is not known has no length.
 */
void created_move(struct created *created, const struct created_scope *scope,
		  const struct created_name *from, const struct created_name *to, bool exchanged);

#endif
