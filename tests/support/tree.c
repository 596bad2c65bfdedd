/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPEN_FOLDERS_MAX = 16 };

void tree_create(struct tree *tree)
{
	*tree = (struct tree){.path = "/tmp/lanner-tree-XXXXXX"};
	assert_non_null(mkdtemp(tree->path));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	return remove(path);
}

void tree_destroy(const struct tree *tree)
{
	assert_int_equal(nftw(tree->path, remove_one, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS), 0);
}

void tree_path(const struct tree *tree, const char *name, char path[TREE_PATH_BYTES])
{
	int len = snprintf(path, TREE_PATH_BYTES, "%s/%s", tree->path, name);

	assert_in_range(len, 1, TREE_PATH_BYTES - 1);
}

void tree_write_bytes(const struct tree *tree, const char *name, const void *bytes, size_t len)
{
	char path[TREE_PATH_BYTES];
	FILE *file;

	tree_path(tree, name, path);
	for (char *slash = path + strlen(tree->path) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

void tree_write(const struct tree *tree, const char *name, const char *text)
{
	tree_write_bytes(tree, name, text, strlen(text));
}
