/* SPDX-License-Identifier: MIT */
/* What is counted: threads, CPUs and control groups. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf/count/target.h"
#include "tree.h"
#include "unit.h"

static void has_each_thread_once(void **state)
{
	struct perf_target target;
	struct error err = {""};

	perf_target_init(&target);
	assert_null(target.tids);
	assert_int_equal(target.cgroup, -1);
	assert_int_equal(perf_target_add_thread(&target, getpid()), 0);
	assert_int_equal(perf_target_add_process(&target, getpid(), &err), 0);
	assert_int_equal(target.tids_count, 1);
	assert_int_equal(target.tids[0], getpid());
	assert_int_equal(perf_target_add_process(&target, 0x7ffffff0, &err), -ESRCH);
	assert_string_equal(err.text, "no process 2147483632");
	perf_target_finish(&target);
	perf_target_finish(&target);
}

static void has_cpus(void **state)
{
	struct perf_target target;
	struct error err = {""};

	perf_target_init(&target);
	assert_int_equal(perf_target_set_cpus(&target, "1,0", &err), 0);
	assert_int_equal(target.cpus.count, 2);
	assert_int_equal(target.cpus.numbers[0], 0);
	assert_int_equal(perf_target_set_cpus(&target, NULL, &err), 0);
	assert_int_equal(target.cpus.count, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(perf_target_set_cpus(&target, "a", &err), -EINVAL);
	assert_string_equal(err.text, "a: no list of CPUs, as 0-3,8");
	perf_target_finish(&target);
}

static void has_a_control_group(void **state)
{
	struct perf_target target;
	struct error err = {""};
	struct tree tree;

	perf_target_init(&target);
	assert_int_equal(perf_target_set_cgroup(&target, "no/such/group", &err), -ENOENT);
	assert_string_equal(err.text, "no control group no/such/group below /sys/fs/cgroup");
	assert_int_equal(target.cgroup, -1);
	tree_create(&tree);
	assert_int_equal(perf_target_set_cgroup(&target, tree.path, &err), 0);
	assert_true(target.cgroup >= 0);
	tree_destroy(&tree);
	perf_target_finish(&target);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_each_thread_once),
	cmocka_unit_test(has_cpus),
	cmocka_unit_test(has_a_control_group),
};

UNIT_GROUP(tests);
