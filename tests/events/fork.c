/* SPDX-License-Identifier: MIT */
/* fork: both sides, pid namespaces, and control groups deeper than events show. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/process.h"
#include "harness/spawning.h"

enum { DEPTH = 20 };

static long call(uint64_t native_flags)
{
	return CALL(SYS_fork);
}

static void write_file(const char *directory, const char *name, const char *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	require(write(fd, text, strlen(text)) > 0);
	close(fd);
}

/* Where control groups for processors are made: in a hierarchy of their own, or the common one. */
static const char *cgroup_root(void)
{
	return access("/sys/fs/cgroup/cpu/cgroup.procs", W_OK) == 0 ? "/sys/fs/cgroup/cpu" :
								      "/sys/fs/cgroup";
}

/* Moves the child into the innermost of nested groups, where it makes a child of its own. */
static int fork_in_group(void *arg)
{
	long pid;

	write_file(arg, "cgroup.procs", "0");
	pid = CALL(SYS_fork);
	if (pid == 0)
		_exit(0);
	return pid < 0 ? 1 : fixture_wait((pid_t)pid);
}

static void check_group(const struct gate *gate, char *path)
{
	static const char inner[] = "cpu=/g5/g6/g7/g8/g9/g10/g11/g12/g13/g14/g15/"
				    "g16/g17/g18/g19/g20";
	struct process process;
	const struct event *ev;
	pid_t pid = (pid_t)CALL(SYS_fork);

	if (pid == 0) {
		int status = fork_in_group(path);

		gate_wait(gate);
		_exit(status);
	}
	gate_expect(gate, 1);
	process_read(pid, pid, &process);
	live_skip_to(EVENT_fork, pid, fork__res, 0);
	ev = live_next_of(EVENT_fork, pid);
	expect_true(memmem(process.cgroups, process.cgroups_len, inner, sizeof(inner)) != NULL);
	process_expect_args(ev, &process);
	process_expect(ev, NULL, &process);
	process_expect_clone(ev, event_param_i64(ev, fork__res), 0, &process);
	expect_true(event_param_i64(ev, fork__res) > 0);
	expect_i64(ev, fork__pidns_init_start_ts, 0);
	gate_open(gate, 1);
	require(fixture_wait(pid) == 0);
}

/* Only the innermost parts of a long path are shown. */
static void check_deep_group(void)
{
	char path[256], *end = path;
	struct gate gate;

	gate_init(&gate);
	end += snprintf(path, sizeof(path), "%s", cgroup_root());
	for (int i = 1; i <= DEPTH; i++) {
		write_file(path, "cgroup.subtree_control", "+cpu");
		end += sprintf(end, "/g%d", i);
		require(mkdir(path, 0755) == 0);
	}
	check_group(&gate, path);
	for (int i = 1; i <= DEPTH; i++) {
		expect_true(rmdir(path) == 0);
		*strrchr(path, '/') = '\0';
	}
	gate_finish(&gate);
}

LIVE_TEST(fork)
{
	const struct spawning spawning = {EVENT_fork, call};

	spawning_check(&spawning, 0, 0);
	spawning_check_namespaces(&spawning);
	check_deep_group();
}
