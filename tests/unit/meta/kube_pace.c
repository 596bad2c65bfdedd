/* SPDX-License-Identifier: MIT */
/* A bucket of requests, the back-off, and a time that the caller chose: the latest counts. */
#include "meta/kube_config.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static const struct kube_pace_limits limits = {10 * SECOND, 3};

static void test_bucket(void **state)
{
	struct kube_pace pace = {.limits = &limits};
	uint64_t now = 1000 * SECOND;

	/* Three at once, then one every ten seconds. */
	for (int i = 0; i < 3; i++) {
		assert_true(kube_pace_next_ns(&pace) <= now);
		kube_pace_count(&pace, now);
	}
	for (int i = 0; i < 5; i++) {
		assert_int_equal(kube_pace_next_ns(&pace), now + 10 * SECOND);
		now += 10 * SECOND;
		kube_pace_count(&pace, now);
	}
	/* After a pause of 20 s there are two. */
	now += 20 * SECOND;
	kube_pace_count(&pace, now);
	assert_true(kube_pace_next_ns(&pace) <= now);
	kube_pace_count(&pace, now);
	assert_int_equal(kube_pace_next_ns(&pace), now + 10 * SECOND);
	/* After a long one it is full, not more. */
	now += 1000 * SECOND;
	for (int i = 0; i < 3; i++) {
		assert_true(kube_pace_next_ns(&pace) <= now);
		kube_pace_count(&pace, now);
	}
	assert_int_equal(kube_pace_next_ns(&pace), now + 10 * SECOND);
}

static void test_latest_counts(void **state)
{
	struct kube_pace pace = {.limits = &limits};

	assert_int_equal(kube_pace_next_ns(&pace), 0);
	pace.not_before_ns = 5 * SECOND;
	assert_int_equal(kube_pace_next_ns(&pace), 5 * SECOND);
	backoff_failed(&pace.backoff, 6 * SECOND, 0);
	assert_int_equal(kube_pace_next_ns(&pace), 7 * SECOND);
	pace.not_before_ns = 8 * SECOND;
	assert_int_equal(kube_pace_next_ns(&pace), 8 * SECOND);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bucket),
	cmocka_unit_test(test_latest_counts),
};

UNIT_GROUP(tests);
