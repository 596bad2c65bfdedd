/* SPDX-License-Identifier: MIT */
/*
 * The control groups of a thread, in the form of events. Called by proc/thread.c, and for the
 * groups of a process alone.
 */
#include "scap/proc/impl.h"

#include <errno.h>

#include "scap/proc/cgroup_names.h"
#include "scap/proc/text.h"

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
static struct proc_text find_root(const struct buf *roots, const char *name)
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
		append_path(&proc->cgroups, find_root(&proc->cgroup_roots, subsystem->name), path);
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
