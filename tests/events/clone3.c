/* SPDX-License-Identifier: MIT */
/* clone3: both sides of new processes and threads, every flag, structs that cannot be read. */
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>

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
#ifdef __x86_64__
	check_thread();
#endif
}
