/* SPDX-License-Identifier: MIT */
/* Limits, by files and by this process. */
#include <sys/resource.h>

#include "doctored.h"
#include "unit.h"

static void test_memory(void **state)
{
	doctored_expect(*state, "doctor", doctor_memory, DOCTOR_OK, "no limit");
	tree_write(*state, "proc/self/cgroup", "0::/a\n");
	tree_write(*state, "sys/fs/cgroup/a/memory.max", "max\n");
	doctored_expect(*state, "doctor", doctor_memory, DOCTOR_OK, "no limit");
	tree_write(*state, "sys/fs/cgroup/a/memory.max", "10485760\n");
	doctored_expect(*state, "doctor", doctor_memory, DOCTOR_LIMITED, "has 10 MiB");
}

/* With both versions, memory is that of the first one. */
static void test_memory_of_version_1(void **state)
{
	tree_write(*state, "proc/self/cgroup", "3:memory:/b\n0::/a\n");
	tree_write(*state, "sys/fs/cgroup/a/memory.max", "1\n");
	tree_write(*state, "sys/fs/cgroup/memory/b/memory.limit_in_bytes", "9223372036854771712\n");
	doctored_expect(*state, "doctor", doctor_memory, DOCTOR_OK, "no limit");
	tree_write(*state, "sys/fs/cgroup/memory/b/memory.limit_in_bytes", "20971520\n");
	doctored_expect(*state, "doctor", doctor_memory, DOCTOR_LIMITED, "has 20 MiB");
}

static int with_few_descriptors(void)
{
	const struct rlimit few = {100, 100};

	return setrlimit(RLIMIT_NOFILE, &few);
}

static int with_many_descriptors(void)
{
	const struct rlimit many = {20000, 20000};

	return setrlimit(RLIMIT_NOFILE, &many);
}

static void test_descriptors(void **state)
{
	doctored_expect_child(with_few_descriptors, doctor_descriptors, DOCTOR_LIMITED,
			      "at most 100, ");
	doctored_expect_child(with_many_descriptors, doctor_descriptors, DOCTOR_OK,
			      "at most 20000");
}

static void test_clock(void **state)
{
	static const char path[] =
		"sys/devices/system/clocksource/clocksource0/current_clocksource";

	tree_write(*state, path, "hpet\n");
	doctored_expect(*state, "doctor", doctor_clock, DOCTOR_LIMITED, "hpet (slow), ");
}

static void test_disk(void **state)
{
	doctored_expect(*state, "doctor", doctor_disk, DOCTOR_OK,
			"MiB are free for /var/lib/lanner");
	tree_write(*state, "var/lib/lanner/x", "");
	doctored_expect(*state, "doctor", doctor_disk, DOCTOR_OK, "MiB are free");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_memory, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_memory_of_version_1, doctored_setup,
					doctored_teardown),
	cmocka_unit_test(test_descriptors),
	cmocka_unit_test_setup_teardown(test_clock, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_disk, doctored_setup, doctored_teardown),
};

UNIT_GROUP(tests);
