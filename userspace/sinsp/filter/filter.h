/* SPDX-License-Identifier: MIT */
/*
 * Filters: expressions of the sysdig/Falco language, compiled to a flat program that decides event
 * by event. For many expressions in one filter see filter/group.h.
 */
#ifndef SINSP_FILTER_FILTER_H
#define SINSP_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "abi.h"
#include "sinsp/filter/tree.h"
#include "sinsp/fields/field.h"

struct filter;

/* Compiles an expression. Returns 0, -EINVAL with `err` set, or -ENOMEM. */
int filter_create(const char *text, const struct filter_options *options, struct filter **filter,
		  struct filter_error *err);
void filter_destroy(struct filter *filter);

/* Whether an event passes; with several expressions, whether it passes any of them. */
bool filter_match(struct filter *filter, const struct state_event *event);

/*
 * Whether the last event, which passed, did so only because it cannot be known whether it does:
 * that depends on a part of a value that was not captured. With several expressions: it satisfies
 * the last one in that way.
 */
bool filter_is_unknown(const struct filter *filter);

/*
 * The types of events that can pass, known before any event: ids[] by event id, and generic[] by
 * system-call code for generic events. May include too many, never too few.
 */
void filter_event_types(const struct filter *filter, bool ids[EVENT_ID_MAX],
			bool generic[SYSCALL_CODES_COUNT]);

/*
 * Whether some part of the filter selects events of that id by their type, such as evt.type=switch;
 * evt.type!=open passes others but names none of them.
 */
bool filter_names_event(const struct filter *filter, unsigned int id);

/*
 * What the kernel can decide of it: whatever passes the filter passes this part. It does not know
 * what else needs the events. Owned by the filter.
 */
const struct kernel_filters *filter_kernel_part(const struct filter *filter);

/* Returns 1 + the index of an equal filter, which is added if there is room; 0 if there is none. */
uint8_t kernel_filters_add(struct kernel_filters *filters, const struct kernel_filter *filter);

/* The flags of all its fields: enum field_flags bits. */
unsigned int filter_flags(const struct filter *filter);

/* The state that its fields need: enum field_needs bits. */
unsigned int filter_needs(const struct filter *filter);

/*
 * The state that fields need by event id, of those that are evaluated for such events; may include
 * too many, never too few.
 */
void filter_event_needs(const struct filter *filter, unsigned int needs[EVENT_ID_MAX]);

#endif
