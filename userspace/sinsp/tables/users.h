/* SPDX-License-Identifier: MIT */
/*
 * Users or groups by their ids: those of a file in the form of /etc/passwd, which is read when it
 * is needed, or those that a capture tells of.
 */
#ifndef SINSP_TABLES_USERS_H
#define SINSP_TABLES_USERS_H

#include <stddef.h>
#include <stdint.h>

struct user_entry {
	uint32_t id;
	uint32_t gid; /* 0 for groups */
	const char *name;
	const char *home, *shell; /* NULL: it has none, as groups */
};

struct users {
	const char *path; /* of the file; borrowed. NULL: there is none */
	void *tree; /* of entries by id, see tsearch(3) */
	void *old_tree; /* of the reading before: entries given out live until the next one */
	uint32_t count; /* in the tree */
	uint64_t read_ns; /* event time of the last reading; 0: never */
};

void users_init(struct users *users, const char *path);
void users_finish(struct users *users);

/* Forgets all entries and the file: from then on there are those that are added. */
void users_forget(struct users *users);

/*
 * Adds a copy of an entry, unless there is one of that id: the first wins, as in the C library.
 * Returns 0, -ENOMEM, or -ENOSPC for more than a machine may have.
 */
int users_add(struct users *users, const struct user_entry *user);

/* Takes out the entry of an id, if there is one. */
void users_remove(struct users *users, uint32_t id);

/*
 * The entry of an id, or NULL. The file is read at the first call, and again when an id is missing
 * and the last reading is a minute old by the time of events, `now_ns`.
 */
const struct user_entry *users_find(struct users *users, uint32_t id, uint64_t now_ns);

/*
 * Calls `visit` for all entries, by id, until it returns something else than 0, and returns that.
 * The file is read if it was not yet.
 */
int users_each(struct users *users, uint64_t now_ns,
	       int (*visit)(const struct user_entry *user, void *context), void *context);

#endif
