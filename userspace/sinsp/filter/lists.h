/* SPDX-License-Identifier: MIT */
/* The lists of expressions by type of event, and checks that the type decides. */
#ifndef SINSP_FILTER_LISTS_H
#define SINSP_FILTER_LISTS_H

#include "sinsp/filter/terms.h"

/* Checks of a filter that the type of an event decides. */

/* Whether the type of an event can decide a check. */
bool filter_types_matter(const struct filter_check *check);

/*
 * Computes the answers of all such checks. filter->regs must be allocated. Returns 0 or -ENOMEM.
 */
int filter_types_answer(struct filter *filter, struct filter_terms *terms);

/* The lists of expressions by type of event. */

/*
 * Makes the lists and the code of expressions, after all answers are known. Returns 0 or -ENOMEM.
 */
int filter_lists_make(struct filter *filter, struct filter_terms *terms, const uint32_t *refs,
		      size_t n);

#endif
