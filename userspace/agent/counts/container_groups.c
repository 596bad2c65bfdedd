/* SPDX-License-Identifier: MIT */
/*
 * The folders of the hierarchy in order of their paths. inotify(7) reports new ones and those
 * that are removed; from time to time all are looked at, since it may have dropped something. Users
 * can have any number of groups in those that are theirs: such folders have a limit of their own.
 */
#include "agent/counts/container_groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/count/target.h"

enum {
	FOLDERS_MAX = 16384,
	FOLDERS_OF_USERS_MAX = 4096,
	DEPTH_MAX = 32,
	EMPTY_DEPTH_MAX = 4, /* how far tasks are looked for below a group of version 1 */
	NOTES_BYTES = 16384, /* that are read at a time */
	CHILDREN_MAX = 256, /* of a group, among which tasks are looked for */
};

/* From one look at all folders to the next. */
#define AUDIT_NS UINT64_C(5000000000)

struct folder {
	char *path; /* owned; "" is the root */
	uint64_t ino;
	uint32_t owner; /* of what is made in it */
	int watch; /* -1: none */
	uint32_t audit; /* the last one in which it was there */
	bool of_user, is_container, is_offered, is_taken;
};

struct container_groups {
	struct container_groups_listener listener;
	char root[PATH_MAX];
	int notify;
	struct folder *list; /* owned, in order of paths */
	size_t count, capacity, of_users;
	uint32_t audit;
	uint64_t audit_ns; /* when the next one is due */
	uint64_t unwatched;
	char path[PATH_MAX]; /* of the folder that is looked at, below the root */
};

/* The first folder whose path is not before this one. */
static size_t lower_bound(const struct container_groups *groups, const char *path)
{
	size_t from = 0, to = groups->count;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (strcmp(groups->list[middle].path, path) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static struct folder *folders_find(const struct container_groups *groups, const char *path)
{
	size_t i = lower_bound(groups, path);

	return i < groups->count && strcmp(groups->list[i].path, path) == 0 ? &groups->list[i]
									    : NULL;
}

static void folders_remove(struct container_groups *groups, struct folder *folder)
{
	size_t i = (size_t)(folder - groups->list);

	if (folder->is_taken)
		groups->listener.went(groups->listener.context, folder->ino);
	/* It is gone by itself when the folder is. */
	if (folder->watch >= 0)
		inotify_rm_watch(groups->notify, folder->watch);
	groups->of_users -= folder->of_user;
	free(folder->path);
	memmove(folder, folder + 1, (groups->count - i - 1) * sizeof(*folder));
	groups->count--;
}

static bool folders_have_room(const struct container_groups *groups, const struct folder *made)
{
	return groups->count < FOLDERS_MAX &&
	       (!made->of_user || groups->of_users < FOLDERS_OF_USERS_MAX);
}

/* Returns NULL if there is no memory. */
static struct folder *folders_add(struct container_groups *groups, const struct folder *made)
{
	size_t i = lower_bound(groups, made->path);
	char *path;

	if (groups->count == groups->capacity) {
		size_t capacity = groups->capacity ? 2 * groups->capacity : 64;
		struct folder *list = reallocarray(groups->list, capacity, sizeof(*list));

		if (!list)
			return NULL;
		groups->list = list;
		groups->capacity = capacity;
	}
	path = strdup(made->path);
	if (!path)
		return NULL;
	memmove(&groups->list[i + 1], &groups->list[i],
		(groups->count - i) * sizeof(*groups->list));
	groups->list[i] = *made;
	groups->list[i].path = path;
	groups->count++;
	groups->of_users += made->of_user;
	return &groups->list[i];
}

/* Whether a text is in a file of a folder, or anything if the text is "". -ENOENT: no such file. */
static int file_has(int folder, const char *name, const char *text)
{
	char bytes[256];
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, bytes, sizeof(bytes) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	bytes[n] = '\0';
	return strstr(bytes, text) != NULL;
}

static bool is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static DIR *open_list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !list)
		close(fd);
	return list;
}

