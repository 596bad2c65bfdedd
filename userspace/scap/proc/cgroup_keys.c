/* SPDX-License-Identifier: MIT */
/*
 * The control groups of a thread, in the form of events; keys of sets of groups, as the programs in
 * the kernel make them.
 */
#include "scap/proc/cgroup_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "scap/proc/impl.h"
#include "scap/proc/text.h"

/* The inode of the folder where a hierarchy begins; mounts of a part of it begin elsewhere. */
enum { ROOT_INO = 1 };

struct hierarchy {
	int dir; /* where it begins; -1: it is not needed, or not found */
	dev_t device;
	unsigned int subsystem; /* one of it */
};

struct scap_cgroup_keys {
	/* Of subsystems that have one of their own; several can have the same. */
	struct hierarchy own[CGROUPS];
	struct hierarchy unified; /* of the others */
	uint32_t hierarchies;
};

/* Whether a mount has the hierarchy of a subsystem. */
static bool cgroup_keys_is_of(const struct mntent *mount, unsigned int subsystem)
{
	return strcmp(mount->mnt_type, "cgroup") == 0 &&
	       hasmntopt(mount, scap_cgroup_names[subsystem].controller);
}

/* Opens the folder of a mount if the whole hierarchy is there. */
static void open_whole(const char *prefix, const char *folder, struct hierarchy *hierarchy)
{
	char path[PATH_MAX];
	struct stat root;
	int dir;

	if (hierarchy->dir >= 0 ||
	    snprintf(path, sizeof(path), "%s%s", prefix, folder) >= (int)sizeof(path))
		return;
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && fstat(dir, &root) == 0 && root.st_ino == ROOT_INO) {
		hierarchy->dir = dir;
		hierarchy->device = root.st_dev;
	} else if (dir >= 0) {
		close(dir);
	}
}

static void find_mounts(FILE *mounts, const char *root, struct scap_cgroup_keys *keys)
{
	char text[PATH_MAX + 256];
	struct mntent mount;

	while (getmntent_r(mounts, &mount, text, sizeof(text))) {
		if (strcmp(mount.mnt_type, "cgroup2") == 0)
			open_whole(root, mount.mnt_dir, &keys->unified);
		for (unsigned int i = 0; i < CGROUPS; i++)
			if (cgroup_keys_is_of(&mount, i))
				open_whole(root, mount.mnt_dir, &keys->own[i]);
	}
}

/* Whether a subsystem before this one has the same hierarchy. */
static bool is_shared(const struct scap_cgroup_keys *keys, unsigned int subsystem)
{
	for (unsigned int i = 0; i < subsystem; i++)
		if (keys->own[i].dir >= 0 && keys->own[i].device == keys->own[subsystem].device)
			return true;
	return false;
}

/* One subsystem for each hierarchy. Returns 0, or -ENOENT if one has none. */
static int cgroup_keys_choose(struct scap_cgroup_keys *keys)
{
	for (unsigned int i = CGROUPS; i-- > 0;) {
		struct hierarchy *own = &keys->own[i];

		own->subsystem = i;
		if (own->dir < 0) {
			if (keys->unified.dir < 0)
				return -ENOENT;
			keys->unified.subsystem = i;
			keys->hierarchies |= 1u << CGROUPS;
		} else if (!is_shared(keys, i)) {
			keys->hierarchies |= 1u << i;
		}
	}
	return 0;
}

int scap_cgroup_keys_create(const char *mounts, const char *root, struct scap_cgroup_keys **keys)
{
	struct scap_cgroup_keys *made;
	FILE *file = setmntent(mounts, "re");
	int r;

	if (!file)
		return -errno;
	made = calloc(1, sizeof(*made));
	if (!made) {
		endmntent(file);
		return -ENOMEM;
	}
	made->unified.dir = -1;
	for (unsigned int i = 0; i < CGROUPS; i++)
		made->own[i].dir = -1;
	find_mounts(file, root, made);
	endmntent(file);
	r = cgroup_keys_choose(made);
	if (r)
		scap_cgroup_keys_destroy(made);
	else
		*keys = made;
	return r;
}

static void close_dir(const struct hierarchy *hierarchy)
{
	if (hierarchy->dir >= 0)
		close(hierarchy->dir);
}

void scap_cgroup_keys_destroy(struct scap_cgroup_keys *keys)
{
	if (!keys)
		return;
	for (unsigned int i = 0; i < CGROUPS; i++)
		close_dir(&keys->own[i]);
	close_dir(&keys->unified);
	free(keys);
}

uint32_t scap_cgroup_keys_hierarchies(const struct scap_cgroup_keys *keys)
{
	return keys->hierarchies;
}

