/* SPDX-License-Identifier: MIT */
/* setns: a namespace that is joined, wrong kinds and descriptors, every kind as events have it. */
#include <fcntl.h>
#include <sched.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { NEW_TIME = 0x80 }; /* a kind that events do not have */

static const struct attempt {
	bool on_namespace; /* that of the caller's host name */
	long fd, native;
	uint32_t stored;
	long ret;
} attempts[] = {
	{true, 0, CLONE_NEWUTS, clone_flags__CLONE_NEWUTS, 0},
	{true, 0, 0, 0, 0},
	{true, 0, CLONE_NEWNET, clone_flags__CLONE_NEWNET, -EINVAL},
	{false, NO_FD, CLONE_NEWNS, clone_flags__CLONE_NEWNS, -EBADF},
	{false, -1, CLONE_NEWIPC, clone_flags__CLONE_NEWIPC, -EBADF},
	{false, 0xfffffffeL, CLONE_NEWPID, clone_flags__CLONE_NEWPID, -EBADF},
	{false, NO_FD, CLONE_NEWUSER, clone_flags__CLONE_NEWUSER, -EBADF},
	{false, NO_FD, CLONE_NEWCGROUP, clone_flags__CLONE_NEWCGROUP, -EBADF},
	{false, NO_FD, NEW_TIME, 0, -EBADF},
};

enum { ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

static long fd_of(const struct attempt *attempt, int namespace)
{
	return attempt->on_namespace ? namespace : attempt->fd;
}

static int attempt_all(void *arg)
{
	int *namespace = arg, wrong = 0;

	for (int i = 0; i < ATTEMPTS; i++)
		wrong += CALL(SYS_setns, fd_of(&attempts[i], *namespace), attempts[i].native) !=
			 attempts[i].ret;
	return wrong;
}

LIVE_TEST(setns)
{
	int namespace = open("/proc/self/ns/uts", O_RDONLY);
	pid_t pid;

	require(namespace >= 0);
	pid = fixture_child(attempt_all, &namespace);
	require(fixture_wait(pid) == 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		const struct event *ev = live_next_of(EVENT_setns, pid);

		expect_i64(ev, setns__res, attempts[i].ret);
		expect_i64(ev, setns__fd, (int)fd_of(&attempts[i], namespace));
		expect_i64(ev, setns__nstype, attempts[i].stored);
	}
	close(namespace);
}
