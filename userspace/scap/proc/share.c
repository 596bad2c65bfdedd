/* SPDX-License-Identifier: MIT */
/* The name of a control group is hashed: two that are taken for one share what one of them has. */
#include "scap/proc/share.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "scap/proc/ids.h"
#include "scap/proc/text.h"
#include "util/buf.h"
#include "util/hash.h"

#define SHARE_OF_USER (UINT64_C(1) << 63)

enum { GROUPS_BYTES_MAX = 64 << 10 };

uint32_t share_uid(const struct share_ranges *ranges, uint32_t uid)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t at = (low + high) / 2;
		const struct share_range *range = &ranges->all[at];

		if (uid < range->first)
			high = at;
		else if (uid - range->first >= range->count)
			low = at + 1;
		else
			return range->owner;
	}
	return uid;
}

uint64_t share_of_user(uint32_t uid)
{
	return SHARE_OF_USER | uid;
}

/* All of its control groups, by version 2 and, where there are such, by 1. */
static uint64_t groups_of(int process)
{
	struct buf groups = {0};
	uint64_t hash = 0;

	if (proc_read_file(process, "cgroup", GROUPS_BYTES_MAX, &groups) == 0)
		hash = hash_bytes(groups.data, groups.len);
	buf_finish(&groups);
	return hash & ~SHARE_OF_USER;
}

uint64_t share_of_process(const struct share_ranges *ranges, const char *proc, int32_t pid)
{
	char path[PATH_MAX];
	uint64_t share;
	uint32_t uid;
	int process;

	snprintf(path, sizeof(path), "%s/%" PRId32, proc, pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return 0;
	uid = share_uid(ranges, proc_owner(process));
	share = uid ? share_of_user(uid) : groups_of(process);
	close(process);
	return share;
}
