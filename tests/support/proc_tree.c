/* SPDX-License-Identifier: MIT */
/* Folders and files under /tmp, removed at the end of each test. */
#include "proc_tree.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void path_of(const struct proc_tree *tree, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/70/task/70/%s", tree->root, name);
}

void proc_tree_put_bytes(struct proc_tree *tree, const char *name, const char *bytes, size_t len)
{
	char path[256];
	int fd;

	path_of(tree, name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

void proc_tree_put(struct proc_tree *tree, const char *name, const char *text)
{
	proc_tree_put_bytes(tree, name, text, strlen(text));
}

void proc_tree_put_link(struct proc_tree *tree, const char *name, const char *target)
{
	char path[256];

	path_of(tree, name, path, sizeof(path));
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

void proc_tree_put_directory(struct proc_tree *tree, const char *name)
{
	char path[256];

	path_of(tree, name, path, sizeof(path));
	assert_int_equal(mkdir(path, 0700), 0);
}

int proc_tree_setup(void **state)
{
	struct proc_tree *tree = calloc(1, sizeof(*tree));
	char path[64];

	strcpy(tree->root, "/tmp/lanner-proc-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%.*s", tree->root, 3 + (i > 0) * 5 + (i > 1) * 3,
			 "/70/task/70");
		assert_int_equal(mkdir(path, 0700), 0);
	}
	proc_tree_put_directory(tree, "fd");
	proc_tree_put_directory(tree, "fdinfo");
	proc_tree_put_directory(tree, "net");
	proc_tree_put_directory(tree, "ns");
	proc_tree_put(tree, "stat", "70 (x) " PROC_TREE_STAT);
	proc_tree_put(tree, "status", PROC_TREE_STATUS);
	assert_int_equal(scap_proc_open(tree->root, &tree->proc, NULL), 0);
	*state = tree;
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

int proc_tree_teardown(void **state)
{
	struct proc_tree *tree = *state;

	scap_proc_close(tree->proc);
	nftw(tree->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(tree);
	return 0;
}
