/* SPDX-License-Identifier: MIT */
#include "agent/process/memory_limit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_MAX (UINT64_C(1) << 30)
#define DEFAULT_MIN (UINT64_C(32) << 20)

enum { MACHINE_PART = 16, STATE_PART = 2, TEXT_BYTES = 4096 };

/* Where a version of control groups has the limits. */
static const struct hierarchy {
	const char *prefix; /* of the group's path in /proc/self/cgroup */
	const char *folder, *file;
} hierarchies[] = {
	{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	{"0::", "/sys/fs/cgroup", "memory.max"},
};

static bool read_text(const char *path, char text[TEXT_BYTES])
{
	FILE *file = fopen(path, "re");
	size_t len;

	if (!file)
		return false;
	len = fread(text, 1, TEXT_BYTES - 1, file);
	fclose(file);
	text[len] = '\0';
	return len;
}

/* "max" and the huge number that version 1 has for no limit do not count. */
static uint64_t read_limit(const char *path)
{
	char text[TEXT_BYTES], *end;
	uint64_t bytes;

	if (!read_text(path, text))
		return UINT64_MAX;
	bytes = strtoull(text, &end, 10);
	return end == text || bytes > INT64_MAX / 2 ? UINT64_MAX : bytes;
}

/* The least limit of a group and of all above it. */
static uint64_t least_limit(const char *root, const struct hierarchy *hierarchy, char *group)
{
	char path[PATH_MAX + TEXT_BYTES];
	uint64_t least = UINT64_MAX, bytes;
	char *slash;

	do {
		slash = strrchr(group, '/');
		snprintf(path, sizeof(path), "%s%s%s/%s", root, hierarchy->folder,
			 slash == group && !group[1] ? "" : group, hierarchy->file);
		bytes = read_limit(path);
		if (bytes < least)
			least = bytes;
		if (slash)
			*slash = '\0';
	} while (slash);
	return least;
}

uint64_t memory_limit_of_groups(const char *root)
{
	char path[PATH_MAX], text[TEXT_BYTES];

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (!read_text(path, text))
		return UINT64_MAX;
	for (size_t i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		char *group = strstr(text, hierarchies[i].prefix);

		if (!group)
			continue;
		group += strlen(hierarchies[i].prefix);
		group[strcspn(group, "\n")] = '\0';
		return least_limit(root, &hierarchies[i], group);
	}
	return UINT64_MAX;
}

uint64_t memory_limit_choose(uint64_t wanted, uint64_t of_groups, uint64_t machine)
{
	uint64_t limit = machine / MACHINE_PART;

	if (wanted)
		return wanted;
	if (of_groups < machine)
		limit = of_groups;
	else if (limit > DEFAULT_MAX)
		limit = DEFAULT_MAX;
	return limit < DEFAULT_MIN ? DEFAULT_MIN : limit;
}

uint64_t memory_limit_of_state(uint64_t wanted, bool asks_groups)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t of_groups = asks_groups && !wanted ? memory_limit_of_groups("") : UINT64_MAX;

	return memory_limit_choose(wanted, of_groups, machine) / STATE_PART;
}
