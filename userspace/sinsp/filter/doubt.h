/* SPDX-License-Identifier: MIT */
/*
 * The third answer: what a filter says of an event if a part of a value was not captured. A
 * comparison that the missing part could change is unknown, and so is an expression that it
 * decides.
 */
#ifndef SINSP_FILTER_DOUBT_H
#define SINSP_FILTER_DOUBT_H

#include "sinsp/filter/program.h"

/* The answers that are possible; bits. Both: unknown. */
enum { DOUBT_NO = 1 << 0, DOUBT_YES = 1 << 1, DOUBT_UNKNOWN = DOUBT_NO | DOUBT_YES };

/*
 * As filter_group_next(), for an event of which the evaluation has read a value that is not whole
 * (filter->scratch.cut). An item of which it is unknown whether the event satisfies it is found,
 * too: see filter_is_unknown().
 */
size_t filter_doubt_next(struct filter *filter, const struct filter_list *list,
			 const struct state_event *event, size_t from);

/* Compares a value; `cut` (enum cut_bits) says what is missing of it. */
unsigned int filter_doubt_compare(struct filter *filter, const struct filter_check *check,
				  const struct field_value *value,
				  const struct filter_constant *constant, unsigned int cut);

#endif
