/* SPDX-License-Identifier: MIT */
/* setpgid: own groups, those of others, and none. */
#include "harness/fixture.h"
#include "harness/live.h"

static const struct attempt {
	long pid, pgid, ret;
} attempts[] = {
	{0, 0, 0}, {0, -5, -EINVAL}, {0x7ffffff0, 0, -ESRCH}, {1, 1, -ESRCH}, {0, 1, -EPERM},
};

enum { ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

static int attempt_all(void *arg)
{
	int wrong = 0;

	for (int i = 0; i < ATTEMPTS; i++)
		wrong += CALL(SYS_setpgid, attempts[i].pid, attempts[i].pgid) != attempts[i].ret;
	return wrong;
}

LIVE_TEST(setpgid)
{
	pid_t pid = fixture_child(attempt_all, NULL);

	require(fixture_wait(pid) == 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		const struct event *ev = live_next_of(EVENT_setpgid, pid);

		expect_i64(ev, setpgid__res, attempts[i].ret);
		expect_i64(ev, setpgid__pid, attempts[i].pid);
		expect_i64(ev, setpgid__pgid, attempts[i].pgid);
	}
}
