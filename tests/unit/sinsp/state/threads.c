/* SPDX-License-Identifier: MIT */
/* The table of threads: finding, growth, the limit, counts of threads in a process. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/threads.h"
#include "unit.h"

enum { THREADS_MAX = 5000 };

struct fixture {
	struct pool pool;
	struct state_threads threads;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){0};
	assert_int_equal(state_threads_init(&fixture.threads, &fixture.pool, THREADS_MAX), 0);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	state_threads_finish(&fixture->threads);
	pool_finish(&fixture->pool);
	return 0;
}

static int64_t ptid_of(struct state_threads *threads, int64_t tid)
{
	return state_threads_find(threads, tid)->thread.ptid;
}

/* Random children of random parents, known ones and others, against a plain array. */
static void passes_children_on(void **state)
{
	enum { PARENTS = 2000, STEPS = 100000 };
	struct state_threads *threads = &((struct fixture *)*state)->threads;
	static int64_t ptids[THREADS_MAX + 1];

	for (int step = 0; step < STEPS; step++) {
		int64_t tid = 1 + rand() % THREADS_MAX, from = rand() % PARENTS - 1,
			to = 1 + rand() % PARENTS;
		struct state_thread_entry *entry = state_threads_find(threads, tid);

		if (step % 8 == 0) {
			state_threads_reparent(threads, from, to);
			for (int i = 1; i <= THREADS_MAX; i++)
				if (ptids[i] == from && from > 0)
					ptids[i] = to;
		} else if (step % 8 < 3 && entry) {
			state_threads_remove(threads, entry);
			ptids[tid] = 0;
		} else {
			if (!entry)
				entry = state_threads_add(threads, tid, tid);
			state_threads_set_parent(threads, &entry->thread, from);
			ptids[tid] = from;
		}
		if (ptids[tid])
			assert_int_equal(ptid_of(threads, tid), ptids[tid]);
	}
	for (int64_t tid = 1; tid <= THREADS_MAX; tid++)
		if (ptids[tid])
			assert_int_equal(ptid_of(threads, tid), ptids[tid]);
}

static void finds(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;
	struct state_thread_entry *entry;

	for (int64_t tid = 1; tid <= THREADS_MAX; tid++) {
		entry = state_threads_add(threads, tid, tid);
		assert_int_equal(entry->thread.tid, tid);
		assert_int_equal(entry->thread.ptid, -1);
		assert_int_equal(entry->thread.nthreads, 1);
	}
	for (int64_t tid = 1; tid <= THREADS_MAX; tid++)
		assert_int_equal(state_threads_find(threads, tid)->thread.tid, tid);
	assert_null(state_threads_find(threads, 0));
	assert_null(state_threads_find(threads, -1));
	for (int64_t tid = 1; tid <= THREADS_MAX; tid += 2)
		state_threads_remove(threads, state_threads_find(threads, tid));
	for (int64_t tid = 1; tid <= THREADS_MAX; tid++)
		assert_int_equal(!!state_threads_find(threads, tid), tid % 2 == 0);
	assert_int_equal(threads->entries, THREADS_MAX / 2);
	assert_int_equal(threads->evicted, 0);
}

static void replaces(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;

	state_threads_add(threads, 1, 1);
	state_threads_add(threads, 2, 1);
	assert_int_equal(state_threads_find(threads, 1)->thread.nthreads, 2);
	state_threads_add(threads, 2, 2);
	assert_int_equal(state_threads_find(threads, 1)->thread.nthreads, 1);
	assert_int_equal(state_threads_find(threads, 2)->thread.pid, 2);
	assert_int_equal(threads->entries, 2);
}

static void evicts_the_idle(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;
	unsigned int idle = 0;

	for (int64_t tid = 1; tid <= THREADS_MAX; tid++) {
		struct state_thread_entry *entry = state_threads_add(threads, tid, tid);

		if (tid % 2)
			state_threads_use(threads, &entry->thread);
	}
	for (int64_t tid = 10001; tid <= 10100; tid++)
		state_threads_use(threads, &state_threads_add(threads, tid, tid)->thread);
	assert_int_equal(threads->entries, THREADS_MAX);
	assert_int_equal(threads->evicted, 100);
	for (int64_t tid = 1; tid <= THREADS_MAX; tid++) {
		if (tid % 2)
			assert_non_null(state_threads_find(threads, tid));
		else
			idle += !!state_threads_find(threads, tid);
	}
	assert_int_equal(idle, THREADS_MAX / 2 - 100);
	for (int64_t tid = 10001; tid <= 10100; tid++)
		assert_non_null(state_threads_find(threads, tid));
}

static void evicts_even_if_all_are_busy(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;
	struct state_thread_entry *pinned = NULL;

	for (int64_t tid = 1; tid <= THREADS_MAX; tid++) {
		pinned = state_threads_add(threads, tid, tid);
		state_threads_use(threads, &pinned->thread);
	}
	for (int64_t tid = 10001; tid <= 10000 + 3 * THREADS_MAX; tid++)
		assert_non_null(state_threads_add(threads, tid, tid));
	assert_int_equal(threads->entries, THREADS_MAX);
	assert_int_equal(threads->evicted, 3 * THREADS_MAX);
	assert_ptr_equal(state_threads_find(threads, THREADS_MAX), pinned);
}

static void evicts_main_threads_last(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;

	state_threads_add(threads, 1, 1);
	for (int64_t tid = 2; tid <= THREADS_MAX; tid++)
		state_threads_add(threads, tid, 1);
	for (int64_t tid = 10001; tid <= 10100; tid++)
		state_threads_use(threads, &state_threads_add(threads, tid, 1)->thread);
	assert_non_null(state_threads_find(threads, 1));
	assert_int_equal(state_threads_find(threads, 1)->thread.nthreads, THREADS_MAX);
}

static void ends_processes_with_their_last_thread(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;

	state_threads_add(threads, 1, 1);
	state_threads_add(threads, 2, 1);
	state_threads_end(threads, state_threads_find(threads, 1));
	assert_true(state_threads_find(threads, 1)->ended);
	state_threads_end(threads, state_threads_find(threads, 1));
	assert_non_null(state_threads_find(threads, 1));
	state_threads_end(threads, state_threads_find(threads, 2));
	assert_int_equal(threads->entries, 0);
	/* A thread whose main one is not known. */
	state_threads_end(threads, state_threads_add(threads, 4, 3));
	assert_int_equal(threads->entries, 0);
}

static void remove_odd(struct state_thread_entry *entry, void *context)
{
	struct state_threads *threads = context;

	if (entry->thread.tid % 2)
		state_threads_remove(threads, entry);
}

static void visits_all_that_are_known(void **state)
{
	struct state_threads *threads = &((struct fixture *)*state)->threads;

	for (int64_t tid = 1; tid <= 1000; tid++)
		state_threads_add(threads, tid, tid);
	state_threads_find(threads, 7)->unknown = true;
	threads->unknown++;
	state_threads_each(threads, remove_odd, threads);
	assert_int_equal(threads->entries, 501);
	assert_non_null(state_threads_find(threads, 7));
	state_threads_remove(threads, state_threads_find(threads, 7));
	assert_int_equal(threads->unknown, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(finds),
	TEST(passes_children_on),
	TEST(replaces),
	TEST(evicts_the_idle),
	TEST(evicts_even_if_all_are_busy),
	TEST(evicts_main_threads_last),
	TEST(ends_processes_with_their_last_thread),
	TEST(visits_all_that_are_known),
};

UNIT_GROUP(tests);
