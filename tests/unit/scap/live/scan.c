/* SPDX-License-Identifier: MIT */
/* Passes of iterators: of a program that the kernel does not have, none. */
#include <errno.h>

#include "abi.h"
#include "lanner.skel.h"
#include "scap/live/scan.h"
#include "scap/live/skeleton.h"
#include "unit.h"

static void test_not_loaded(void **state)
{
	struct lanner *skeleton = live_skeleton_open(NULL);

	assert_non_null(skeleton);
	assert_int_equal(live_scan(skeleton->progs.find_owners, 1), -EOPNOTSUPP);
	lanner__destroy(skeleton);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_not_loaded),
};

UNIT_GROUP(tests);
