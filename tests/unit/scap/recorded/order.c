/* SPDX-License-Identifier: MIT */
/* Records in the order of their times, as rounds allow it. */
#include <string.h>

#include "scap/recorded/order.h"
#include "unit.h"

static void put(struct recorded_order *order, uint64_t time_ns, const char *name)
{
	assert_int_equal(recorded_order_put(order, name, strlen(name) + 1, time_ns), 0);
}

/* The names of all that can be given out now. */
static const char *take(struct recorded_order *order)
{
	static char names[256];
	const void *record;
	uint64_t time_ns, before_ns = 0;
	size_t bytes;

	names[0] = '\0';
	while ((record = recorded_order_next(order, &bytes, &time_ns))) {
		assert_true(time_ns >= before_ns);
		before_ns = time_ns;
		assert_int_equal(bytes, strlen(record) + 1);
		strcat(names, record);
	}
	return names;
}

static void waits_for_rounds(void **state)
{
	struct recorded_order order = {0};

	put(&order, 30, "c");
	put(&order, 10, "a");
	assert_string_equal(take(&order), "");
	recorded_order_round(&order);
	/* Another CPU may still have something older. */
	assert_string_equal(take(&order), "");
	put(&order, 20, "b");
	put(&order, 50, "e");
	recorded_order_round(&order);
	assert_string_equal(take(&order), "abc");
	put(&order, 40, "d");
	recorded_order_end(&order);
	assert_string_equal(take(&order), "de");
	assert_int_equal(order.bytes, 0);
	assert_int_equal(order.forced, 0);
	recorded_order_finish(&order);
}

static void keeps_the_order_of_the_file_at_one_time(void **state)
{
	struct recorded_order order = {0};
	char name[2] = "";

	for (char c = 'a'; c <= 'z'; c++) {
		name[0] = c;
		put(&order, 7, name);
	}
	put(&order, 0, "0");
	recorded_order_end(&order);
	assert_string_equal(take(&order), "0abcdefghijklmnopqrstuvwxyz");
	recorded_order_finish(&order);
}

/* Who writes a file without rounds does not decide how much memory is used. */
static void has_room_for_so_much(void **state)
{
	struct recorded_order order = {.bytes_max = 4096};
	uint64_t time_ns, taken = 0;
	size_t bytes;

	for (uint64_t i = 0; i < 1000; i++) {
		put(&order, i + 1, "twenty bytes or so..");
		while (recorded_order_next(&order, &bytes, &time_ns))
			assert_int_equal(time_ns, ++taken);
		assert_true(order.bytes <= 4096);
	}
	assert_int_equal(order.forced, taken);
	assert_true(taken > 900);
	recorded_order_finish(&order);
}

static void orders_many(void **state)
{
	struct recorded_order order = {0};
	uint64_t time_ns, before_ns = 0, random = 1;
	size_t bytes, count = 0;

	for (int i = 0; i < 20000; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		put(&order, random >> 32, "x");
	}
	recorded_order_end(&order);
	for (; recorded_order_next(&order, &bytes, &time_ns); count++) {
		assert_true(time_ns >= before_ns);
		before_ns = time_ns;
	}
	assert_int_equal(count, 20000);
	recorded_order_finish(&order);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(waits_for_rounds),
	cmocka_unit_test(keeps_the_order_of_the_file_at_one_time),
	cmocka_unit_test(has_room_for_so_much),
	cmocka_unit_test(orders_many),
};

UNIT_GROUP(tests);
