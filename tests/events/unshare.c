/* SPDX-License-Identifier: MIT */
/* unshare: flags as events have them, and one that is rejected. */
#include <sched.h>

#include "harness/fixture.h"
#include "harness/live.h"

static const struct attempt {
	long native;
	uint32_t stored;
	long ret;
} attempts[] = {
	{0, 0, 0},
	{CLONE_FS, clone_flags__CLONE_FS, 0},
	{CLONE_FILES | CLONE_NEWUTS, clone_flags__CLONE_FILES | clone_flags__CLONE_NEWUTS, 0},
	{CLONE_NEWNS, clone_flags__CLONE_NEWNS, 0},
	{CLONE_VFORK, clone_flags__CLONE_VFORK, -EINVAL},
};

enum { ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

static int attempt_all(void *arg)
{
	int wrong = 0;

	for (int i = 0; i < ATTEMPTS; i++)
		wrong += CALL(SYS_unshare, attempts[i].native) != attempts[i].ret;
	return wrong;
}

LIVE_TEST(unshare)
{
	pid_t pid = fixture_child(attempt_all, NULL);

	require(fixture_wait(pid) == 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		const struct event *ev = live_next_of(EVENT_unshare, pid);

		expect_i64(ev, unshare__res, attempts[i].ret);
		expect_i64(ev, unshare__flags, attempts[i].stored);
	}
}