/* The path of a subsystem, with its slash; NULL: it is missing. */
static const char *find_path(const char *text, size_t len, unsigned int subsystem)
{
	const char *name = scap_cgroup_names[subsystem].name;
	size_t name_len = strlen(name), n;

	for (size_t at = 0; at < len; at += n + 1) {
		n = strnlen(text + at, len - at);
		if (n == len - at)
			return NULL;
		if (n > name_len + 1 && memcmp(text + at, name, name_len) == 0 &&
		    text[at + name_len] == '=' && text[at + name_len + 1] == '/')
			return text + at + name_len + 1;
	}
	return NULL;
}

/* Adds the group in one hierarchy. Returns 0, -ENOENT or another -errno. */
static int add_group(const struct hierarchy *hierarchy, const char *text, size_t len, uint64_t *key)
{
	const char *path = find_path(text, len, hierarchy->subsystem);
	struct stat group;

	if (!path)
		return -ENOENT;
	/* Relative to the folder; the root has an empty path. */
	if (fstatat(hierarchy->dir, path + 1, &group, AT_EMPTY_PATH))
		return errno == ENOTDIR ? -ENOENT : -errno;
	if (group.st_dev != hierarchy->device)
		return -ENOENT;
	*key = cgroup_key_add(*key, group.st_ino);
	return 0;
}

int scap_cgroup_keys_make(const struct scap_cgroup_keys *keys, const char *text, size_t len,
			  uint64_t *key)
{
	int r = 0;

	*key = 0;
	for (unsigned int i = 0; i <= CGROUPS && r == 0; i++)
		if (keys->hierarchies & 1u << i)
			r = add_group(i < CGROUPS ? &keys->own[i] : &keys->unified, text, len, key);
	return r;
}

/* The hierarchy of a subsystem; `path` becomes what follows "name=". NULL: it is none of these. */
static const struct hierarchy *find_hierarchy(const struct scap_cgroup_keys *keys,
					      const char *group, size_t len, const char **path)
{
	const char *equals = memchr(group, '=', len);
	size_t name_len = equals ? (size_t)(equals - group) : 0;

	for (unsigned int i = 0; equals && i < CGROUPS; i++) {
		const char *name = scap_cgroup_names[i].name;

		if (strlen(name) != name_len || memcmp(name, group, name_len) != 0)
			continue;
		*path = equals + 1;
		return keys->own[i].dir >= 0 ? &keys->own[i] : &keys->unified;
	}
	return NULL;
}

/* Adds the next component of a path to `above`. Returns false at the end. */
static bool add_component(char above[PATH_MAX], const char **path, const char *end)
{
	size_t len = strlen(above), n;
	const char *slash;

	while (*path != end && **path == '/')
		++*path;
	slash = memchr(*path, '/', (size_t)(end - *path));
	n = (size_t)((slash ? slash : end) - *path);
	if (n == 0)
		return false;
	snprintf(above + len, PATH_MAX - len, "%s%.*s", len ? "/" : "", (int)n, *path);
	*path += n;
	return true;
}

static bool is_of_root_alone(const struct stat *folder)
{
	bool by_group = (folder->st_mode & S_IWGRP) && folder->st_gid != 0;

	return folder->st_uid == 0 && !by_group && !(folder->st_mode & S_IWOTH);
}

