/* SPDX-License-Identifier: MIT */
/* Whose share a process takes, by the files that a kernel has of it. */
#include "scap/proc/share.h"

#include <stdio.h>

#include "tree.h"
#include "unit.h"

static const struct share_ranges ranges = {
	.all = {{100000, 65536, 1000}, {165536, 10, 1001}, {300000, 5, 7}},
	.count = 3,
};

static void finds_whom_an_id_is_given_to(void **state)
{
	static const struct share_ranges none;

	assert_int_equal(share_uid(&ranges, 0), 0);
	assert_int_equal(share_uid(&ranges, 99999), 99999);
	assert_int_equal(share_uid(&ranges, 100000), 1000);
	assert_int_equal(share_uid(&ranges, 165535), 1000);
	assert_int_equal(share_uid(&ranges, 165536), 1001);
	assert_int_equal(share_uid(&ranges, 165546), 165546);
	assert_int_equal(share_uid(&ranges, 300004), 7);
	assert_int_equal(share_uid(&ranges, UINT32_MAX), UINT32_MAX);
	assert_int_equal(share_uid(&none, 100000), 100000);
}

/* Of root by control groups; all ids of a user are one. */
static void knows_processes_by_users_and_groups(void **state)
{
	static const char *const uids[] = {"0\t0", "0\t0", "0\t5", "1000\t0", "100007\t100007"};
	static const char *const groups[] = {"0::/a\n", "0::/b\n", "0::/a\n", "0::/a\n", "0::/b\n"};
	struct tree tree;
	uint64_t shares[5];

	tree_create(&tree);
	for (int i = 0; i < 5; i++) {
		char path[32], status[64];

		snprintf(path, sizeof(path), "%d/status", i + 1);
		snprintf(status, sizeof(status), "Name:\ta\nUid:\t%s\n", uids[i]);
		tree_write(&tree, path, status);
		snprintf(path, sizeof(path), "%d/cgroup", i + 1);
		tree_write(&tree, path, groups[i]);
		shares[i] = share_of_process(&ranges, tree.path, i + 1);
	}
	assert_int_not_equal(shares[0], shares[1]);
	assert_int_equal(shares[0], shares[2]);
	assert_int_equal(shares[3], share_of_user(1000));
	assert_int_equal(shares[4], share_of_user(1000));
	assert_int_equal(share_of_process(&ranges, tree.path, 9), 0);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_whom_an_id_is_given_to),
	cmocka_unit_test(knows_processes_by_users_and_groups),
};

UNIT_GROUP(tests);
