/* SPDX-License-Identifier: MIT */
/* Whose files are opened: what others can have put on the way, and links, lead nowhere. Needs root.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meta/runtimes/document.h"
#include "tree.h"
#include "unit.h"

enum { ROOT = 0, USER = 65534 };

static struct tree tree;

static int setup(void **state)
{
	if (geteuid() != 0)
		skip();
	tree_create(&tree);
	tree_write(&tree, "a/b/file", "text");
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static void expect(const char *path, uint32_t owner, int code)
{
	int fd = document_open_owned(tree.path, path, owner);

	if ((fd < 0 ? fd : 0) != code)
		fail_msg("%s: %d instead of %d", path, fd, code);
	if (fd >= 0)
		close(fd);
}

static void give(const char *name, uint32_t uid, mode_t mode)
{
	char path[TREE_PATH_BYTES];

	tree_path(&tree, name, path);
	assert_int_equal(chown(path, uid, uid), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void put_link(const char *name, const char *target, uint32_t uid)
{
	char path[TREE_PATH_BYTES];

	tree_path(&tree, name, path);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(lchown(path, uid, uid), 0);
}

static void test_of_root(void **state)
{
	expect("/a/b/file", ROOT, 0);
	expect("//a/./b/../b/file", ROOT, 0);
	expect("/../../a/b/file", ROOT, 0);
	expect("/a/b", ROOT, 0);
	expect("/a/b/none", ROOT, -ENOENT);
	expect("/a/b/file/none", ROOT, -ENOENT);
	/* The file of root is not one of the user. */
	expect("/a/b/file", USER, -EPERM);
}

/* A folder of a user anywhere on the way, or one where all may write. */
static void test_folders(void **state)
{
	give("a", USER, 0755);
	expect("/a/b/file", ROOT, -EPERM);
	give("a", ROOT, 0777);
	expect("/a/b/file", ROOT, -EPERM);
	/* With an access list that is not only root's group. */
	give("a", ROOT, 0775);
	expect("/a/b/file", ROOT, -EPERM);
	/* As /tmp: what is in it is judged by itself. */
	give("a", ROOT, 01777);
	expect("/a/b/file", ROOT, 0);
	give("a/b", USER, 0755);
	expect("/a/b/file", ROOT, -EPERM);
}

static void test_file(void **state)
{
	give("a/b/file", USER, 0600);
	expect("/a/b/file", ROOT, -EPERM);
	expect("/a/b/file", USER, 0);
	give("a/b/file", ROOT, 0602);
	expect("/a/b/file", ROOT, -EPERM);
	give("a/b/file", ROOT, 0600);
	expect("/a/b/file", ROOT, 0);
}

static void test_of_user(void **state)
{
	give("a/b", USER, 0700);
	give("a/b/file", USER, 0600);
	expect("/a/b/file", USER, 0);
	expect("/a/b/file", USER - 1, -EPERM);
	/* Where everybody may write. */
	give("a", ROOT, 01777);
	expect("/a/b/file", USER, -EPERM);
}

static void test_links(void **state)
{
	put_link("real", "/a", ROOT);
	expect("/real/b/file", ROOT, 0);
	put_link("a/relative", "../a/b/file", ROOT);
	expect("/a/relative", ROOT, 0);
	put_link("of-user", "/a", USER);
	expect("/of-user/b/file", ROOT, -EPERM);
	put_link("loop", "loop", ROOT);
	expect("/loop", ROOT, -ELOOP);
	/* In a folder of the user, to a file of root, whoever made it. */
	give("a/b", USER, 0700);
	tree_write(&tree, "secret", "x");
	put_link("a/b/shadow", "/secret", ROOT);
	expect("/a/b/shadow", USER, -EPERM);
	expect("/a/b/shadow", ROOT, -EPERM);
}

static void test_long(void **state)
{
	char path[5000];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	expect(path, ROOT, -ENAMETOOLONG);
	path[300] = '\0';
	expect(path, ROOT, -ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_of_root, setup, teardown),
	cmocka_unit_test_setup_teardown(test_folders, setup, teardown),
	cmocka_unit_test_setup_teardown(test_file, setup, teardown),
	cmocka_unit_test_setup_teardown(test_of_user, setup, teardown),
	cmocka_unit_test_setup_teardown(test_links, setup, teardown),
	cmocka_unit_test_setup_teardown(test_long, setup, teardown),
};

UNIT_GROUP(tests);
