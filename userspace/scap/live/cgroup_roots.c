/* SPDX-License-Identifier: MIT */
/* Runs the programs that read the ids of the groups in which this process and its namespace are. */
#include "scap/live/cgroup_roots.h"

#include <errno.h>
#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lanner.skel.h"

/* Of the initial cgroup namespace, in include/linux/proc_ns.h. */
#define PROC_CGROUP_INIT_INO 0xEFFFFFFBU

bool live_cgroup_roots_differ(void)
{
	struct stat own;

	/* A kernel without these namespaces has no such file. */
	return stat("/proc/self/ns/cgroup", &own) == 0 && own.st_ino != PROC_CGROUP_INIT_INO;
}

/* Returns what the program does, the bytes that it left, or -errno. */
static int run_program(const struct bpf_program *program)
{
	uint64_t context = 0;
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &context, .ctx_size_in = sizeof(context));
	int fd = bpf_program__fd(program), r;

	if (fd < 0)
		return -EOPNOTSUPP;
	r = bpf_prog_test_run_opts(fd, &run);
	if (r < 0)
		return r;
	/* Of a kernel that has no control groups to read there are none. */
	return run.retval == 0 || run.retval > WORK_BYTES ? -ENODATA : (int)run.retval;
}

int live_cgroup_roots_run(const struct live_object *object)
{
	return live_cgroup_roots_differ() ? run_program(object->skeleton->progs.cgroup_roots) : 0;
}

int live_own_groups_run(const struct live_object *object)
{
	return object->wants_own_groups ? run_program(object->skeleton->progs.own_groups) : 0;
}
