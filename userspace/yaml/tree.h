/* SPDX-License-Identifier: MIT */
/*
 * A file as a tree of YAML nodes with their positions in the file. Aliases share the node that they
 * name, so the tree stays small; the size it would have if expanded is bounded, too.
 */
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <stdbool.h>

#include "yaml/report.h"
#include "util/arena.h"

enum { YAML_NODES_MAX = 1 << 20, YAML_DEPTH_MAX = 32, YAML_ANCHORS_MAX = 1000 };

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

enum yaml_style { YAML_PLAIN, YAML_SINGLE_QUOTED, YAML_DOUBLE_QUOTED, YAML_BLOCK };

struct yaml_node {
	enum yaml_kind kind;
	enum yaml_style style; /* SCALAR */
	const struct yaml_file *file;
	uint32_t start, end; /* offsets in the file */
	const char *text; /* SCALAR: its value, followed by a NUL; has no NUL inside; others: "" */
	size_t len;
	struct yaml_link *first; /* SEQUENCE, MAPPING */
	size_t size; /* nodes in it, including itself and the targets of aliases */
};

/* An element of a sequence or a document (key NULL), or a pair of a mapping. */
struct yaml_link {
	struct yaml_link *next;
	struct yaml_node *key, *value;
};

/*
 * Reads the documents of a file into nodes that live as long as `arena` and `file`; `roots` gets
 * one link for each document. Returns 0, -EINVAL with an error in the report, or -ENOMEM.
 */
int yaml_tree_read(const struct yaml_file *file, struct arena *arena, struct yaml_report *report,
		   struct yaml_link **roots);

/* Whether a node is null: an empty plain value, "~" or "null". */
bool yaml_is_null(const struct yaml_node *node);

static inline bool yaml_is_scalar(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !yaml_is_null(node);
}

/* Parses "true", "no" and the like; returns false for other words. */
bool yaml_bool_read(const char *text, bool *value);

/*
 * The offset in the file of byte `at` of a scalar's value: accounts for quotes, escapes and
 * folding.
 */
size_t yaml_tree_offset(const struct yaml_node *node, size_t at);

#endif
