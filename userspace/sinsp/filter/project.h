/* SPDX-License-Identifier: MIT */
/*
 * The part of a filter that the kernel decides: for each type of event a list of checks that every
 * event passes that the filter passes. What the kernel cannot know counts as true, also under
 * `not`; what does not fit likewise.
 */
#ifndef SINSP_FILTER_PROJECT_H
#define SINSP_FILTER_PROJECT_H

#include "sinsp/filter/terms.h"

/*
 * Makes the part for events of an id from its list, whose entries are still references to terms.
 * Returns false if there is none: every event may pass. facts: see kernel_tests_make().
 */
bool filter_project(const struct filter_terms *terms, const struct filter_list *list,
		    unsigned int id, uint32_t facts, struct kernel_filter *filter);

/* Makes the parts of all types. */
void filter_project_all(const struct filter *filter, const struct filter_terms *terms,
			struct kernel_filters *filters);

#endif
