/* SPDX-License-Identifier: MIT */
/*
 * Names of the machine that events come from: its users, groups and hosts, from the files of its
 * /etc or from a capture.
 */
#ifndef SINSP_STATE_NAMES_H
#define SINSP_STATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/*
 * Users or groups by their ids: from a file in the form of /etc/passwd, which is read when needed,
 * or from a capture.
 */

struct names_user {
	uint32_t id;
	uint32_t gid; /* 0 for groups */
	const char *name;
	const char *home, *shell; /* NULL: none; of groups always */
};

struct names_users {
	const char *path; /* of the file; borrowed. NULL: there is none */
	void *tree; /* of entries by id, see tsearch(3) */
	void *old_tree; /* of the previous reading: returned entries live until the next one */
	uint32_t count; /* in the tree */
	uint32_t max; /* of them; 0: default */
	uint64_t read_ns; /* event time of the last reading; 0: never */
};

void names_users_init(struct names_users *users, const char *path);
void names_users_finish(struct names_users *users);

/* Forgets all entries and the file: from then on only added ones exist. */
void names_users_forget(struct names_users *users);

/*
 * Adds a copy of an entry, unless the id has one: the first wins, as in the C library. Returns 0,
 * -ENOMEM, or -ENOSPC above the limit.
 */
int names_users_add(struct names_users *users, const struct names_user *user);

/* Ids of a user namespace: `count` ones, from `inside` on, are those from `outside` on. */
struct names_users_range {
	uint32_t inside, outside, count;
};

/*
 * Adds the entries of a text in the form of the file, which is changed, by their ids outside of a
 * user namespace; those that do not exist outside are left out.
 */
void names_users_add_text(struct names_users *users, char *text,
			  const struct names_users_range *ranges, size_t count);

/* Removes the entry of an id, if it exists. */
void names_users_remove(struct names_users *users, uint32_t id);

/*
 * The entry of an id, or NULL. The file is read at the first call, and again when an id is missing
 * and the last reading is a minute old by the time of events, `now_ns`.
 */
const struct names_user *names_users_find(struct names_users *users, uint32_t id, uint64_t now_ns);

/*
 * Calls `visit` for all entries, by id, until it returns non-zero, and returns that. The file is
 * read unless it was already.
 */
int names_users_each(struct names_users *users, uint64_t now_ns,
		     int (*visit)(const struct names_user *user, void *context), void *context);

/*
 * Names of IP addresses from a file in the form of /etc/hosts, read once. No name server is
 * queried: the answer would come long after the event, and the query would be visible on the
 * network.
 */

struct host_name;

struct names_hosts {
	const char *path; /* of the file; borrowed */
	bool read;
	struct host_name *list; /* sorted by address, then in the order of the file */
	size_t count;
	struct buf text; /* the file; names point into it */
};

void names_hosts_init(struct names_hosts *hosts, const char *path);
void names_hosts_finish(struct names_hosts *hosts);

/*
 * The name of an address of `len` bytes (4 or 16, network order), the first of several; NULL if
 * it has none. It lives as long as `hosts`. The file is read at the first call.
 */
const char *names_hosts_name(struct names_hosts *hosts, const uint8_t *address, size_t len);

/*
 * Names of the machine that events come from: its users, groups and hosts, from the files of its
 * /etc or from a capture. A file is read when a name is first needed.
 */

enum { ETC_PATH_BYTES = 512 };

struct names {
	struct names_users users, groups;
	struct names_hosts hosts;
	char passwd_path[ETC_PATH_BYTES], group_path[ETC_PATH_BYTES], hosts_path[ETC_PATH_BYTES];
};

/*
 * Names from the files in a folder; NULL: /etc. Release with names_destroy(). Returns NULL if out
 * of memory.
 */
struct names *names_create(const char *etc);
void names_destroy(struct names *names); /* accepts NULL */

/* Forgets the users and groups, and their files: from then on only added ones exist. */
void names_forget_users(struct names *names);

/* Forgets the hosts and their file. */
void names_forget_hosts(struct names *names);

#endif