int scap_cgroup_keys_owner(const struct scap_cgroup_keys *keys, const char *group, size_t len,
			   uint32_t *owner)
{
	const char *path, *end = group + len;
	const struct hierarchy *hierarchy = find_hierarchy(keys, group, len, &path);
	char above[PATH_MAX] = "";
	struct stat folder;

	if (!hierarchy || end - path >= PATH_MAX)
		return -ENOENT;
	do {
		if (fstatat(hierarchy->dir, above, &folder, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
			return errno == ENOTDIR ? -ENOENT : -errno;
		if (folder.st_dev != hierarchy->device)
			return -ENOENT;
		if (!is_of_root_alone(&folder)) {
			*owner = folder.st_uid ? folder.st_uid : SCAP_CGROUP_ANYBODY;
			return 0;
		}
	} while (add_component(above, &path, end));
	*owner = 0;
	return 0;
}

/*
 * The control groups of a thread, in the form of events. Called by proc/thread.c, and for the
 * groups of a process alone.
 */

enum { CGROUP_BYTES_MAX = 1 << 16 };

/* Whether a list such as "cpu,cpuacct" contains a name. */
static bool list_has(struct proc_text list, const char *name)
{
	while (list.at != list.end) {
		struct proc_text rest = list;

		if (proc_text_prefix(&rest, name) && (rest.at == rest.end || *rest.at == ','))
			return true;
		while (list.at != list.end && *list.at++ != ',')
			;
	}
	return false;
}

/* Splits "4:memory:/path" into its controllers and its path. */
static bool split_cgroup_line(struct proc_text line, struct proc_text *controllers,
			      struct proc_text *path)
{
	uint64_t hierarchy;
	const char *colon;

	if (!proc_text_u64(&line, 10, &hierarchy) || !proc_text_prefix(&line, ":"))
		return false;
	colon = memchr(line.at, ':', (size_t)(line.end - line.at));
	if (!colon)
		return false;
	*controllers = (struct proc_text){line.at, colon};
	*path = (struct proc_text){colon + 1, line.end};
	return true;
}

/* The path of a subsystem in its own hierarchy, else in the unified one. */
static bool find_cgroup(struct proc_text text, const char *controller, struct proc_text *path)
{
	struct proc_text line, controllers, at;
	bool found = false;

	while (proc_text_line(&text, &line)) {
		if (!split_cgroup_line(line, &controllers, &at))
			continue;
		if (controllers.at == controllers.end) {
			*path = at;
			found = true;
		} else if (list_has(controllers, controller)) {
			*path = at;
			return true;
		}
	}
	return found;
}

const struct scap_cgroup_name scap_cgroup_names[CGROUPS] = {
	[CGROUP_CPUSET] = {"cpuset", "cpuset"},	   [CGROUP_CPU] = {"cpu", "cpu"},
	[CGROUP_CPUACCT] = {"cpuacct", "cpuacct"}, [CGROUP_IO] = {"io", "blkio"},
	[CGROUP_MEMORY] = {"memory", "memory"},
};

/* The path of a subsystem in the groups where this process's namespace begins; "" if unknown. */
static struct proc_text cgroup_keys_find_root(const struct buf *roots, const char *name)
{
	for (size_t at = 0; at < roots->len; at += strlen(roots->data + at) + 1) {
		struct proc_text root = {roots->data + at,
					 roots->data + at + strlen(roots->data + at)};

		if (proc_text_prefix(&root, name) && proc_text_prefix(&root, "="))
			return root;
	}
	return (struct proc_text){NULL, NULL};
}

/* Whether the path begins with the component "..", which is removed. */
static bool take_parent(struct proc_text *path)
{
	struct proc_text rest = *path;

	if (!proc_text_prefix(&rest, "/..") || (rest.at != rest.end && *rest.at != '/'))
		return false;
	*path = rest;
	return true;
}

/*
 * Appends a path that the kernel shows relative to a root: "/../other" of "/pods/own" is
 * "/pods/other".
 */
static void append_path(struct buf *to, struct proc_text root, struct proc_text path)
{
	if (root.end - root.at == 1) /* "/" */
		root.end = root.at;
	while (take_parent(&path))
		while (root.at != root.end && *--root.end != '/')
			;
	if (path.end - path.at == 1 && root.at != root.end)
		path.at = path.end;
	buf_append(to, root.at, (size_t)(root.end - root.at));
	if (path.at == path.end && root.at == root.end)
		buf_append_char(to, '/');
	buf_append(to, path.at, (size_t)(path.end - path.at));
}

int proc_cgroups_read(struct scap_proc *proc, int task_dir)
{
	int r = proc_read_file(task_dir, "cgroup", CGROUP_BYTES_MAX, &proc->text);

	buf_clear(&proc->cgroups);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (unsigned int i = 0; i < CGROUPS; i++) {
		const struct scap_cgroup_name *subsystem = &scap_cgroup_names[i];
		struct proc_text path;

		if (!find_cgroup(proc_text_of(&proc->text), subsystem->controller, &path))
			continue;
		buf_append_string(&proc->cgroups, subsystem->name);
		buf_append_char(&proc->cgroups, '=');
		append_path(&proc->cgroups,
			    cgroup_keys_find_root(&proc->cgroup_roots, subsystem->name), path);
		buf_append_char(&proc->cgroups, '\0');
	}
	return proc->cgroups.failed ? -ENOMEM : 0;
}

int scap_proc_set_cgroup_roots(struct scap_proc *proc, const struct buf *roots)
{
	buf_clear(&proc->cgroup_roots);
	buf_append(&proc->cgroup_roots, roots->data, roots->len);
	buf_append_char(&proc->cgroup_roots, '\0'); /* whatever the text ends in */
	return proc->cgroup_roots.failed ? -ENOMEM : 0;
}

int scap_proc_cgroups(struct scap_proc *proc, int process, const struct buf **cgroups)
{
	int r = proc_cgroups_read(proc, process);

	if (r == 0)
		*cgroups = &proc->cgroups;
	return r;
}
