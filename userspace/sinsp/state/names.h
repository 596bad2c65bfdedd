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

#include "sinsp/state/containers/users.h"
#include "util/buf.h"

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
	struct state_users users, groups;
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
