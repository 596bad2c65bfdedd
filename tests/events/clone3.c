/* SPDX-License-Identifier: MIT */
/* clone3: both sides of new processes and threads, every flag, structs that cannot be read. */
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/process.h"
#include "harness/spawning.h"

static long call(uint64_t native_flags)
{
	static int tid;
	struct clone_args args = {
		.flags = native_flags,
		.exit_signal = SIGCHLD,
		.child_tid = (uintptr_t)&tid,
	};

	return CALL(SYS_clone3, &args, sizeof(args));
}

static void check_unreadable(void *args, size_t size, long ret)
{
	struct process before, after;
	const struct event *ev;

	process_read(getpid(), getpid(), &before);
	require(CALL(SYS_clone3, args, size) == ret);
	process_read(getpid(), getpid(), &after);
	ev = live_next(EVENT_clone3);
	expect_absent(ev, clone3__exe);
	expect_absent(ev, clone3__args);
	process_expect(ev, &before, &after);
	process_expect_clone(ev, ret, 0, &after);
	expect_i64(ev, clone3__pidns_init_start_ts, 0);
}

#ifdef __x86_64__
struct thread {
	struct gate gate;
	pid_t tid;
};

static void *wait_as_thread(void *arg)
{
	struct thread *thread = arg;

	thread->tid = gettid();
	gate_wait(&thread->gate);
	return NULL;
}

/*
 * Threads of the C library are made with clone3, on x86_64 since 2.34. Elsewhere that came later.
 */
static void check_thread(void)
{
	struct thread thread = {0};
	pthread_t id;

	gate_init(&thread.gate);
	require(pthread_create(&id, NULL, wait_as_thread, &thread) == 0);
	while (!__atomic_load_n(&thread.tid, __ATOMIC_ACQUIRE))
		sched_yield();
	spawning_expect_thread(EVENT_clone3, &thread.gate, thread.tid,
			       THREAD_FLAGS_STORED | clone_flags__CLONE_SETTLS |
				       clone_flags__CLONE_PARENT_SETTID |
				       clone_flags__CLONE_CHILD_CLEARTID);
	require(pthread_join(id, NULL) == 0);
	gate_finish(&thread.gate);
}
#endif

#define GROUP "/lanner-clone3"

static bool is_in_group(const struct event *ev)
{
	static const char expected[] = "cpu=" GROUP;
	const struct event_param *cgroups = &ev->params[clone3__cgroups];

	return memmem(cgroups->data, cgroups->len, expected, sizeof(expected));
}

/* A child that begins in another control group, which only version 2 can; no controller limits it. */
static void check_into_group(void)
{
	struct clone_args args = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD};
	int directory;
	long pid;

	if (access("/sys/fs/cgroup/cgroup.procs", W_OK))
		return;
	require(mkdir("/sys/fs/cgroup" GROUP, 0755) == 0);
	directory = open("/sys/fs/cgroup" GROUP, O_DIRECTORY | O_CLOEXEC);
	require(directory >= 0);
	args.cgroup = (uint64_t)directory;
	live_skip();
	pid = CALL(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		_exit(0);
	require(pid > 0 && fixture_wait((pid_t)pid) == 0);
	expect_true(is_in_group(
		live_next_whole(CHILD_EVENT_AT_FORK ? EVENT_clone : EVENT_clone3, pid)));
	expect_true(!is_in_group(live_next_whole(EVENT_clone3, getpid())));
	expect_no_event(EVENT_cgroup_attach, getpid());
	close(directory);
	require(rmdir("/sys/fs/cgroup" GROUP) == 0);
}

LIVE_TEST(clone3)
{
	const struct spawning spawning = {EVENT_clone3, call};

	spawning_check_flags(&spawning);
	spawning_check(&spawning, 0, 0);
	spawning_check(&spawning, CLONE_NEWPID | CLONE_CHILD_SETTID,
		       clone_flags__CLONE_NEWPID | clone_flags__CLONE_CHILD_SETTID);
	spawning_check_namespaces(&spawning);
	check_unreadable(NULL, sizeof(struct clone_args), -EFAULT);
	check_unreadable(UNREADABLE, sizeof(struct clone_args), -EFAULT);
	check_into_group();
#ifdef __x86_64__
	check_thread();
#endif
}
