/* SPDX-License-Identifier: MIT */
/* The code of a filter, generated from terms once all lists are known. */
#ifndef SINSP_FILTER_CODE_H
#define SINSP_FILTER_CODE_H

#include "sinsp/filter/terms.h"

/*
 * Marks the terms that are evaluated more than once for an event of a list, whose entries are still
 * references to terms.
 */
void filter_code_share(struct filter_terms *terms, const struct filter_list *list);

/*
 * Appends the code of a whole expression, unless it exists already, and sets `*entry`. Returns 0 or
 * -ENOMEM.
 */
int filter_code_add(struct filter *filter, struct filter_terms *terms, uint32_t ref,
		    uint32_t *entry);

#endif
