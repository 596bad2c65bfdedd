/* SPDX-License-Identifier: MIT */
/* Landlock: what can be written and executed, and that /proc is hidden, which files.h warns of. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "in_child.h"
#include "privileges/files.h"
#include "tree.h"
#include "unit.h"

static int create(const struct tree *tree, const char *name)
{
	char path[TREE_PATH_BYTES];
	int fd;

	tree_path(tree, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	return fd < 0 ? errno : close(fd);
}

/* Two paths at most, or NULL. */
static struct files_limits limits_of(struct files_rule rules[3], const char *write,
				     const char *read)
{
	size_t count = 0;

	if (write)
		rules[count++] = (struct files_rule){write, .writes = true};
	if (read)
		rules[count++] = (struct files_rule){read, .writes = false};
	rules[count] = (struct files_rule){0};
	return (struct files_limits){.rules = rules, .reads = read};
}

static int limit(const char *const *writes)
{
	struct files_rule rules[3] = {0};
	struct files_limits limits = {.rules = rules};

	if (!files_can_be_limited())
		return IN_CHILD_SKIP;
	for (size_t i = 0; writes[i]; i++)
		rules[i] = (struct files_rule){writes[i], .writes = true};
	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	EXPECT(files_limit(&limits) == 0);
	return 0;
}

static int try_folder(void *context)
{
	const struct tree *tree = context;
	char folder[TREE_PATH_BYTES], from[TREE_PATH_BYTES], to[TREE_PATH_BYTES];
	const char *const writes[] = {folder, NULL};
	int result;

	tree_path(tree, "spool", folder);
	result = limit(writes);
	if (result)
		return result;
	EXPECT(create(tree, "spool/a") == 0);
	tree_path(tree, "spool/a", from);
	tree_path(tree, "spool/b", to);
	EXPECT(rename(from, to) == 0);
	EXPECT(unlink(to) == 0);
	EXPECT(create(tree, "other/b") == EACCES);
	EXPECT(create(tree, "other/file") == EACCES);
	tree_path(tree, "other/file", from);
	EXPECT(access(from, R_OK) == 0 && open(from, O_RDONLY) >= 0);
	EXPECT(unlink(from) == -1 && errno == EACCES);
	EXPECT(open("/dev/null", O_WRONLY) >= 0);
	EXPECT(execl("/bin/true", "true", NULL) == -1 && errno == EACCES);
	return 0;
}

static void test_folder(void **state)
{
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "spool/file", "");
	tree_write(&tree, "other/file", "");
	in_child(try_folder, &tree);
	tree_destroy(&tree);
}

/* A file that exists: only that; one that does not: its folder. */
static int try_file(void *context)
{
	const struct tree *tree = context;
	char file[TREE_PATH_BYTES], missing[TREE_PATH_BYTES];
	const char *const writes[] = {file, missing, NULL};
	int result;

	tree_path(tree, "a/file", file);
	tree_path(tree, "b/missing", missing);
	result = limit(writes);
	if (result)
		return result;
	EXPECT(create(tree, "a/file") == 0);
	EXPECT(create(tree, "a/next") == EACCES);
	EXPECT(create(tree, "b/missing") == 0);
	EXPECT(create(tree, "b/next") == 0);
	return 0;
}

static void test_file(void **state)
{
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "a/file", "");
	tree_write(&tree, "b/file", "");
	in_child(try_file, &tree);
	tree_destroy(&tree);
}

static int try_nothing(void *context)
{
	const char *const nothing[] = {NULL};
	char target[64], path[64];
	int result;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getppid());
	EXPECT(readlink(path, target, sizeof(target)) > 0);
	result = limit(nothing);
	if (result)
		return result;
	EXPECT(create(context, "file") == EACCES);
	EXPECT(readlink(path, target, sizeof(target)) == -1 && errno == EACCES);
	return 0;
}

static void test_nothing(void **state)
{
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "file", "");
	in_child(try_nothing, &tree);
	tree_destroy(&tree);
}

static int try_missing_folder(void *context)
{
	struct files_rule rules[3];
	struct files_limits limits = limits_of(rules, "/nonexistent/folder/file", NULL);

	if (!files_can_be_limited())
		return IN_CHILD_SKIP;
	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	/* Whoever writes there says what is missing. */
	EXPECT(files_limit(&limits) == 0);
	EXPECT(open("/tmp/lanner-nothing", O_WRONLY | O_CREAT, 0600) == -1 && errno == EACCES);
	return 0;
}

static void test_missing_folder(void **state)
{
	in_child(try_missing_folder, NULL);
}

/* Where reading is limited, too: nothing that is not named can be read. */
static int try_reading(void *context)
{
	const struct tree *tree = context;
	char folder[TREE_PATH_BYTES], path[TREE_PATH_BYTES];
	struct files_rule rules[3];
	struct files_limits limits;

	if (!files_can_be_limited())
		return IN_CHILD_SKIP;
	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	tree_path(tree, "spool", folder);
	tree_path(tree, "file", path);
	limits = limits_of(rules, folder, path);
	EXPECT(files_limit(&limits) == 0);
	EXPECT(open(path, O_RDONLY) >= 0);
	EXPECT(open(path, O_WRONLY) == -1 && errno == EACCES);
	EXPECT(create(tree, "spool/a") == 0);
	tree_path(tree, "spool/a", path);
	EXPECT(open(path, O_RDONLY) >= 0);
	EXPECT(open(folder, O_RDONLY | O_DIRECTORY) >= 0);
	tree_path(tree, "other/file", path);
	EXPECT(open(path, O_RDONLY) == -1 && errno == EACCES);
	EXPECT(open("/proc/self/status", O_RDONLY) == -1 && errno == EACCES);
	EXPECT(open("/dev/null", O_RDWR) >= 0);
	return 0;
}

static void test_reading(void **state)
{
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "file", "");
	tree_write(&tree, "other/file", "");
	tree_write(&tree, "spool/file", "");
	in_child(try_reading, &tree);
	tree_destroy(&tree);
}

/* A pipe takes no rule: it can be opened in any case, as can standard output that is one. */
static int try_pipe(void *context)
{
	struct files_rule rules[3];
	struct files_limits limits;
	char path[64];
	int ends[2];

	if (!files_can_be_limited())
		return IN_CHILD_SKIP;
	EXPECT(pipe(ends) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	limits = limits_of(rules, path, "/nonexistent");
	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	EXPECT(files_limit(&limits) == 0);
	EXPECT(open(path, O_WRONLY) >= 0);
	return 0;
}

static void test_pipe(void **state)
{
	in_child(try_pipe, NULL);
}

/* A path that is only read need not exist. */
static int try_missing_file(void *context)
{
	struct files_rule rules[3];
	struct files_limits limits = limits_of(rules, NULL, "/nonexistent/folder/file");

	if (!files_can_be_limited())
		return IN_CHILD_SKIP;
	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	EXPECT(files_limit(&limits) == 0);
	EXPECT(open("/proc/self/status", O_RDONLY) == -1 && errno == EACCES);
	return 0;
}

static void test_missing_file(void **state)
{
	in_child(try_missing_file, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_folder),	       cmocka_unit_test(test_file),
	cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_reading),
	cmocka_unit_test(test_missing_file),   cmocka_unit_test(test_pipe),
	cmocka_unit_test(test_missing_folder),
};

UNIT_GROUP(tests);
