/* SPDX-License-Identifier: MIT */
/* Checks of a filter that the type of an event decides. */
#ifndef SINSP_FILTER_TYPES_H
#define SINSP_FILTER_TYPES_H

#include "sinsp/filter/terms.h"

/* Whether the type of an event can decide a check. */
bool filter_types_matter(const struct filter_check *check);

/*
 * Computes the answers of all such checks. filter->regs must be allocated. Returns 0 or -ENOMEM.
 */
int filter_types_answer(struct filter *filter, struct filter_terms *terms);

#endif
