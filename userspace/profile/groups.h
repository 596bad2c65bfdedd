/* SPDX-License-Identifier: MIT */
/*
 * A set of stacks by container: which group each of its processes is of, and each group as a set by
 * itself. How many groups there are is bounded, as users make containers.
 */
#ifndef PROFILE_GROUPS_H
#define PROFILE_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/stacks.h"

enum {
	STACKS_GROUP_HOST, /* what is in no container */
	STACKS_GROUP_OTHER, /* containers for which there was no group */
	STACKS_GROUP_FIRST, /* of a container */
};

/* A zeroed struct has none. */
struct profile_groups {
	uint32_t *of; /* owned: the group of each process of the set */
	const char *
		*ids; /* owned, the texts are the set's: containers, from STACKS_GROUP_FIRST on */
	size_t count; /* of groups, with the first two */
	uint64_t left_out; /* containers that are in STACKS_GROUP_OTHER */
};

/*
 * Makes groups for `most` containers at most: first for those that root made, then for those that
 * have a user behind their id. Returns 0 or -ENOMEM; finish it in both cases.
 */
int profile_groups_make(const struct stacks *stacks, size_t most, struct profile_groups *groups);
void profile_groups_finish(struct profile_groups *groups);

/*
 * Makes `to` a set of the rows of a group, with the files and processes that they use: it borrows
 * the descriptors of `from`. Its losses are those of all. Returns 0 or -ENOMEM.
 */
int profile_groups_take(const struct stacks *from, const struct profile_groups *groups,
			size_t group, struct stacks *to);

#endif
