/* SPDX-License-Identifier: MIT */
/* Waits that end by an event, by their time, or by a stop from another thread. */
#include "output/stop.h"
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static void test_events_and_time(void **state)
{
	struct output_stop stop;
	int ends[2];

	assert_int_equal(output_stop_init(&stop), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(output_wait(&stop, ends[0], POLLIN, 1), -ETIMEDOUT);
	assert_int_equal(output_wait(&stop, -1, 0, 1), -ETIMEDOUT);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(output_wait(&stop, ends[0], POLLIN, -1), 1);
	output_stop_now(&stop);
	/* The stop counts more than what can be read. */
	assert_int_equal(output_wait(&stop, ends[0], POLLIN, -1), -ECANCELED);
	assert_true(output_is_stopped(&stop));
	close(ends[0]);
	close(ends[1]);
	output_stop_finish(&stop);
}

static void *stop_later(void *stop)
{
	output_stop_now(stop);
	return NULL;
}

static void test_stop_ends_a_wait(void **state)
{
	struct output_stop stop;
	pthread_t thread;

	assert_int_equal(output_stop_init(&stop), 0);
	assert_false(output_is_stopped(&stop));
	assert_int_equal(pthread_create(&thread, NULL, stop_later, &stop), 0);
	assert_int_equal(output_wait(&stop, -1, 0, -1), -ECANCELED);
	pthread_join(thread, NULL);
	output_stop_finish(&stop);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events_and_time),
	cmocka_unit_test(test_stop_ends_a_wait),
};

UNIT_GROUP(tests);
