/* SPDX-License-Identifier: MIT */
/* Checks of the path of an opened file that the kernel can make. */
#ifndef SINSP_FILTER_PATH_TEST_H
#define SINSP_FILTER_PATH_TEST_H

#include "sinsp/filter/kernel_test.h"

/*
 * As kernel_tests_make(), for a simple check of a path, with facts that the kernel has for it. A
 * single constant of up to 32 bytes is compared exactly, the end of up to 16; of longer ones the
 * tests are necessary only.
 */
bool path_tests_make(const struct filter_check *check, bool negated, struct kernel_tests *tests);

#endif
