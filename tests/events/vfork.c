/* SPDX-License-Identifier: MIT */
/* vfork: both sides; the child runs in the caller's memory while that waits. */
#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/process.h"

/*
 * vfork with the garbage of CALL. The child overwrites the stack of the caller, so the address to
 * return to waits in a register.
 */
__attribute__((returns_twice)) pid_t vfork_as_call(void);
#ifdef __x86_64__
_Static_assert((SYS_vfork | GARBAGE_ABOVE_NUMBER) == 0x777700010000003a, "below as a text");
asm("vfork_as_call:\n\t"
    "pop %rdi\n\t"
    "movabs $0x777700010000003a, %rax\n\t"
    "syscall\n\t"
    "push %rdi\n\t"
    "ret");
#else
#define vfork_as_call vfork
#endif

LIVE_TEST(vfork)
{
	/* Not on the stack, which the child uses too. */
	static struct process before, child, parent, init;
	const struct event *ev;
	pid_t pid;

	process_read(getpid(), getpid(), &before);
	process_read(1, 1, &init);
	pid = vfork_as_call();
	if (pid == 0) {
		process_read(getpid(), getpid(), &child);
		_exit(0);
	}
	process_read(getpid(), getpid(), &parent);
	require(pid > 0 && fixture_wait(pid) == 0);

	ev = live_next_of(EVENT_vfork, pid);
	process_expect_args(ev, &child);
	process_expect(ev, NULL, &child);
	process_expect_clone(ev, 0, 0, &child);
	process_expect_pidns_start(ev, &init);

	ev = live_next(EVENT_vfork);
	process_expect_args(ev, &parent);
	process_expect(ev, &before, &parent);
	process_expect_clone(ev, pid, 0, &parent);
	expect_i64(ev, vfork__pidns_init_start_ts, 0);
}
