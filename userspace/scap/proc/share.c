/* SPDX-License-Identifier: MIT */
/* The name of a control group is hashed: two that are taken for one share what one of them has. */
#include "scap/proc/share.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/proc/ids.h"
#include "scap/proc/text.h"
#include "util/buf.h"
#include "util/hash.h"

#define SHARE_OF_USER (UINT64_C(1) << 63)
#define SHARE_OF_CONTAINER (UINT64_C(1) << 62)

enum { GROUPS_BYTES_MAX = 64 << 10, IDS_BYTES_MAX = 64 << 10 };

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
	return hash & ~(SHARE_OF_USER | SHARE_OF_CONTAINER);
}

/*
 * The outermost of the namespaces of a kind, a name below ns/, that a process is in, below the one
 * of this process. Returns a descriptor, owned by the caller; -1: it is in none.
 */
static int outermost_namespace(int process, const char *kind)
{
	int inner = openat(process, kind, O_RDONLY | O_CLOEXEC), outermost = -1, outer;

	if (inner < 0)
		return -1;
	while ((outer = ioctl(inner, NS_GET_PARENT)) >= 0) {
		/* Of the last one the parent is known, and that one's is not. */
		if (outermost >= 0)
			close(outermost);
		outermost = inner;
		inner = outer;
	}
	close(inner);
	return outermost;
}

/* Who made such a user namespace. Returns false if the process is in none. */
static bool namespace_owner(int process, uint32_t *uid)
{
	int namespace = outermost_namespace(process, "ns/user");
	bool found = namespace >= 0 && ioctl(namespace, NS_GET_OWNER_UID, uid) == 0;

	if (namespace >= 0)
		close(namespace);
	return found;
}

/* What tells a container from others: its pid namespace; 0: the process is in the machine's. */
static uint64_t container_of(int process)
{
	int namespace = outermost_namespace(process, "ns/pid");
	struct stat file;
	uint64_t container = 0;

	if (namespace >= 0) {
		container = fstat(namespace, &file) == 0 ? SHARE_OF_CONTAINER | file.st_ino : 0;
		close(namespace);
	}
	return container;
}

static int open_process(const char *proc, int32_t pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%" PRId32, proc, pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

uint64_t share_of_process(const struct share_ranges *ranges, const char *proc, int32_t pid)
{
	int process = open_process(proc, pid);
	uint64_t share;
	uint32_t uid;

	if (process < 0)
		return 0;
	if (!namespace_owner(process, &uid))
		uid = proc_owner(process);
	uid = share_uid(ranges, uid);
	share = uid ? share_of_user(uid) : container_of(process);
	if (!share)
		share = groups_of(process);
	close(process);
	return share;
}

/* Whether a user namespace has an id, by its lines of ids: inside, outside, count. */
static bool has_id(const struct buf *map, uint32_t uid)
{
	struct proc_text rest = proc_text_of(map), line;

	while (proc_text_line(&rest, &line)) {
		uint64_t numbers[3];
		struct proc_text word;
		int i = 0;

		while (i < 3 && proc_text_word(&line, &word) &&
		       proc_text_u64(&word, 10, &numbers[i]))
			i++;
		if (i == 3 && uid >= numbers[1] && uid - numbers[1] < numbers[2])
			return true;
	}
	return false;
}

static bool is_of_namespace(const char *proc, int32_t pid, uint32_t uid)
{
	int process = open_process(proc, pid);
	struct buf map = {0};
	uint32_t owner;
	bool found;

	if (process < 0)
		return false;
	found = namespace_owner(process, &owner) &&
		proc_read_file(process, "uid_map", IDS_BYTES_MAX, &map) == 0 && has_id(&map, uid);
	buf_finish(&map);
	close(process);
	return found;
}

uint64_t share_of_file(const struct share_ranges *ranges, const char *proc, int32_t pid,
		       uint32_t uid)
{
	const uint32_t given = share_uid(ranges, uid);

	if (!given || (given == uid && is_of_namespace(proc, pid, uid)))
		return share_of_process(ranges, proc, pid);
	return share_of_user(given);
}
