/* SPDX-License-Identifier: MIT */
/*
 * Many expressions in one filter. What they have in common is computed once for an event, and
 * those that its type rules out are not looked at.
 */
#ifndef SINSP_FILTER_GROUP_H
#define SINSP_FILTER_GROUP_H

#include "sinsp/filter/filter.h"

struct filter_node;

struct filter_group_item {
	const struct filter_node *root; /* made by filter_parse() */
	const char *text; /* that it was parsed from, for positions of errors */
};

#define FILTER_NONE SIZE_MAX

/*
 * Compiles expressions together. Trees and texts are borrowed, and must outlive the filter; a tree
 * may hang under many nodes (FILTER_NODE_SHARED), and costs no more than once. Fields with a memory
 * of their own (evt.deltatime, util.cnt) have one for all items. Returns 0, -EINVAL with
 * `failed_item` and `err` set, or -ENOMEM.
 */
int filter_group_create(const struct filter_group_item *items, size_t n,
			const struct filter_options *options, struct filter **filter,
			size_t *failed_item, struct filter_error *err);

size_t filter_group_count(const struct filter *filter);

/*
 * The first item from `from` on that the event satisfies, or FILTER_NONE. 0 begins with an event;
 * to go on with the same one, ask again from the item after the last answer.
 */
size_t filter_group_next(struct filter *filter, const struct sinsp_event *event, size_t from);

/* What filter.h tells of all items together, for one of them. */
void filter_group_event_types(const struct filter *filter, size_t item, bool ids[EVENT_ID_MAX],
			      bool generic[SYSCALL_CODES_COUNT]);
/*
 * Whether the generic event can pass, of whatever call: captures have it also of calls that have an
 * event of their own by now.
 */
bool filter_group_passes_generic(const struct filter *filter, size_t item);
bool filter_group_names_event(const struct filter *filter, size_t item, unsigned int id);
unsigned int filter_group_flags(const struct filter *filter, size_t item);
unsigned int filter_group_needs(const struct filter *filter, size_t item);

#endif
