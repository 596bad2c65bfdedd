/* SPDX-License-Identifier: MIT */
/* Names of user or group ids, read from a file in the form of /etc/passwd and kept. */
#ifndef SINSP_USERS_H
#define SINSP_USERS_H

#include <stddef.h>
#include <stdint.h>

struct user;

struct users {
	const char *path; /* of the file; borrowed */
	struct user *list; /* sorted by id */
	size_t count;
	char *text; /* the file; names point into it */
	char *old_text; /* of the reading before: names given out live until the next one */
	uint64_t read_ns; /* event time of the last reading; 0: never */
};

void users_init(struct users *users, const char *path);
void users_finish(struct users *users);

/*
 * The name of an id, or NULL. The file is read at the first call, and again when an id is missing
 * and the last reading is a minute old by the time of events, `now_ns`.
 */
const char *users_name(struct users *users, uint32_t id, uint64_t now_ns);

#endif
