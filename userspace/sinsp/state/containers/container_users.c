/* SPDX-License-Identifier: MIT */
/* The files of users in a container, which may contain anything. */
#include "sinsp/state/containers/container_users.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/ids.h"
#include "scap/proc/text.h"
#include "sinsp/state/containers/cgroup_path.h"

enum {
	ENTRIES_MAX = 4096, /* of a file, so that many containers cannot fill the memory */
	PROC_BYTES_MAX = 64 << 10,
	PID_BYTES = 24,
	RANGES_MAX = 340, /* as the kernel has it */
	SHARED_ENTRIES_MAX = 1024, /* of tables that are shared */
	SHARED_LOOKS = 64, /* at tables of the list */
};

/* The ids of a user namespace. */
struct id_ranges {
	struct state_users_range list[RANGES_MAX];
	size_t count;
};

struct state_container_users *state_container_users_create(void)
{
	struct state_container_users *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->users.max = made->groups.max = ENTRIES_MAX;
	made->refs = 1;
	return made;
}

static void container_users_list_remove(struct state_container_users *users)
{
	if (!users->link)
		return;
	*users->link = users->next;
	if (users->next)
		users->next->link = users->link;
	users->link = NULL;
}

static void container_users_list_add(struct state_container_users **list,
				     struct state_container_users *users)
{
	users->next = *list;
	users->link = list;
	if (users->next)
		users->next->link = &users->next;
	*list = users;
}

void state_container_users_destroy(struct state_container_users *users)
{
	if (!users || --users->refs)
		return;
	container_users_list_remove(users);
	state_users_finish(&users->users);
	state_users_finish(&users->groups);
	free(users);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether the other users have no such entry. */
static int lacks(const struct state_user *user, void *others)
{
	const struct state_user *other = state_users_find(others, user->id, 0);

	return !other || user->gid != other->gid || !same_text(user->name, other->name) ||
	       !same_text(user->home, other->home) || !same_text(user->shell, other->shell);
}

static bool equal(struct state_users *a, struct state_users *b)
{
	return a->count == b->count && state_users_each(a, 0, lacks, b) == 0;
}

struct state_container_users *state_container_users_share(struct state_container_users **list,
							  struct state_container_users *users)
{
	struct state_container_users *other = *list;
	int left = SHARED_LOOKS;

	if (users->users.count + users->groups.count > SHARED_ENTRIES_MAX)
		return users;
	while (other && left > 0 &&
	       !(equal(&users->users, &other->users) && equal(&users->groups, &other->groups))) {
		other = other->next;
		left--;
	}
	if (other && left > 0) {
		state_container_users_destroy(users);
		users = other;
		users->refs++;
		container_users_list_remove(users);
	}
	/* Those that are used again come first. */
	container_users_list_add(list, users);
	return users;
}

static bool container_users_is_at(const char *group, size_t len, const char *path)
{
	size_t n = strlen(path);

	return len >= n && memcmp(group, path, n) == 0 && (len == n || group[n] == '/');
}

/* Whether a group, "memory=/path", is of that container. */
static bool is_group_of(const char *group, size_t len, const struct state_users_wanted *wanted)
{
	const char *path = memchr(group, '/', len);
	struct state_cgroup_match match;

	if (wanted->path)
		return path &&
		       container_users_is_at(path, (size_t)(group + len - path), wanted->path);
	return state_cgroup_match(group, len, &match) && strcmp(match.id, wanted->id) == 0;
}

/* The id of a process may have been used again. */
static int check_container(struct scap_proc *proc, int process,
			   const struct state_users_wanted *wanted)
{
	const struct buf *groups;
	int r = scap_proc_cgroups(proc, process, &groups);

	if (r)
		return r;
	for (size_t at = 0, len; at < groups->len; at += len + 1) {
		len = strlen(groups->data + at);
		if (is_group_of(groups->data + at, len, wanted))
			return 0;
	}
	return -ESRCH;
}

/* A line of a map of ids: first one inside, first one outside, number. */
static bool parse_range(struct proc_text line, struct state_users_range *range)
{
	uint32_t *const columns[] = {&range->inside, &range->outside, &range->count};
	struct proc_text word;
	uint64_t number;

	for (size_t i = 0; i < 3; i++) {
		if (!proc_text_word(&line, &word) || !proc_text_u64(&word, 10, &number) ||
		    number > UINT32_MAX)
			return false;
		*columns[i] = (uint32_t)number;
	}
	return true;
}

static int read_ranges(int process, const char *name, struct buf *text, struct id_ranges *ranges)
{
	int r = proc_read_file(process, name, PROC_BYTES_MAX, text);
	struct proc_text rest, line;

	if (r)
		return r;
	rest = proc_text_of(text);
	ranges->count = 0;
	while (ranges->count < RANGES_MAX && proc_text_line(&rest, &line))
		ranges->count += parse_range(line, &ranges->list[ranges->count]);
	return 0;
}

/* Reads one of the two files; sets `found` if the container has it. */
static int read_one(struct scap_proc *proc, int process, const struct proc_target *target,
		    enum proc_read_what what, const char *map, struct state_users *users,
		    bool *found)
{
	struct id_ranges ranges;
	struct buf text = {0};
	int r = read_ranges(process, map, &text, &ranges);

	if (r == 0) {
		r = proc_readers_read_or_here(scap_proc_readers(proc), scap_proc_dir(proc), process,
					      target, what, &text);
		*found |= r == 0;
		if (r == 0)
			state_users_add_text(users, text.data, ranges.list, ranges.count);
		else if (r == -ENOENT || r == -ENOTDIR)
			r = 0;
	}
	buf_finish(&text);
	return r;
}

static int read_both(struct scap_proc *proc, int process, int64_t pid,
		     struct state_container_users **users)
{
	const struct proc_target target = {pid, pid, proc_owner(process)};
	struct state_container_users *made = state_container_users_create();
	bool found = false;
	int r = -ENOMEM;

	if (made)
		r = read_one(proc, process, &target, PROC_READ_PASSWD, "uid_map", &made->users,
			     &found);
	if (r == 0)
		r = read_one(proc, process, &target, PROC_READ_GROUP, "gid_map", &made->groups,
			     &found);
	if (r == 0)
		*users = found ? made : NULL;
	if (r || !found)
		state_container_users_destroy(made);
	return r;
}

static int read_process(struct scap_proc *proc, int process,
			const struct state_users_wanted *wanted,
			struct state_container_users **users)
{
	struct state_container_users *found = NULL;
	int r = check_container(proc, process, wanted);

	if (r == 0)
		r = read_both(proc, process, wanted->pid, &found);
	/* Others find the process by its id: it was the same all the time. */
	if (r == 0)
		r = check_container(proc, process, wanted);
	if (r)
		state_container_users_destroy(found);
	else
		*users = found;
	return r;
}

int state_container_users_read(struct scap_proc *proc, const struct state_users_wanted *wanted,
			       struct state_container_users **users)
{
	char name[PID_BYTES];
	int process, r;

	snprintf(name, sizeof(name), "%" PRId64, wanted->pid);
	/* Refers to that process alone, also if its id is used again. */
	process = openat(scap_proc_dir(proc), name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	r = read_process(proc, process, wanted, users);
	close(process);
	return r;
}
