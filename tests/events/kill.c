/* SPDX-License-Identifier: MIT */
/* kill, tkill, tgkill: signals to the caller, to no process, and invalid signals. */
#include <signal.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { NOBODY = 0x7ffffff0, NO_SIGNAL = 99 };

/* `process` counts for tgkill alone. */
struct attempt {
	long process, task, signal, res;
};

static void check_kill(unsigned int event, long number, const struct attempt *attempt)
{
	const struct event *ev;

	require(CALL(number, attempt->task, attempt->signal) == attempt->res);
	ev = live_next(event);
	expect_i64(ev, kill__res, attempt->res);
	expect_i64(ev, kill__pid, (int32_t)attempt->task);
	expect_i64(ev, kill__sig, (uint8_t)attempt->signal);
}

static void check_kills(unsigned int event, long number)
{
	const struct attempt attempts[] = {
		{0, getpid(), 0, 0},
		{0, getpid(), SIGCHLD, 0}, /* which is ignored */
		{0, NOBODY, SIGTERM, -ESRCH},
		{0, 0x100000000 + getpid(), SIGWINCH, 0},
		{0, getpid(), NO_SIGNAL, -EINVAL},
		{0, getpid(), 256 + SIGKILL, -EINVAL},
		{0, getpid(), -1, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		check_kill(event, number, &attempts[i]);
}

_Static_assert((int)kill__pid == tkill__tid && (int)kill__sig == tkill__sig,
	       "the two have their parameters in common");

LIVE_TEST(kill)
{
	/* A process group that there is not. */
	const struct attempt group = {0, -NOBODY, SIGUSR1, -ESRCH};

	check_kills(EVENT_kill, SYS_kill);
	check_kill(EVENT_kill, SYS_kill, &group);
}

LIVE_TEST(tkill)
{
	const struct attempt negative = {0, -1, SIGKILL, -EINVAL};

	check_kills(EVENT_tkill, SYS_tkill);
	check_kill(EVENT_tkill, SYS_tkill, &negative);
}

LIVE_TEST(tgkill)
{
	const struct attempt attempts[] = {
		{getpid(), getpid(), 0, 0},
		{getpid(), getpid(), SIGWINCH, 0},
		{0x100000000 + getpid(), 0x100000000 + getpid(), 0x100000000, 0},
		{NOBODY, NOBODY + 1, SIGUSR2, -ESRCH},
		{1, getpid(), SIGTERM, -ESRCH},
		{-1, 7, SIGPIPE, -EINVAL},
		{getpid(), getpid(), NO_SIGNAL, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		const struct attempt *attempt = &attempts[i];
		const struct event *ev;

		require(CALL(SYS_tgkill, attempt->process, attempt->task, attempt->signal) ==
			attempt->res);
		ev = live_next(EVENT_tgkill);
		expect_i64(ev, tgkill__res, attempt->res);
		expect_i64(ev, tgkill__pid, (int32_t)attempt->process);
		expect_i64(ev, tgkill__tid, (int32_t)attempt->task);
		expect_i64(ev, tgkill__sig, (uint8_t)attempt->signal);
	}
}
