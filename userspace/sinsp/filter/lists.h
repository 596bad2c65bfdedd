/* SPDX-License-Identifier: MIT */
/* The lists of expressions by type of event. */
#ifndef SINSP_FILTER_LISTS_H
#define SINSP_FILTER_LISTS_H

#include "sinsp/filter/terms.h"

/*
 * Makes the lists and the code of expressions, after all answers are known. Returns 0 or -ENOMEM.
 */
int filter_lists_make(struct filter *filter, struct filter_terms *terms, const uint32_t *refs,
		      size_t n);

#endif
