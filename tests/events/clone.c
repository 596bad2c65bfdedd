/* SPDX-License-Identifier: MIT */
/* clone: both sides of new processes and threads, pid namespaces, every flag. */
#include <signal.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/spawning.h"

enum { STACK_BYTES = 65536 };

/*
 * Like fork but for the flags: the child goes on with a copy of the stack. Whether the child's tid
 * is the last argument or the one before depends on the architecture.
 */
static long call(uint64_t native_flags)
{
	static int tid;

	return CALL(SYS_clone, native_flags | SIGCHLD, NULL, &tid, &tid, &tid);
}

/* The thread shares the memory of its creator, so that it must do no more than this. */
static int wait_as_thread(void *gate)
{
	gate_wait(gate);
	CALL(SYS_exit, 0);
	return 0;
}

static void check_thread(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));
	struct gate gate;
	int tid;

	gate_init(&gate);
	tid = clone(wait_as_thread, stack + STACK_BYTES, THREAD_FLAGS, &gate);
	spawning_expect_thread(EVENT_clone, &gate, tid, THREAD_FLAGS_STORED);
	while (syscall(SYS_tkill, tid, 0) == 0)
		sched_yield();
	gate_finish(&gate);
}

LIVE_TEST(clone)
{
	const struct spawning spawning = {EVENT_clone, call};

	spawning_check_flags(&spawning);
	spawning_check(&spawning, 0, 0);
	spawning_check(&spawning, CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_FILES,
		       clone_flags__CLONE_CHILD_SETTID | clone_flags__CLONE_CHILD_CLEARTID |
			       clone_flags__CLONE_FILES);
	spawning_check(&spawning, CLONE_NEWPID | CLONE_NEWUTS | CLONE_IO,
		       clone_flags__CLONE_NEWPID | clone_flags__CLONE_NEWUTS |
			       clone_flags__CLONE_IO);
	spawning_check_namespaces(&spawning);
	check_thread();
}
