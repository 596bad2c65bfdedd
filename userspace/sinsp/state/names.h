/* SPDX-License-Identifier: MIT */
/*
 * Names of the machine that events come from: its users, groups and hosts, from the files of its
 * /etc or from a capture. A file is read when a name is first needed.
 */
#ifndef SINSP_STATE_NAMES_H
#define SINSP_STATE_NAMES_H

#include "sinsp/state/hosts.h"
#include "sinsp/state/users.h"

enum { ETC_PATH_BYTES = 512 };

struct names {
	struct users users, groups;
	struct hosts hosts;
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
