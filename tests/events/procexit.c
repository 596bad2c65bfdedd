/* SPDX-License-Identifier: MIT */
/* procexit: how a thread ended, as seen by its parent, and who inherits its children. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "harness/fixture.h"
#include "harness/gate.h"
#include "harness/live.h"
#include "harness/process.h"

static void expect_end(pid_t tid, int status, int64_t reaper)
{
	const struct event *ev = live_next_of(EVENT_procexit, tid);

	expect_i64(ev, procexit__status, status);
	expect_i64(ev, procexit__ret, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	expect_i64(ev, procexit__sig, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	expect_i64(ev, procexit__core, WCOREDUMP(status) ? 1 : 0);
	expect_i64(ev, procexit__reaper_tid, reaper);
}

static int exit_with(void *code)
{
	return *(int *)code;
}

static int die_by(void *signal)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	setrlimit(RLIMIT_CORE, &limit);
	kill(getpid(), *(int *)signal);
	return 0;
}

static void check_status(void)
{
	static const int codes[] = {0, 1, 77, 255};
	const int signals[] = {SIGKILL, SIGTERM, SIGABRT, SIGSEGV, SIGRTMAX};
	pid_t pid;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		pid = fixture_child(exit_with, (void *)&codes[i]);
		expect_end(pid, fixture_wait(pid), 0);
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int status;

		pid = fixture_child(die_by, (void *)&signals[i]);
		status = fixture_wait(pid);
		require(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		expect_end(pid, status, 0);
	}
}

struct family {
	struct gate gate;
	int is_subreaper;     /* the test itself is */
	volatile pid_t *left; /* shared: who is left behind */
};

/* Leaves a child that waits at the gate. */
static int leave_child(void *arg)
{
	struct family *family = arg;
	pid_t child = fork();

	if (child == 0) {
		gate_wait(&family->gate);
		_exit(0);
	}
	*family->left = child;
	return 3;
}

/* The new parent that the kernel chose. */
static int64_t parent_of(pid_t pid)
{
	struct process process;

	process_read(pid, pid, &process);
	return process.ptid;
}

/* Returns who inherits. */
static int64_t check_orphan(struct family *family)
{
	pid_t pid = fixture_child(leave_child, family);
	int status = fixture_wait(pid);
	int64_t reaper;

	gate_expect(&family->gate, 1);
	reaper = parent_of(*family->left);
	expect_true(!family->is_subreaper || reaper == getpid());
	expect_end(pid, status, reaper);
	gate_open(&family->gate, 1);
	if (family->is_subreaper)
		require(fixture_wait(*family->left) == 0);
	return reaper;
}

struct group {
	struct gate gate;
	pid_t thread;
};

static void *stay(void *arg)
{
	struct group *group = arg;

	__atomic_store_n(&group->thread, gettid(), __ATOMIC_RELEASE);
	gate_wait(&group->gate);
	_exit(5);
}

/* The main thread ends, and its child falls to the other one. */
static int end_main_thread(void *arg)
{
	struct group *group = arg;
	pid_t child = fork();
	pthread_t id;

	if (child == 0) {
		gate_wait(&group->gate);
		_exit(0);
	}
	if (pthread_create(&id, NULL, stay, group))
		return 1;
	while (!__atomic_load_n(&group->thread, __ATOMIC_ACQUIRE))
		sched_yield();
	CALL(SYS_exit, 9);
	return 0;
}

static void check_threads(int64_t reaper)
{
	struct group *group = fixture_shared(sizeof(*group));
	struct process process;
	pid_t pid;

	gate_init(&group->gate);
	pid = fixture_child(end_main_thread, group);
	gate_expect(&group->gate, 2);
	do
		process_read(pid, pid, &process);
	while (process.state != 'Z');
	expect_end(pid, 9 << 8, group->thread);
	gate_open(&group->gate, 2);
	require(fixture_wait(pid) == 5 << 8);
	expect_end(group->thread, 5 << 8, reaper);
	gate_finish(&group->gate);
}

/* The first process of a pid namespace: its grandchild is reparented to it. */
static int lead_namespace(void *arg)
{
	struct family *family = arg;
	pid_t child = fork();

	if (child == 0) {
		gate_wait(&family->gate);
		_exit(leave_child(family));
	}
	fixture_wait(child);
	gate_wait(&family->gate);
	return 6;
}

static void check_namespace(struct family *family)
{
	pid_t child, pid = (pid_t)CALL(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0);

	if (pid == 0)
		_exit(lead_namespace(family));
	require(pid > 0);
	gate_expect(&family->gate, 1);
	child = process_child(pid);
	gate_open(&family->gate, 1);
	gate_expect(&family->gate, 2);
	expect_end(child, 3 << 8, pid);
	gate_open(&family->gate, 2);
	require(fixture_wait(pid) == 6 << 8);
	expect_end(pid, 6 << 8, 0);
}

LIVE_TEST(procexit)
{
	struct family family = {.left = fixture_shared(sizeof(pid_t))};
	int64_t reaper;

	check_status();
	gate_init(&family.gate);
	reaper = check_orphan(&family);
	check_threads(reaper);
	check_namespace(&family);
	require(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
	family.is_subreaper = 1;
	check_orphan(&family);
	require(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) == 0);
	gate_finish(&family.gate);
}
