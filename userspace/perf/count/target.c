/* SPDX-License-Identifier: MIT */
/* Finds the threads of processes, CPUs that are online, and control groups. */
#include "perf/count/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void perf_target_init(struct perf_target *target)
{
	*target = (struct perf_target){.cgroup = -1};
}

void perf_target_finish(struct perf_target *target)
{
	if (target->cgroup >= 0)
		close(target->cgroup);
	free(target->tids);
	arena_finish(&target->arena);
	perf_target_init(target);
}

static bool has_thread(const struct perf_target *target, pid_t tid)
{
	for (size_t i = 0; i < target->tids_count; i++)
		if (target->tids[i] == tid)
			return true;
	return false;
}

int perf_target_add_thread(struct perf_target *target, pid_t tid)
{
	pid_t *tids;

	if (has_thread(target, tid))
		return 0;
	tids = reallocarray(target->tids, target->tids_count + 1, sizeof(*tids));
	if (!tids)
		return -ENOMEM;
	target->tids = tids;
	tids[target->tids_count++] = tid;
	return 0;
}

int perf_target_add_process(struct perf_target *target, pid_t pid, struct error *err)
{
	char path[64];
	struct dirent *entry;
	DIR *folder;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return error_set(err, -ESRCH, "no process %d", (int)pid);
	while (r == 0 && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			r = perf_target_add_thread(target, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(folder);
	return r ? error_set(err, r, "out of memory") : 0;
}

int perf_target_set_cpus(struct perf_target *target, const char *list, struct error *err)
{
	char text[PERF_CPUS_TEXT_BYTES];
	int r = list ? 0 : perf_cpus_online(text);

	if (r)
		return error_set(err, r, "cannot read " PERF_CPUS_ONLINE ": %s", strerror(-r));
	r = perf_cpus_read(list ? list : text, &target->arena, &target->cpus);
	if (r)
		return error_set(err, r, "%s: no list of CPUs, as 0-3,8",
				 list ? list : PERF_CPUS_ONLINE);
	target->packages =
		perf_cpus_packages(&target->cpus, "/sys/devices/system/cpu", &target->arena);
	return target->packages ? 0 : error_set(err, -ENOMEM, "out of memory");
}

/* That of the controller, if there is one, is the only one that events can follow. */
const char *const perf_target_hierarchies[] = {"/sys/fs/cgroup/perf_event", "/sys/fs/cgroup",
					       "/sys/fs/cgroup/unified", NULL};

int perf_target_set_cgroup(struct perf_target *target, const char *name, struct error *err)
{
	char path[4096];
	int fd = -1;

	for (const char *const *root = perf_target_hierarchies; *root && fd < 0; root++) {
		if (snprintf(path, sizeof(path), "%s/%s", *root, name) < (int)sizeof(path))
			fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && faccessat(fd, "cgroup.procs", F_OK, 0) != 0) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0 && name[0] == '/')
		fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -ENOENT, "no control group %s below /sys/fs/cgroup", name);
	target->cgroup = fd;
	return 0;
}
