/* SPDX-License-Identifier: MIT */
/* What the type of an event says about the checks of a filter. */
#ifndef SINSP_FILTER_TYPES_H
#define SINSP_FILTER_TYPES_H

#include "sinsp/filter/terms.h"

/* Whether the type of an event says something about a check. */
bool filter_types_matter(const struct filter_check *check);

/* Finds the answers of all checks for which it does. The slots are there. Returns 0 or -ENOMEM. */
int filter_types_answer(struct filter *filter, struct filter_terms *terms);

#endif
