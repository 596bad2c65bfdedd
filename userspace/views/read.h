/* SPDX-License-Identifier: MIT */
/* Shared by the files that read views: nodes, texts with arguments put in, messages. */
#ifndef VIEWS_READ_H
#define VIEWS_READ_H

#include "views/view.h"
#include "yaml/tree.h"

/* While a view is read. */
struct views_reading {
	struct views_view *view;
	const struct views_config *config;
	struct yaml_report *report;
	const char *given[VIEWS_ARGS_MAX]; /* the words for view->args; NULL: none */
};

/* The type of the value of a key, as messages have it. */
enum views_form { VIEWS_A_TEXT, VIEWS_A_NUMBER, VIEWS_A_FLAG, VIEWS_A_SEQUENCE };

/* A key of a mapping, and what reads its value into `to`. */
struct views_row {
	const char *name;
	enum views_form form;
	bool required;
	/* Returns 0 (also after an error that it reported), or -ENOMEM. */
	int (*read)(struct views_reading *reading, const struct yaml_node *node, void *to);
};

/* Reports an error at the start of a node. */
#define VIEWS_REPORT(reading, node, ...)                                                           \
	yaml_report_add((reading)->report, YAML_ERROR, (node)->file, (node)->start, __VA_ARGS__)

/*
 * Reads a mapping by the rows of its keys, in the order of the rows. what: "a view", for messages.
 * Returns 0, with all that is wrong in the report, or -ENOMEM.
 */
int views_read_mapping(struct views_reading *reading, const struct yaml_node *node,
		       const struct views_row *rows, size_t count, const char *what, void *to);

/*
 * Copies the text of a node, with each ${NAME} replaced by the word that was given. quoted: a word
 * that is not plain is put into quotes, for filters. NULL: out of memory, or an error was reported.
 */
const char *views_read_text(struct views_reading *reading, const struct yaml_node *node,
			    bool quoted);

/* Whether an argument was put into the text of a node, so that positions in it are not those of the
 * file. */
bool views_read_has_args(const struct yaml_node *node);

/* The index of a word among others, or -1, reported with the nearest of them. */
int views_read_word(struct views_reading *reading, const struct yaml_node *node,
		    const char *const *words, size_t count, const char *what);

/* Reads a field that has one value. Returns false if an error was reported. */
bool views_read_field(struct views_reading *reading, const struct yaml_node *node,
		      struct views_field *field, const char **name);

/* Reads one of the sequences of a view: its keys, its values. */
int views_read_keys(struct views_reading *reading, const struct yaml_node *node, void *to);
int views_read_values(struct views_reading *reading, const struct yaml_node *node, void *to);

/* Adds a field as the first key, unless it is one. Returns 0, -EINVAL with a message, -ENOMEM. */
int views_read_first_key(struct views_view *view, const struct views_first_key *first,
			 struct error *err);

#endif
