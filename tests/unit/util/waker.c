/* SPDX-License-Identifier: MIT */
/* Calls and ends of readers make the waker readable, until it rests. */
#include "util/waker.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "unit.h"

static bool is_readable(const struct waker *waker)
{
	struct pollfd poll_fd = {.fd = waker_fd(waker), .events = POLLIN};

	return poll(&poll_fd, 1, 0) == 1;
}

static struct waker *create(void)
{
	struct waker *waker;

	assert_int_equal(waker_create(&waker), 0);
	assert_false(is_readable(waker));
	return waker;
}

static void test_calls(void **state)
{
	struct waker *waker = create();

	waker_rest(waker);
	errno = EDOM;
	waker_wake(waker);
	waker_wake(waker);
	assert_int_equal(errno, EDOM);
	assert_true(is_readable(waker));
	waker_rest(waker);
	assert_false(is_readable(waker));
	waker_wake(waker);
	assert_true(is_readable(waker));
	waker_destroy(waker);
}

/* The end of a reader is told once, so that nobody who cannot end then goes round. */
static void test_reader(void **state)
{
	struct waker *waker = create();
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	waker_watch_reader(waker, ends[1]);
	assert_false(is_readable(waker));
	close(ends[0]);
	assert_true(is_readable(waker));
	waker_wake(waker);
	waker_rest(waker);
	assert_false(is_readable(waker));
	close(ends[1]);
	waker_destroy(waker);
}

static void test_file_is_ignored(void **state)
{
	struct waker *waker = create();

	waker_watch_reader(waker, -1);
	waker_watch_reader(waker, fileno(tmpfile()));
	assert_false(is_readable(waker));
	waker_wake(waker);
	assert_true(is_readable(waker));
	waker_destroy(waker);
}

static void test_none(void **state)
{
	assert_int_equal(waker_fd(NULL), -1);
	waker_wake(NULL);
	waker_rest(NULL);
	waker_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_calls),
	cmocka_unit_test(test_reader),
	cmocka_unit_test(test_file_is_ignored),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
