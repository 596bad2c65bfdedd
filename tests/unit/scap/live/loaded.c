/* SPDX-License-Identifier: MIT */
/* The descriptors of a capture: found by row, closed by kind. */
#include <fcntl.h>
#include <unistd.h>

#include "scap/live/loaded.h"
#include "unit.h"

enum { MANY = 200 };

static int open_null(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void test_find(void **state)
{
	struct live_loaded loaded = {0};
	int map = open_null(), program = open_null();

	assert_int_equal(live_loaded_find(&loaded, LIVE_MAP, 0), -1);
	assert_int_equal(live_loaded_add(&loaded, LIVE_MAP, LIVE_MAP_COUNTERS, map), 0);
	assert_int_equal(live_loaded_add(&loaded, LIVE_PROGRAM, LIVE_MAP_COUNTERS, program), 0);
	assert_int_equal(live_loaded_find(&loaded, LIVE_MAP, LIVE_MAP_COUNTERS), map);
	assert_int_equal(live_loaded_find(&loaded, LIVE_PROGRAM, LIVE_MAP_COUNTERS), program);
	assert_int_equal(live_loaded_find(&loaded, LIVE_LINK, LIVE_MAP_COUNTERS), -1);
	assert_int_equal(live_loaded_find(&loaded, LIVE_MAP, LIVE_MAP_RINGS), -1);
	live_loaded_finish(&loaded);
	assert_false(is_open(map) || is_open(program));
	assert_int_equal(loaded.count, 0);
}

/* Others stay, in their order. */
static void test_close(void **state)
{
	struct live_loaded loaded = {0};
	int links[MANY], programs[MANY];

	for (uint16_t i = 0; i < MANY; i++) {
		programs[i] = open_null();
		links[i] = open_null();
		assert_int_equal(live_loaded_add(&loaded, LIVE_PROGRAM, i, programs[i]), 0);
		assert_int_equal(live_loaded_add(&loaded, LIVE_LINK, i, links[i]), 0);
	}
	assert_true(live_loaded_close(&loaded, LIVE_LINK));
	assert_false(live_loaded_close(&loaded, LIVE_LINK));
	assert_int_equal(loaded.count, MANY);
	for (uint16_t i = 0; i < MANY; i++) {
		assert_false(is_open(links[i]));
		assert_true(is_open(programs[i]));
		assert_int_equal(loaded.parts[i].row, i);
	}
	/* There is room for more again. */
	for (uint16_t i = 0; i < MANY; i++)
		assert_int_equal(live_loaded_add(&loaded, LIVE_LINK, i, open_null()), 0);
	assert_int_equal(live_loaded_find(&loaded, LIVE_PROGRAM, MANY - 1), programs[MANY - 1]);
	live_loaded_finish(&loaded);
	assert_false(is_open(programs[0]));
}

/* It is the caller's then. */
static void test_take(void **state)
{
	struct live_loaded loaded = {0};
	int first = open_null(), second = open_null(), map = open_null();

	assert_int_equal(live_loaded_add(&loaded, LIVE_ITERATOR, 0, first), 0);
	assert_int_equal(live_loaded_add(&loaded, LIVE_MAP, 0, map), 0);
	assert_int_equal(live_loaded_add(&loaded, LIVE_ITERATOR, 1, second), 0);
	assert_int_equal(live_loaded_take(&loaded, LIVE_ITERATOR, 2), -1);
	assert_int_equal(live_loaded_take(&loaded, LIVE_ITERATOR, 0), first);
	assert_int_equal(live_loaded_take(&loaded, LIVE_ITERATOR, 0), -1);
	assert_int_equal(loaded.count, 2);
	assert_int_equal(live_loaded_find(&loaded, LIVE_MAP, 0), map);
	assert_int_equal(live_loaded_find(&loaded, LIVE_ITERATOR, 1), second);
	live_loaded_finish(&loaded);
	assert_true(is_open(first));
	assert_false(is_open(second) || is_open(map));
	close(first);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_close),
	cmocka_unit_test(test_take),
};

UNIT_GROUP(tests);