/* Version 2 says it; of version 1 it takes a look at the groups below. */
static bool has_tasks(int folder, int depth)
{
	int found = file_has(folder, "cgroup.events", "populated 1"), children = 0;
	struct dirent *entry;
	DIR *list;

	if (found != -ENOENT)
		return found > 0;
	found = file_has(folder, "cgroup.procs", "") > 0;
	list = found || depth == 0 ? NULL : open_list(folder);
	while (list && !found && children < CHILDREN_MAX && (entry = readdir(list))) {
		int child = is_folder(entry) ? openat(folder, entry->d_name,
						      O_RDONLY | O_DIRECTORY | O_CLOEXEC)
					     : -1;

		if (child < 0)
			continue;
		children++;
		found = has_tasks(child, depth - 1);
		close(child);
	}
	if (list)
		closedir(list);
	return found > 0;
}

/* Who can make groups in a folder that somebody made in one of `above`. */
static uint32_t owner_within(uint32_t above, const struct stat *status)
{
	if (above != STATE_OWNER_ROOT)
		return above;
	return status->st_mode & S_IWOTH ? STATE_OWNER_ANYBODY : status->st_uid;
}

/* The container whose group this is by its path. */
static bool match_path(const char *path, struct state_cgroup_match *match)
{
	char text[PATH_MAX + 8];
	int n = snprintf(text, sizeof(text), "memory=%s", path);

	return *path && state_cgroup_match(text, (size_t)n + 1, match);
}

static void offer(struct container_groups *groups, struct folder *folder, int fd, uint32_t owner)
{
	struct state_cgroup_match match;
	const struct container_group group = {.path = folder->path,
					      .ino = folder->ino,
					      .owner = owner,
					      .match = &match,
					      .is_again = folder->is_offered};

	folder->is_offered = true;
	if (match_path(folder->path, &match))
		folder->is_taken = groups->listener.came(groups->listener.context, fd, &group);
}

/* Notes a folder that was not there before. Returns NULL if there is no room. */
static struct folder *folders_note(struct container_groups *groups, const struct stat *status,
				   uint32_t owner)
{
	struct state_cgroup_match match;
	char whole[2 * PATH_MAX];
	struct folder *folder;
	struct folder made = {
		.path = groups->path,
		.ino = status->st_ino,
		.owner = owner_within(owner, status),
		.watch = -1,
		.is_container = match_path(groups->path, &match),
	};

	made.of_user = made.owner != STATE_OWNER_ROOT;
	if (!folders_have_room(groups, &made))
		return NULL;
	if (!made.is_container) {
		snprintf(whole, sizeof(whole), "%s%s", groups->root, groups->path);
		made.watch = inotify_add_watch(groups->notify, whole,
					       IN_CREATE | IN_DELETE | IN_ONLYDIR | IN_DONT_FOLLOW);
	}
	folder = folders_add(groups, &made);
	if (!folder && made.watch >= 0)
		inotify_rm_watch(groups->notify, made.watch);
	return folder;
}

static void look_at(struct container_groups *groups, uint32_t owner, int depth, bool is_new);

/* The watch is there before the list is read: nothing that comes is missed. */
static void look_below(struct container_groups *groups, int fd, uint32_t owner, int depth,
		       bool is_new)
{
	size_t len = strlen(groups->path);
	struct dirent *entry;
	DIR *list = depth < DEPTH_MAX ? open_list(fd) : NULL;

	while (list && (entry = readdir(list))) {
		size_t n = strlen(entry->d_name);

		if (!is_folder(entry) || len + n + 2 > sizeof(groups->path))
			continue;
		groups->path[len] = '/';
		memcpy(groups->path + len + 1, entry->d_name, n + 1);
		look_at(groups, owner, depth + 1, is_new);
		groups->path[len] = '\0';
	}
	if (list)
		closedir(list);
}

/* is_new: what is empty now will not be so for long. */
static void look_at_open(struct container_groups *groups, int fd, uint32_t owner, int depth,
			 bool is_new)
{
	struct folder *folder = folders_find(groups, groups->path);
	struct stat status;

	if (fstat(fd, &status) != 0)
		return;
	if (folder && folder->ino != status.st_ino) {
		folders_remove(groups, folder);
		folder = NULL;
	}
	if (!folder)
		folder = folders_note(groups, &status, owner);
	groups->unwatched += !folder || (!folder->is_container && folder->watch < 0);
	if (!folder)
		return;
	folder->audit = groups->audit;
	if (!folder->is_container)
		look_below(groups, fd, folder->owner, depth, is_new);
	else if (!folder->is_taken && (is_new || has_tasks(fd, EMPTY_DEPTH_MAX)))
		offer(groups, folder, fd, owner);
}

