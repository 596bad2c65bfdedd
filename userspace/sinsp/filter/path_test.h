/* SPDX-License-Identifier: MIT */
/* Checks of the path of an opened file that the kernel can make. */
#ifndef SINSP_FILTER_PATH_TEST_H
#define SINSP_FILTER_PATH_TEST_H

#include "sinsp/filter/kernel_test.h"

/*
 * As kernel_tests_make(), for a simple check of a path, with facts that the kernel has for it.
 * Exact are a whole path of up to 31 bytes, a begin of up to 32, an end of up to 16; of several
 * constants a whole path of up to 15, and a begin or an end of up to 16. For longer ones the tests
 * are necessary only.
 */
bool path_tests_make(const struct filter_check *check, bool negated, struct kernel_tests *tests);

#endif
