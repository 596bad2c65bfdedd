/* SPDX-License-Identifier: MIT */
/* Checks of a filter that the kernel can make, with the answer that user space would give. */
#ifndef SINSP_FILTER_KERNEL_TEST_H
#define SINSP_FILTER_KERNEL_TEST_H

#include "sinsp/filter/program.h"

/* A comparison of one fact; the targets of `check` are not set. */
struct kernel_test {
	struct kernel_check check;
	bool negated;
};

/* What satisfies the check satisfies any of the tests, or with `negated` none of them. */
struct kernel_tests {
	bool negated;
	uint8_t count;
	struct kernel_test list[KERNEL_CHECKS_MAX];
};

/*
 * Converts a check for events of an id. negated: the filter wants its opposite, so the tests must
 * hold for the same events; otherwise they may hold for more. facts: those that are known, as bits
 * of enum kernel_fact. Returns false if there are no such tests.
 */
bool kernel_tests_make(const struct filter_check *check, bool negated, unsigned int id,
		       uint32_t facts, struct kernel_tests *tests);

/* Whether there are such tests for any event; cheaper than to ask for each. */
bool kernel_tests_exist(const struct filter_check *check);

/* Whether the kernel can filter events of that id. */
bool kernel_tests_suit(unsigned int id);

#endif
