/* SPDX-License-Identifier: MIT */
/* The end of threads: at once, late, and after they were left behind. */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "meta/stage.h"
#include "unit.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, END_MS = 100, LONG_MS = 60000 };

static atomic_bool stopped, hangs;
static atomic_int running, destroyed, signals_blocked;

static void run(void *context)
{
	sigset_t blocked;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	atomic_store(&signals_blocked, sigismember(&blocked, SIGINT));
	atomic_store(&running, 1);
	while (atomic_load(&hangs) || !atomic_load(&stopped))
		usleep(1000);
}

static void stop(void *context)
{
	atomic_store((atomic_bool *)context, true);
}

static void destroy(void *context)
{
	assert_ptr_equal(context, &stopped);
	atomic_fetch_add(&destroyed, 1);
}

static struct meta_thread *begin(bool hanging)
{
	static const struct meta_thread_ops ops = {ROLE_METADATA, run, stop, destroy};
	struct meta_thread *thread;

	atomic_store(&stopped, false);
	atomic_store(&hangs, hanging);
	atomic_store(&running, 0);
	atomic_store(&destroyed, 0);
	assert_int_equal(meta_thread_start(&ops, &stopped, &thread), 0);
	while (!atomic_load(&running))
		usleep(1000);
	assert_int_equal(atomic_load(&signals_blocked), 1);
	return thread;
}

static uint64_t after_ms(uint64_t ms)
{
	return clock_ns(CLOCK_MONOTONIC) + ms * NS_PER_MS;
}

static void test_end(void **state)
{
	struct meta_thread *thread = begin(false);
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	meta_thread_stop(thread);
	meta_thread_end(thread, after_ms(LONG_MS));
	assert_int_equal(atomic_load(&destroyed), 1);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns < (uint64_t)LONG_MS * NS_PER_MS);
}

static void test_left_behind(void **state)
{
	struct meta_thread *thread = begin(true);
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), took_ns;

	meta_thread_end(thread, after_ms(END_MS));
	took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	assert_true(took_ns >= (uint64_t)END_MS * NS_PER_MS);
	assert_true(took_ns < (uint64_t)LONG_MS * NS_PER_MS);
	assert_int_equal(atomic_load(&destroyed), 0);
	/* It destroys what it uses when it ends. */
	atomic_store(&hangs, false);
	for (int i = 0; i < LONG_MS && !atomic_load(&destroyed); i++)
		usleep(1000);
	assert_int_equal(atomic_load(&destroyed), 1);
}

static void test_none(void **state)
{
	meta_thread_stop(NULL);
	meta_thread_end(NULL, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_end),
	cmocka_unit_test(test_left_behind),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
