/* SPDX-License-Identifier: MIT */
/* Enter events that wait: found by thread, newest first, and never more than the memory allows. */
#include <string.h>

#include "scap/file/upgrade.h"
#include "unit.h"

static struct upgrade_pending pending;

static int begin(void **state)
{
	return upgrade_pending_init(&pending);
}

static int end(void **state)
{
	upgrade_pending_finish(&pending);
	return 0;
}

static void put(int64_t tid, uint16_t id, const char *first, const char *second)
{
	const struct event_param params[] = {
		{(const uint8_t *)first, (uint32_t)strlen(first)},
		{(const uint8_t *)second, (uint32_t)strlen(second)},
	};

	upgrade_pending_put(&pending, tid, id, params, 2);
}

static void check_param(const struct upgrade_enter *enter, unsigned int index, const char *text)
{
	struct event_param param = upgrade_enter_param(enter, index);

	assert_int_equal(param.len, strlen(text));
	assert_memory_equal(param.data, text, param.len);
}

static void test_newest_wins(void **state)
{
	struct upgrade_enter *enter;

	assert_null(upgrade_pending_find(&pending, 5));
	put(5, 6, "a", "bcd");
	put(-1, 8, "", "x");
	put(5, 10, "", "efghi");
	enter = upgrade_pending_find(&pending, 5);
	assert_non_null(enter);
	assert_int_equal(enter->id, 10);
	check_param(enter, 0, "");
	check_param(enter, 1, "efghi");
	assert_int_equal(upgrade_enter_param(enter, 2).len, 0);
	upgrade_pending_forget(&pending, enter);
	assert_null(upgrade_pending_find(&pending, 5));
	enter = upgrade_pending_find(&pending, -1);
	check_param(enter, 1, "x");
	upgrade_pending_forget(&pending, enter);
	upgrade_pending_forget(&pending, NULL);
	assert_int_equal(pending.bytes, 0);
}

/* Ids that share a bucket, as those of a hostile file. */
static void test_threads_of_one_bucket(void **state)
{
	int64_t tid;

	for (tid = 0; tid < 3 * PENDING_WAYS; tid++)
		put(tid * PENDING_BUCKETS, 6, "a", "b");
	for (tid = 0; tid < 3 * PENDING_WAYS; tid++)
		assert_int_equal(upgrade_pending_find(&pending, tid * PENDING_BUCKETS) != NULL,
				 tid >= 2 * PENDING_WAYS);
	/* One that leaves from the middle makes room, and none of the others goes. */
	tid = 2 * PENDING_WAYS + 3;
	upgrade_pending_forget(&pending, upgrade_pending_find(&pending, tid * PENDING_BUCKETS));
	put(1000 * PENDING_BUCKETS, 6, "a", "b");
	for (int64_t other = 2 * PENDING_WAYS; other < 3 * PENDING_WAYS; other++)
		assert_int_equal(upgrade_pending_find(&pending, other * PENDING_BUCKETS) != NULL,
				 other != tid);
}

static void test_bytes_are_bounded(void **state)
{
	static uint8_t value[UINT16_MAX];
	const struct event_param param = {value, sizeof(value)};
	enum { FIT = PENDING_BYTES_MAX / sizeof(value), THREADS = 3 * FIT };

	for (int64_t tid = 1; tid <= THREADS; tid++) {
		upgrade_pending_put(&pending, tid, 6, &param, 1);
		assert_true(pending.bytes <= PENDING_BYTES_MAX);
		assert_non_null(upgrade_pending_find(&pending, tid));
	}
	assert_null(upgrade_pending_find(&pending, THREADS - FIT));
	assert_non_null(upgrade_pending_find(&pending, THREADS - FIT + 2));
}

/* As many as a machine may have at work. */
static void test_many_threads(void **state)
{
	for (int64_t tid = 1; tid <= 20000; tid++)
		put(tid, (uint16_t)(tid % 400), "a", "b");
	for (int64_t tid = 1; tid <= 20000; tid++) {
		struct upgrade_enter *enter = upgrade_pending_find(&pending, tid);

		assert_non_null(enter);
		assert_int_equal(enter->id, tid % 400);
		upgrade_pending_forget(&pending, enter);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_newest_wins, begin, end),
	cmocka_unit_test_setup_teardown(test_threads_of_one_bucket, begin, end),
	cmocka_unit_test_setup_teardown(test_bytes_are_bounded, begin, end),
	cmocka_unit_test_setup_teardown(test_many_threads, begin, end),
};

UNIT_GROUP(tests);
