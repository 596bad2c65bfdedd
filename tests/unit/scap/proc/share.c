/* SPDX-License-Identifier: MIT */
/* Whose share a process takes, by the files that a kernel has of it. */
#include "scap/proc/share.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Files of users, and of root, which are of the process that has them: it is in no namespace here.
 */
static void knows_files_by_users(void **state)
{
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "1/status", "Uid:\t1001\n");
	tree_write(&tree, "1/uid_map", "0 0 4294967295\n");
	assert_int_equal(share_of_file(&ranges, tree.path, 1, 100001), share_of_user(1000));
	assert_int_equal(share_of_file(&ranges, tree.path, 1, 5000000), share_of_user(5000000));
	assert_int_equal(share_of_file(&ranges, tree.path, 1, 0), share_of_user(1001));
	tree_destroy(&tree);
}

/* A child in a user namespace of its own; 0: the kernel makes none. */
static pid_t start_in_namespace(int ready[2])
{
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		if (unshare(CLONE_NEWUSER) == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1)
		return child;
	waitpid(child, NULL, 0);
	return 0;
}

/* All in a user namespace are of who made it, whatever their ids. */
static void knows_who_made_a_namespace(void **state)
{
	int ready[2], map;
	char path[64];
	pid_t child;

	if (geteuid() != 0)
		skip();
	child = start_in_namespace(ready);
	if (!child)
		skip();
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)child);
	map = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(map, "0 4100000000 1000\n", 18), 18);
	close(map);
	/* Made by root: by control groups, as this process. */
	assert_int_equal(share_of_process(&ranges, "/proc", child),
			 share_of_process(&ranges, "/proc", getpid()));
	assert_int_equal(share_of_file(&ranges, "/proc", child, 4100000007),
			 share_of_process(&ranges, "/proc", child));
	assert_int_equal(share_of_file(&ranges, "/proc", child, 4100001000),
			 share_of_user(4100001000));
	assert_int_equal(share_of_file(&ranges, "/proc", getpid(), 4100000007),
			 share_of_user(4100000007));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(knows_files_by_users),
	cmocka_unit_test(knows_who_made_a_namespace),
	cmocka_unit_test(finds_whom_an_id_is_given_to),
	cmocka_unit_test(knows_processes_by_users_and_groups),
};

UNIT_GROUP(tests);
