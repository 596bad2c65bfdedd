/* SPDX-License-Identifier: MIT */
/* capset: the sets of the caller after the call, whether they changed or not. */
#include <linux/capability.h>

#include "harness/fixture.h"
#include "harness/live.h"
#include "harness/process.h"

enum { CALLS = 3 };

struct result {
	long ret;
	struct process after;
};

static struct result *results;

static void set(struct result *result, struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	result->ret = CALL(SYS_capset, &header, data);
	process_read(getpid(), getpid(), &result->after);
}

static int set_all(void *arg)
{
	struct __user_cap_data_struct less[2] = {{0xc6, 0xc6, 0x6}, {0x1, 0x1, 0}};
	struct __user_cap_data_struct more[2] = {{0xff, 0xff, 0xff}};

	set(&results[0], UNREADABLE);
	set(&results[1], less);
	set(&results[2], more);
	return 0;
}

LIVE_TEST(capset)
{
	static const long expected[CALLS] = {-EFAULT, 0, -EPERM};
	pid_t pid;

	results = fixture_shared(CALLS * sizeof(*results));
	pid = fixture_child(set_all, NULL);
	require(fixture_wait(pid) == 0);
	for (int i = 0; i < CALLS; i++) {
		const struct event *ev = live_next_of(EVENT_capset, pid);

		expect_true(results[i].ret == expected[i]);
		expect_i64(ev, capset__res, expected[i]);
		expect_i64(ev, capset__cap_inheritable, (int64_t)results[i].after.cap_inheritable);
		expect_i64(ev, capset__cap_permitted, (int64_t)results[i].after.cap_permitted);
		expect_i64(ev, capset__cap_effective, (int64_t)results[i].after.cap_effective);
	}
	expect_true(results[1].after.cap_permitted == 0x1000000c6);
	expect_true(results[1].after.cap_inheritable == 0x6);
}
