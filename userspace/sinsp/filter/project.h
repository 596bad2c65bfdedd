/* SPDX-License-Identifier: MIT */
/*
 * The part of a filter that the kernel decides: for each type of event a list of checks, with the
 * answers that user space would give.
 */
#ifndef SINSP_FILTER_PROJECT_H
#define SINSP_FILTER_PROJECT_H

#include "sinsp/filter/program.h"
#include "sinsp/filter/terms.h"

/* Checks of a filter that the kernel can make, with the answer that user space would give. */

/* A comparison of one fact; the targets of `check` are not set. */
struct project_test {
	struct kernel_check check;
	bool negated;
};

/* What satisfies the check satisfies any of the tests, or with `negated` none of them. */
struct project_tests {
	bool negated;
	uint8_t count;
	struct project_test list[KERNEL_CHECKS_MAX];
};

/*
 * Converts a check for events of an id. negated: the filter wants its opposite, so the tests must
 * hold for the same events; otherwise they may hold for more. facts: those that are known, as bits
 * of enum kernel_fact. Returns false if there are no such tests.
 */
bool project_tests_make(const struct filter_check *check, bool negated, unsigned int id,
			uint32_t facts, struct project_tests *tests);

/* Whether there are such tests for any event; cheaper than to ask for each. */
bool project_tests_exist(const struct filter_check *check);

/* Whether the kernel can filter events of that id. */
bool project_tests_suit(unsigned int id);

/* Checks of the path of an opened file that the kernel can make. */

/*
 * As project_tests_make(), for a simple check of a path, with facts that the kernel has for it.
 * Exact are a whole path of up to 31 bytes, a begin of up to 32, an end of up to 16; of several
 * constants a whole path of up to 15, and a begin or an end of up to 16. For longer ones the tests
 * are necessary only.
 */
bool project_tests_make_path(const struct filter_check *check, bool negated,
			     struct project_tests *tests);

/*
 * The part of a filter that the kernel decides: for each type of event a list of checks that every
 * event passes that the filter passes. What the kernel cannot know counts as true, also under
 * `not`; what does not fit likewise.
 */

/*
 * Makes the part for events of an id from its list, whose entries are still references to terms.
 * Returns false if there is none: every event may pass. facts: see project_tests_make().
 */
bool filter_project(const struct filter_terms *terms, const struct filter_list *list,
		    unsigned int id, uint32_t facts, struct kernel_filter *filter);

/* Makes the parts of all types. */
void filter_project_all(const struct filter *filter, const struct filter_terms *terms,
			struct kernel_filters *filters);

#endif