/* The folder of groups->path, in one of which `owner` can make groups. */
static void look_at(struct container_groups *groups, uint32_t owner, int depth, bool is_new)
{
	char whole[2 * PATH_MAX];
	int fd;

	snprintf(whole, sizeof(whole), "%s%s", groups->root, groups->path);
	fd = open(whole, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	look_at_open(groups, fd, owner, depth, is_new);
	close(fd);
}

static void look_at_all(struct container_groups *groups)
{
	groups->audit++;
	groups->unwatched = 0;
	groups->path[0] = '\0';
	look_at(groups, STATE_OWNER_ROOT, 0, false);
	for (size_t i = groups->count; i-- > 0;)
		if (groups->list[i].audit != groups->audit)
			folders_remove(groups, &groups->list[i]);
}

static struct folder *folders_of_watch(const struct container_groups *groups, int watch)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->list[i].watch == watch)
			return &groups->list[i];
	return NULL;
}

static int depth_of(const char *path)
{
	int depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

static void take_note(struct container_groups *groups, const struct inotify_event *note)
{
	const struct folder *above = folders_of_watch(groups, note->wd);
	struct folder *folder;

	if (!above || !(note->mask & IN_ISDIR) || !note->len ||
	    snprintf(groups->path, sizeof(groups->path), "%s/%s", above->path, note->name) >=
		    (int)sizeof(groups->path))
		return;
	if (note->mask & IN_CREATE) {
		look_at(groups, above->owner, depth_of(groups->path), true);
		return;
	}
	folder = folders_find(groups, groups->path);
	if (folder)
		folders_remove(groups, folder);
}

/* So many at a time that whoever makes and removes groups all the time keeps nobody here. */
static void take_notes(struct container_groups *groups, uint64_t now_ns)
{
	char bytes[NOTES_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(groups->notify, bytes, sizeof(bytes));
	ssize_t at = 0;

	while (at < n) {
		const struct inotify_event *note = (const struct inotify_event *)(bytes + at);

		if (note->mask & IN_Q_OVERFLOW)
			groups->audit_ns = now_ns;
		else if (note->mask & (IN_CREATE | IN_DELETE))
			take_note(groups, note);
		at += (ssize_t)(sizeof(*note) + note->len);
	}
}

void container_groups_step(struct container_groups *groups, uint64_t now_ns)
{
	take_notes(groups, now_ns);
	if (now_ns < groups->audit_ns)
		return;
	look_at_all(groups);
	groups->audit_ns = now_ns + AUDIT_NS;
}

static bool find_root(const char *host_root, char root[PATH_MAX])
{
	char procs[PATH_MAX + 32];

	for (const char *const *at = perf_target_hierarchies; *at; at++) {
		snprintf(root, PATH_MAX, "%s%s", host_root ? host_root : "", *at);
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", root);
		if (access(procs, F_OK) == 0)
			return true;
	}
	return false;
}

int container_groups_open(const char *host_root, const struct container_groups_listener *listener,
			  struct container_groups **groups, struct error *err)
{
	struct container_groups *made = calloc(1, sizeof(*made));

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->listener = *listener;
	made->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (made->notify < 0) {
		int r = error_set(err, -errno,
				  "watching control groups: %s; raise "
				  "fs.inotify.max_user_instances",
				  strerror(errno));

		free(made);
		return r;
	}
	if (find_root(host_root, made->root)) {
		*groups = made;
		return 0;
	}
	container_groups_close(made);
	return error_set(err, -ENOENT,
			 "no hierarchy of control groups that perf events can follow is mounted "
			 "below %s/sys/fs/cgroup: version 2, or perf_event of version 1",
			 host_root ? host_root : "");
}

void container_groups_close(struct container_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->count; i++)
		free(groups->list[i].path);
	free(groups->list);
	close(groups->notify);
	free(groups);
}

const char *container_groups_root(const struct container_groups *groups)
{
	return groups->root;
}

int container_groups_fd(const struct container_groups *groups)
{
	return groups->notify;
}

uint64_t container_groups_unwatched(const struct container_groups *groups)
{
	return groups->unwatched;
}
