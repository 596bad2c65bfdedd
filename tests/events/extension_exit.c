/* SPDX-License-Identifier: MIT */
/* The calls that end a thread or a process; what a signal ends has called neither. */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "harness/calls.h"

/* Kernels before 5.15 do not say what an ending task had called. */
static bool kernel_reports(void)
{
	struct utsname names;
	int major, minor;

	require(uname(&names) == 0 && sscanf(names.release, "%d.%d", &major, &minor) == 2);
	return major > 5 || (major == 5 && minor >= 15);
}

struct ending {
	long number, status;
};

static int end(void *arg)
{
	const struct ending *ending = arg;

	CALL(ending->number, ending->status);
	return 0;
}

static void check(unsigned int event, unsigned int other, long number, long status)
{
	pid_t child = fixture_child(end, &(struct ending){number, status});

	require(fixture_wait(child) == (status & 0xff) << 8);
	if (kernel_reports())
		expect_values(live_next_of(event, child), status);
	expect_no_event(event, child);
	expect_no_event(other, child);
}

LIVE_TEST(exit)
{
	check(EVENT_exit, EVENT_exit_group, SYS_exit, 0);
	check(EVENT_exit, EVENT_exit_group, SYS_exit, 7);
	check(EVENT_exit, EVENT_exit_group, SYS_exit, -1);
	check(EVENT_exit, EVENT_exit_group, SYS_exit, 0x100000203);
}

static int be_killed(void *arg)
{
	raise(SIGKILL);
	return 0;
}

static int stop_and_end(void *arg)
{
	(void)arg;
	CALL(SYS_ptrace, PTRACE_TRACEME);
	raise(SIGSTOP);
	CALL(SYS_exit_group, 9);
	return 0;
}

/*
 * The kernel skips the call: it comes back to where a call would, and the task ends by the signal.
 */
static void kill_at_enter(pid_t child)
{
	int status;

	require(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	require(CALL(SYS_ptrace, PTRACE_SYSCALL, child, 0, 0) == 0);
	require(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	require(kill(child, SIGKILL) == 0);
	require(fixture_wait(child) == SIGKILL);
}

LIVE_TEST(exit_group)
{
	pid_t child = fixture_child(be_killed, NULL);

	require(fixture_wait(child) == SIGKILL);
	expect_no_event(EVENT_exit_group, child);
	child = fixture_child(stop_and_end, NULL);
	kill_at_enter(child);
#ifdef __x86_64__ /* others forget the number of a call that they skip */
	expect_values(live_next_of(EVENT_exit_group, child), 9);
#endif
	expect_no_event(EVENT_exit_group, child);
	check(EVENT_exit_group, EVENT_exit, SYS_exit_group, 0);
	check(EVENT_exit_group, EVENT_exit, SYS_exit_group, 0x7fffffff);
	check(EVENT_exit_group, EVENT_exit, SYS_exit_group, -5);
}
