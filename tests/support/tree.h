/* SPDX-License-Identifier: MIT */
/* A root file system of a few files, for code that reads those of others. */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include <stddef.h>

enum { TREE_PATH_BYTES = 512 };

struct tree {
	char path[64]; /* of its root */
};

/* Makes it, empty. The test fails if it cannot. */
void tree_create(struct tree *tree);
void tree_destroy(const struct tree *tree);

/* The path of a file there. */
void tree_path(const struct tree *tree, const char *name, char path[TREE_PATH_BYTES]);

/* Writes a file, and makes the folders above it. */
void tree_write(const struct tree *tree, const char *name, const char *text);
void tree_write_bytes(const struct tree *tree, const char *name, const void *bytes, size_t len);

#endif
