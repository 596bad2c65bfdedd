/* SPDX-License-Identifier: MIT */
/* prctl: names, numbers, what a pointer leads to, and operations that there are none of. */
#include <string.h>
#include <sys/prctl.h>

#include "harness/fixture.h"
#include "harness/live.h"

static const struct event *check(long option, const void *argument, long ret)
{
	const struct event *ev;

	require(CALL(SYS_prctl, option, argument, 0L, 0L, 0L) == ret);
	ev = live_next(EVENT_prctl);
	expect_i64(ev, prctl__res, ret);
	expect_i64(ev, prctl__option, (uint32_t)option);
	return ev;
}

static void check_name(long option, const char *name, long ret, const char *shown)
{
	const struct event *ev = check(option, name, ret);

	if (shown)
		expect_string(ev, prctl__arg2_str, shown);
	else
		expect_absent(ev, prctl__arg2_str);
	expect_i64(ev, prctl__arg2_int, 0);
}

static void check_number(long option, long argument, long ret, int64_t shown)
{
	const struct event *ev = check(option, (const void *)argument, ret);

	expect_absent(ev, prctl__arg2_str);
	expect_i64(ev, prctl__arg2_int, shown);
}

LIVE_TEST(prctl)
{
	char before[16], name[16];
	int is_subreaper = 77;

	require(prctl(PR_GET_NAME, before) == 0);
	live_skip();
	check_name(PR_SET_NAME, "live", 0, "live");
	check_name(PR_GET_NAME, name, 0, "live");
	check_name(PR_SET_NAME, "longer than a name can be", 0, "longer than a name can be");
	check_name(PR_GET_NAME, name, 0, "longer than a n");
	check_name(PR_SET_NAME, "", 0, "");
	check_name(PR_SET_NAME, UNREADABLE, -EFAULT, NULL);
	check_name(PR_SET_NAME, before, 0, before);
	check_number(PR_GET_CHILD_SUBREAPER, (long)&is_subreaper, 0, 0);
	check_number(PR_GET_CHILD_SUBREAPER, (long)UNREADABLE, -EFAULT, 0);
	check_number(PR_SET_DUMPABLE, 1, 0, 1);
	check_number(PR_GET_DUMPABLE, 0, 1, 0);
	check_number(PR_SET_DUMPABLE, -7, -EINVAL, -7);
	check_number(0x7fffffff, 5, -EINVAL, 5);
}
