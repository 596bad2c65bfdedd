/* SPDX-License-Identifier: MIT */
/* The root of the control groups: of this machine, and where there is none. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scap/proc/root_group.h"
#include "tree.h"
#include "unit.h"

static void test_this_machine(void **state)
{
	int dir = scap_root_group_open(SCAP_CGROUPS_PATH);
	struct stat root;

	if (dir == -EPERM || dir == -ENOENT)
		skip();
	assert_true(dir >= 0);
	assert_int_equal(fstat(dir, &root), 0);
	assert_int_equal(root.st_ino, 1);
	close(dir);
}

static void test_elsewhere(void **state)
{
	struct tree tree;

	if (geteuid())
		skip();
	tree_create(&tree);
	assert_int_equal(scap_root_group_open(tree.path), -ENOENT);
	tree_write(&tree, "unified/cgroup.procs", "");
	assert_int_equal(scap_root_group_open(tree.path), -ENOENT);
	assert_int_equal(scap_root_group_open("/dev/null"), -ENOTDIR);
	tree_destroy(&tree);
}

static void test_without_rights(void **state)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit((geteuid() == 0 && setresuid(65534, 65534, 65534)) ||
		      scap_root_group_open(SCAP_CGROUPS_PATH) != -EPERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_this_machine),
	cmocka_unit_test(test_elsewhere),
	cmocka_unit_test(test_without_rights),
};

UNIT_GROUP(tests);
