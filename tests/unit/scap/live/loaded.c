/* SPDX-License-Identifier: MIT */
/* The descriptors of a capture: found by row, closed by kind. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_syscall.h"
#include "scap/live/loaded.h"
#include "unit.h"
#include "util/clock.h"

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

/* More than are freed at once, and maps that may hold them. */
static void test_end(void **state)
{
	struct live_loaded loaded = {0};
	int programs[MANY], map = open_null();

	for (uint16_t i = 0; i < MANY; i++) {
		programs[i] = open_null();
		assert_int_equal(live_loaded_add(&loaded, LIVE_PROGRAM, i, programs[i]), 0);
	}
	assert_int_equal(live_loaded_add(&loaded, LIVE_MAP, 0, map), 0);
	live_loaded_end(&loaded);
	assert_false(is_open(map));
	for (uint16_t i = 0; i < MANY; i++)
		assert_false(is_open(programs[i]));
	assert_null(loaded.parts);
	live_loaded_end(&loaded);
}

static size_t waits;

static long count_waits(long number, const long arg[SYSCALL_ARGUMENTS])
{
	waits += number == SYS_membarrier;
	return real_syscall(number, arg);
}

static long know_no_membarrier(long number, const long arg[SYSCALL_ARGUMENTS])
{
	if (number != SYS_membarrier)
		return real_syscall(number, arg);
	errno = ENOSYS;
	return -1;
}

/* One behind the maps, and one for each 64 programs. */
static void test_waits(void **state)
{
	struct live_loaded loaded = {0};

	for (uint16_t i = 0; i < MANY; i++)
		assert_int_equal(live_loaded_add(&loaded, LIVE_PROGRAM, i, open_null()), 0);
	assert_int_equal(live_loaded_add(&loaded, LIVE_MAP, 0, open_null()), 0);
	waits = 0;
	fake_syscall_by(count_waits);
	live_loaded_end(&loaded);
	fake_syscall_by(real_syscall);
	assert_int_equal(waits, 1 + MANY / 64);
}

/* It takes the time that programs run at most. */
static void test_waits_without_membarrier(void **state)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	fake_syscall_by(know_no_membarrier);
	live_wait_for_frees(63);
	live_wait_for_frees(128);
	fake_syscall_by(real_syscall);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin >= 50000000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),  cmocka_unit_test(test_close),
	cmocka_unit_test(test_take),  cmocka_unit_test(test_end),
	cmocka_unit_test(test_waits), cmocka_unit_test(test_waits_without_membarrier),
};

UNIT_GROUP(tests);
