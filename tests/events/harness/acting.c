/* SPDX-License-Identifier: MIT */
/* Attempts of one process, first as root and then as somebody else. */
#include "harness/acting.h"

#include <unistd.h>

#include "harness/fixture.h"
#include "harness/live.h"

struct attempt {
	long ids[ACTING_IDS_MAX];
	long ret;
	long effective; /* id after it */
};

/* One after the other in the same process. */
static const struct attempt attempts[] = {
	{{0, 0, 0}, 0, 0},
	{{-1, -1, -1}, 0, 0}, /* an error where the call takes one id */
	{{1234, 1234, 1234}, 0, 1234},
	{{1234, 1234, 1234}, 0, 1234},
	{{5678, 5678, 5678}, -EPERM, 1234},
	{{0x100000000L + 1234, 1234, 1234}, 0, 1234},
};

enum { ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

static long expected(const struct acting *acting, const struct attempt *attempt)
{
	return acting->ids == 1 && attempt->ids[0] == -1 ? -EINVAL : attempt->ret;
}

static int act(void *arg)
{
	const struct acting *acting = arg;
	int wrong = 0;

	for (int i = 0; i < ATTEMPTS; i++) {
		const long *ids = attempts[i].ids;

		if (acting->of_groups && attempts[i].ret == -EPERM)
			wrong += CALL(SYS_setuid, 1234L) != 0;
		wrong += CALL(acting->number, ids[0], ids[1], ids[2]) !=
			 expected(acting, &attempts[i]);
	}
	return wrong;
}

void acting_check(const struct acting *acting)
{
	pid_t pid = fixture_child(act, (void *)acting);

	require(fixture_wait(pid) == 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		const struct event *ev = live_next_of(acting->event, pid);

		expect_i64(ev, 0, expected(acting, &attempts[i]));
		for (unsigned int id = 0; id < acting->ids; id++)
			expect_i64(ev, 1 + id, (uint32_t)attempts[i].ids[id]);
		expect_i64(ev, 1 + acting->ids, attempts[i].effective);
	}
	expect_no_event(acting->event, pid);
}
