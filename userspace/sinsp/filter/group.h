/* SPDX-License-Identifier: MIT */
/*
 * Many expressions in one filter. Common parts are computed once for an event, and expressions that
 * its type or a looked-up value rules out are skipped.
 */
#ifndef SINSP_FILTER_GROUP_H
#define SINSP_FILTER_GROUP_H

#include "sinsp/filter/filter.h"

struct filter_node;

struct filter_group_item {
	const struct filter_node *root; /* from filter_parse() */
	const char *text; /* `root` was parsed from, for error positions */
};

#define FILTER_NONE SIZE_MAX

/*
 * Compiles expressions together. Trees and texts are borrowed, and must outlive the filter; many
 * nodes may share a tree (FILTER_NODE_SHARED), which is compiled once. Fields that keep a state
 * between events (evt.deltatime, util.cnt) share it among all items. Returns 0, -EINVAL with
 * `failed_item` and `err` set, or -ENOMEM.
 */
int filter_group_create(const struct filter_group_item *items, size_t n,
			const struct filter_options *options, struct filter **filter,
			size_t *failed_item, struct filter_error *err);

size_t filter_group_count(const struct filter *filter);

/*
 * The first item from `from` on that the event satisfies, or FILTER_NONE. 0 starts a new event; to
 * continue with the same event, pass the item after the last result.
 */
size_t filter_group_next(struct filter *filter, const struct state_event *event, size_t from);

/* These are the functions of filter.h, for one item instead of all. */
void filter_group_event_types(const struct filter *filter, size_t item, bool ids[EVENT_ID_MAX],
			      bool generic[SYSCALL_CODES_COUNT]);
/*
 * Whether generic events of any call can pass: old captures have it also for calls that now have an
 * event of their own.
 */
bool filter_group_passes_generic(const struct filter *filter, size_t item);
bool filter_group_names_event(const struct filter *filter, size_t item, unsigned int id);
unsigned int filter_group_flags(const struct filter *filter, size_t item);
unsigned int filter_group_needs(const struct filter *filter, size_t item);

#endif
