/* SPDX-License-Identifier: MIT */
/*
 * Users or groups by their ids: from a file in the form of /etc/passwd, which is read when needed,
 * from a text in that form, or from a capture. Those of the machine, and those of a container.
 */
#ifndef SINSP_STATE_CONTAINERS_USERS_H
#define SINSP_STATE_CONTAINERS_USERS_H

#include <stddef.h>
#include <stdint.h>

struct state_user {
	uint32_t id;
	uint32_t gid; /* 0 for groups */
	const char *name;
	const char *home, *shell; /* NULL: none; of groups always */
};

struct state_users {
	const char *path; /* of the file; borrowed. NULL: there is none */
	void *tree; /* of entries by id, see tsearch(3) */
	void *old_tree; /* of the previous reading: returned entries live until the next one */
	uint32_t count; /* in the tree */
	uint32_t max; /* of them; 0: default */
	uint64_t read_ns; /* event time of the last reading; 0: never */
};

void state_users_init(struct state_users *users, const char *path);

/* Forgets all entries and the file: from then on only added ones exist. */
void state_users_finish(struct state_users *users);

/*
 * Adds a copy of an entry, unless the id has one: the first wins, as in the C library. Returns 0,
 * -ENOMEM, or -ENOSPC above the limit.
 */
int state_users_add(struct state_users *users, const struct state_user *user);

/* Ids of a user namespace: `count` ones, from `inside` on, are those from `outside` on. */
struct state_users_range {
	uint32_t inside, outside, count;
};

/*
 * Adds the entries of a text in the form of the file, which is changed, by their ids outside of a
 * user namespace; those that do not exist outside are left out.
 */
void state_users_add_text(struct state_users *users, char *text,
			  const struct state_users_range *ranges, size_t count);

/* Removes the entry of an id, if it exists. */
void state_users_remove(struct state_users *users, uint32_t id);

/*
 * The entry of an id, or NULL. The file is read at the first call, and again when an id is missing
 * and the last reading is a minute old by the time of events, `now_ns`.
 */
const struct state_user *state_users_find(struct state_users *users, uint32_t id, uint64_t now_ns);

/*
 * Calls `visit` for all entries, by id, until it returns non-zero, and returns that. The file is
 * read unless it was already.
 */
int state_users_each(struct state_users *users, uint64_t now_ns,
		     int (*visit)(const struct state_user *user, void *context), void *context);

#endif
