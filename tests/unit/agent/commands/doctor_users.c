/* SPDX-License-Identifier: MIT */
/* Who else is said to have perf events, or to trace processes. */
#include <stdio.h>
#include <unistd.h>

#include "doctored.h"
#include "unit.h"

static void link_to(const struct tree *tree, const char *name, const char *target)
{
	char path[TREE_PATH_BYTES];

	tree_path(tree, name, path);
	assert_int_equal(symlink(target, path), 0);
}

static void names_them(void **state)
{
	doctored_expect(*state, "doctor", doctor_perf_users, DOCTOR_LIMITED, "/proc: No such file");
	tree_write(*state, "proc/7/status", "Name:\tidle\nTracerPid:\t0\n");
	tree_write(*state, "proc/7/fd/0", "");
	tree_write(*state, "proc/version", "");
	doctored_expect(*state, "doctor", doctor_perf_users, DOCTOR_OK, "no other process");
	tree_write(*state, "proc/8/status", "Name:\tprofiler\nTracerPid:\t0\n");
	tree_write(*state, "proc/8/fd/0", "");
	link_to(*state, "proc/8/fd/3", "anon_inode:[perf_event]");
	link_to(*state, "proc/8/fd/4", "anon_inode:[perf_event]");
	link_to(*state, "proc/8/fd/5", "anon_inode:[eventpoll]");
	doctored_expect(*state, "doctor", doctor_perf_users, DOCTOR_OK,
			"perf events: profiler (8) 2");
	tree_write(*state, "proc/9/status", "Name:\tserver\nTracerPid:\t77\n");
	tree_write(*state, "proc/9/fd/0", "");
	doctored_expect(*state, "doctor", doctor_perf_users, DOCTOR_OK,
			"; traced: server (9) by 77");
	tree_write(*state, "proc/sys/kernel/nmi_watchdog", "1\n");
	doctored_expect(*state, "doctor", doctor_perf_users, DOCTOR_OK, "NMI watchdog");
}

static void lists_a_few(void **state)
{
	char name[64];

	for (int pid = 10; pid < 20; pid++) {
		snprintf(name, sizeof(name), "proc/%d/status", pid);
		tree_write(*state, name, "Name:\tp\nTracerPid:\t1\n");
		snprintf(name, sizeof(name), "proc/%d/fd/0", pid);
		tree_write(*state, name, "");
	}
	doctored_expect(*state, "doctor", doctor_perf_users, DOCTOR_OK, "by 1 and 2 more");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(names_them, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(lists_a_few, doctored_setup, doctored_teardown),
};

UNIT_GROUP(tests);
