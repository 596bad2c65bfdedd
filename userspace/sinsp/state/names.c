/* SPDX-License-Identifier: MIT */
/* The three files of names in one folder. */
#include "sinsp/state/names.h"

#include <stdio.h>
#include <stdlib.h>

struct names *names_create(const char *etc)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	if (!etc)
		etc = "/etc";
	/* A truncated path names no file, so there are no names. */
	snprintf(names->passwd_path, ETC_PATH_BYTES, "%s/passwd", etc);
	snprintf(names->group_path, ETC_PATH_BYTES, "%s/group", etc);
	snprintf(names->hosts_path, ETC_PATH_BYTES, "%s/hosts", etc);
	users_init(&names->users, names->passwd_path);
	users_init(&names->groups, names->group_path);
	hosts_init(&names->hosts, names->hosts_path);
	return names;
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	users_finish(&names->users);
	users_finish(&names->groups);
	hosts_finish(&names->hosts);
	free(names);
}

void names_forget_users(struct names *names)
{
	users_forget(&names->users);
	users_forget(&names->groups);
}

void names_forget_hosts(struct names *names)
{
	hosts_finish(&names->hosts);
	hosts_init(&names->hosts, ""); /* no file has that name */
}
