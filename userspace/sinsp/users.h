/* SPDX-License-Identifier: MIT */
/* Users or groups by their ids, read from a file in the form of /etc/passwd and kept. */
#ifndef SINSP_USERS_H
#define SINSP_USERS_H

#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* A line of the file. Strings live as the reading that they come from. */
struct user_entry {
	uint32_t id;
	uint32_t line; /* the first of several lines with an id wins, as in the C library */
	const char *name;
	const char *home, *shell; /* NULL: the line has none, as those of groups */
};

struct users {
	const char *path; /* of the file; borrowed */
	struct user_entry *list; /* sorted by id */
	size_t count;
	struct buf text; /* the file; entries point into it */
	struct buf old_text; /* of the reading before: names given out live until the next one */
	uint64_t read_ns; /* event time of the last reading; 0: never */
};

void users_init(struct users *users, const char *path);
void users_finish(struct users *users);

/*
 * The entry of an id, or NULL. The file is read at the first call, and again when an id is missing
 * and the last reading is a minute old by the time of events, `now_ns`.
 */
const struct user_entry *users_find(struct users *users, uint32_t id, uint64_t now_ns);

#endif
