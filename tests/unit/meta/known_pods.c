/* SPDX-License-Identifier: MIT */
/* Which pods are known, and which a list does not have. */
#include <stdio.h>
#include <string.h>

#include "meta/pod_json.h"
#include "unit.h"

static void test_changes(void **state)
{
	struct pods_known known = {0};

	assert_int_equal(pods_known_put(&known, "a", 1), KNOWN_CHANGED);
	assert_int_equal(pods_known_put(&known, "a", 1), KNOWN_SAME);
	assert_int_equal(pods_known_put(&known, "a", 2), KNOWN_CHANGED);
	assert_int_equal(known.count, 1);
	assert_true(pods_known_remove(&known, "a"));
	assert_false(pods_known_remove(&known, "a"));
	assert_int_equal(pods_known_put(&known, "a", 2), KNOWN_CHANGED);
	pods_known_finish(&known);
	assert_int_equal(known.count, 0);
}

static void test_missing(void **state)
{
	struct pods_known known = {0};
	char uid[STATE_POD_UID_BYTES];
	unsigned int seen = 0;

	for (const char *name = "a\0b\0c\0d\0"; *name; name += 2)
		pods_known_put(&known, name, 1);
	pods_known_begin(&known);
	pods_known_put(&known, "b", 1);
	pods_known_put(&known, "e", 1);
	while (pods_known_take_missing(&known, uid))
		seen |= 1u << (uid[0] - 'a');
	assert_int_equal(seen, 1 << 0 | 1 << 2 | 1 << 3);
	assert_int_equal(known.count, 2);
	assert_int_equal(pods_known_put(&known, "b", 1), KNOWN_SAME);
	pods_known_finish(&known);
}

static void test_limits(void **state)
{
	static const char longer[] = "0123456789-0123456789-0123456789-0123";
	struct pods_known known = {0};
	char uid[STATE_POD_UID_BYTES];

	assert_int_equal(sizeof(longer), STATE_POD_UID_BYTES + 1);
	assert_int_equal(pods_known_put(&known, longer, 1), KNOWN_REJECTED);
	assert_int_equal(pods_known_put(&known, longer + 1, 1), KNOWN_CHANGED);
	for (int i = 1; i < KNOWN_PODS_MAX; i++) {
		snprintf(uid, sizeof(uid), "%d", i);
		assert_int_equal(pods_known_put(&known, uid, 1), KNOWN_CHANGED);
	}
	assert_int_equal(pods_known_put(&known, "more", 1), KNOWN_REJECTED);
	assert_int_equal(pods_known_put(&known, "7", 2), KNOWN_CHANGED);
	assert_true(pods_known_remove(&known, "7"));
	assert_int_equal(pods_known_put(&known, "more", 1), KNOWN_CHANGED);
	pods_known_finish(&known);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_changes),
	cmocka_unit_test(test_missing),
	cmocka_unit_test(test_limits),
};

UNIT_GROUP(tests);
