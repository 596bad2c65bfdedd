/* SPDX-License-Identifier: MIT */
/*
 * Which views can count calls that the kernel has counted already: all that they and their filters
 * look at is the event, and what rows of the kernel are told apart by (enum call_rows_by). The
 * planner asks before it selects what is captured; the engine takes the rows.
 */
#ifndef VIEWS_COUNTED_H
#define VIEWS_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "views/view.h"

/*
 * Whether rows of calls say all that the view asks of events that pass `filter` (NULL: all do).
 * with_longest: rows are of one table, so that they have the longest time of its calls. by: what
 * rows have to be told apart by, enum call_rows_by bits; unchanged if not.
 */
bool views_counted_by(const struct views_view *view, const struct filter *filter, bool with_longest,
		      uint32_t *by);

/* Whether a value is of the times of calls or switches, or of bytes: rows have sums of these. */
bool views_counted_is_time(const struct views_value *value);
bool views_counted_is_bytes(const struct views_value *value);

#endif
