/* SPDX-License-Identifier: MIT */
/* Order, the bound of what is pushed, and the end while somebody waits. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "meta/sink.h"
#include "unit.h"
#include "util/clock.h"
#include "util/waker.h"

enum { NS_PER_MS = 1000000, MANY = 2 * META_SINK_PUSHED_MAX };

static struct meta_sink *sink;

static int setup(void **state)
{
	sink = meta_sink_create();
	assert_non_null(sink);
	return 0;
}

static int teardown(void **state)
{
	meta_sink_unref(sink);
	return 0;
}

static struct meta_update *make(const char *id)
{
	struct meta_update *update = meta_update_create(META_CONTAINER, id);

	assert_non_null(update);
	return update;
}

static void expect(const char *id, bool is_answer)
{
	struct meta_update *update;

	assert_true(meta_sink_is_ready(sink));
	update = meta_sink_take(sink);
	assert_non_null(update);
	assert_string_equal(update->id, id);
	assert_int_equal(update->is_answer, is_answer);
	meta_update_destroy(update);
}

static void test_wakes(void **state)
{
	struct waker *waker;
	struct pollfd poll_fd = {.events = POLLIN};

	assert_int_equal(waker_create(&waker), 0);
	poll_fd.fd = waker_fd(waker);
	meta_sink_set_waker(sink, waker);
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	meta_sink_answer(sink, make("1"));
	assert_int_equal(poll(&poll_fd, 1, 0), 1);
	waker_rest(waker);
	assert_int_equal(meta_post(sink, make("2")), 0);
	assert_int_equal(poll(&poll_fd, 1, 0), 1);
	waker_rest(waker);
	/* Who closed it may have none any more. */
	meta_sink_close(sink);
	meta_sink_answer(sink, make("3"));
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	waker_destroy(waker);
}

static void test_order(void **state)
{
	assert_false(meta_sink_is_ready(sink));
	assert_null(meta_sink_take(sink));
	meta_sink_answer(sink, make("1"));
	assert_int_equal(meta_post(sink, make("2")), 0);
	meta_sink_answer(sink, make("3"));
	expect("1", true);
	expect("2", false);
	expect("3", true);
	assert_false(meta_sink_is_ready(sink));
	assert_int_equal(meta_sink_counter(sink, META_PUSHED), 1);
}

static void test_no_memory(void **state)
{
	assert_int_equal(meta_post(sink, NULL), -ENOMEM);
	assert_int_equal(meta_sink_counter(sink, META_PUSHES_LOST), 1);
}

static atomic_int posted, refused;

static void *post_many(void *context)
{
	for (int i = 0; i < MANY; i++) {
		if (meta_post(sink, make("x")))
			atomic_fetch_add(&refused, 1);
		else
			atomic_fetch_add(&posted, 1);
	}
	return NULL;
}

static pthread_t begin_posting(void)
{
	pthread_t thread;

	atomic_store(&posted, 0);
	atomic_store(&refused, 0);
	assert_int_equal(pthread_create(&thread, NULL, post_many, NULL), 0);
	while (atomic_load(&posted) < META_SINK_PUSHED_MAX)
		usleep(1000);
	usleep(20000);
	assert_int_equal(atomic_load(&posted), META_SINK_PUSHED_MAX);
	return thread;
}

/* Answers have room meanwhile. */
static void test_full(void **state)
{
	pthread_t thread = begin_posting();
	int answers = 0;

	meta_sink_answer(sink, make("answer"));
	for (int i = 0; i < MANY + 1; i++) {
		struct meta_update *update;

		assert_true(meta_sink_wait(sink, UINT64_C(60000) * NS_PER_MS));
		update = meta_sink_take(sink);
		answers += update->is_answer;
		meta_update_destroy(update);
	}
	pthread_join(thread, NULL);
	assert_int_equal(answers, 1);
	assert_int_equal(atomic_load(&posted), MANY);
}

static void test_close(void **state)
{
	pthread_t thread = begin_posting();

	meta_sink_close(sink);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&posted), META_SINK_PUSHED_MAX);
	assert_int_equal(atomic_load(&refused), MANY - META_SINK_PUSHED_MAX);
	assert_int_equal(meta_post(sink, make("late")), -ECANCELED);
}

static void test_wait_ends(void **state)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	assert_false(meta_sink_wait(sink, 20 * NS_PER_MS));
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns >= 20 * NS_PER_MS);
}

/* What one has posted stays for the other. */
static void test_references(void **state)
{
	meta_sink_unref(meta_sink_ref(sink));
	meta_post(sink, make("1"));
	expect("1", false);
	meta_post(sink, make("never taken"));
}

static void test_times(void **state)
{
	meta_sink_count_time(sink, 0);
	meta_sink_count_time(sink, 999);
	meta_sink_count_time(sink, 1000);
	meta_sink_count_time(sink, 20 * NS_PER_MS);
	meta_sink_count_time(sink, UINT64_MAX);
	assert_int_equal(meta_sink_time(sink, 0), 2);
	assert_int_equal(meta_sink_time(sink, 1), 1);
	assert_int_equal(meta_sink_time(sink, 15), 1); /* less than 32,768 us */
	assert_int_equal(meta_sink_time(sink, META_TIMES - 1), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_wakes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_order, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
	cmocka_unit_test_setup_teardown(test_full, setup, teardown),
	cmocka_unit_test_setup_teardown(test_close, setup, teardown),
	cmocka_unit_test_setup_teardown(test_wait_ends, setup, teardown),
	cmocka_unit_test_setup_teardown(test_references, setup, teardown),
	cmocka_unit_test_setup_teardown(test_times, setup, teardown),
};

UNIT_GROUP(tests);
