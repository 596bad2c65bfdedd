/* SPDX-License-Identifier: MIT */
/* Filters of several expressions. */
#ifndef TESTS_GROUPED_H
#define TESTS_GROUPED_H

#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"

enum { GROUPED_MAX = 8 };

/* The expressions, and the filter that they become; begins as zeroes. */
struct grouped {
	struct arena arena; /* their trees */
	struct filter_group_item items[GROUPED_MAX];
	size_t n;
	struct filter *filter;
};

/* A tree; the test fails if the text is wrong. */
struct filter_node *grouped_parse(struct grouped *group, const char *text);

/* Makes the names in a tree stand for another tree, which was parsed from `text`. */
void grouped_graft(struct filter_node *node, struct filter_node *root, const char *text);

/* Adds an expression; if `macro` is not NULL, names in it stand for that. */
void grouped_add(struct grouped *group, const char *text, struct filter_node *macro,
		 const char *macro_text);

/* As filter_group_create(). */
int grouped_create(struct grouped *group, const struct filter_options *options, size_t *failed,
		   struct filter_error *err);
void grouped_finish(struct grouped *group);

/* Makes a filter of texts, the last of which is NULL. */
void grouped_make(struct grouped *group, const char *const *texts);

#define GROUPED_MAKE(group, ...) grouped_make(group, (const char *const[]){__VA_ARGS__, NULL})

#endif
