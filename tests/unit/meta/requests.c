/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <unistd.h>

#include "meta/requests.h"
#include "unit.h"
#include "util/clock.h"

static struct meta_requests *requests;

static int setup(void **state)
{
	requests = meta_requests_create();
	assert_non_null(requests);
	return 0;
}

static int teardown(void **state)
{
	meta_requests_unref(requests);
	return 0;
}

static void add(const char *id)
{
	struct meta_asked *asked = meta_asked_create(&(struct meta_request){.id = id});

	assert_non_null(asked);
	meta_requests_add(requests, asked);
}

static void test_order(void **state)
{
	static const char *const ids[] = {"1", "2", "3"};

	for (int i = 0; i < 3; i++)
		add(ids[i]);
	for (int i = 0; i < 3; i++) {
		struct meta_asked *asked = meta_requests_take(requests);

		assert_string_equal(asked->request.id, ids[i]);
		meta_asked_destroy(asked);
	}
	add("never taken");
}

static void add_of(enum meta_rank rank, const char *id)
{
	struct meta_asked *asked =
		meta_asked_create(&(struct meta_request){.id = id, .owner = rank, .rank = rank});

	assert_non_null(asked);
	assert_int_equal(asked->answer->rank, rank);
	assert_int_equal(asked->answer->owner, rank);
	meta_requests_add(requests, asked);
}

/* Those of runtimes first, whoever else asks for how many. */
static void test_ranks(void **state)
{
	static const char *const ids[] = {"r1", "r2", "o1", "u1", "u2"};

	add_of(META_OF_USER, "u1");
	add_of(META_OF_ROOT, "o1");
	add_of(META_OF_RUNTIME, "r1");
	add_of(META_OF_USER, "u2");
	add_of(META_OF_RUNTIME, "r2");
	for (int i = 0; i < 5; i++) {
		struct meta_asked *asked = meta_requests_take(requests);

		assert_string_equal(asked->request.id, ids[i]);
		meta_asked_destroy(asked);
	}
}

static void test_copies(void **state)
{
	char id[] = "1a", bundle[] = "/b";
	struct meta_request request = {
		.id = id, .bundle = bundle, .type = STATE_CONTAINER_PODMAN, .with_env = true};
	struct meta_asked *asked = meta_asked_create(&request);

	assert_non_null(asked);
	id[0] = bundle[0] = 'x';
	assert_string_equal(asked->request.id, "1a");
	assert_string_equal(asked->request.bundle, "/b");
	assert_int_equal(asked->request.type, STATE_CONTAINER_PODMAN);
	assert_true(asked->request.with_env);
	assert_string_equal(asked->answer->id, "1a");
	meta_asked_destroy(asked);
	meta_asked_destroy(NULL);
}

static bool add_later(const char *id, uint64_t base_ns, uint64_t ms)
{
	struct meta_asked *asked = meta_asked_create(&(struct meta_request){.id = id});

	assert_non_null(asked);
	asked->due_ns = base_ns + ms * 1000000;
	return meta_requests_add_later(requests, asked);
}

/* In the order in which they are due, and not earlier. */
static void test_later(void **state)
{
	static const char *const ids[] = {"now", "20", "40", "60"};
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	add_later("60", begin_ns, 60);
	add_later("20", begin_ns, 20);
	add_later("40", begin_ns, 40);
	add("now");
	for (uint64_t i = 0; i < 4; i++) {
		struct meta_asked *asked = meta_requests_take(requests);

		assert_string_equal(asked->request.id, ids[i]);
		assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns >= i * 20000000);
		meta_asked_destroy(asked);
	}
	add_later("never taken", clock_ns(CLOCK_MONOTONIC), 60000);
}

static void test_too_many_later(void **state)
{
	for (int i = 0; i < META_REQUESTS_LATER_MAX; i++)
		assert_true(add_later("x", clock_ns(CLOCK_MONOTONIC), 0));
	assert_false(add_later("too many", clock_ns(CLOCK_MONOTONIC), 0));
	for (int i = 0; i < META_REQUESTS_LATER_MAX; i++) {
		struct meta_asked *asked = meta_requests_take(requests);

		assert_string_equal(asked->request.id, "x");
		meta_asked_destroy(asked);
	}
	add("then");
	meta_asked_destroy(meta_requests_take(requests));
}

static void *take(void *context)
{
	return meta_requests_take(requests);
}

static void test_close(void **state)
{
	pthread_t thread;
	void *taken;

	assert_int_equal(pthread_create(&thread, NULL, take, NULL), 0);
	usleep(10000);
	meta_requests_close(requests);
	pthread_join(thread, &taken);
	assert_null(taken);
	/* What was added before, and later, is not given out. */
	add("late");
	assert_true(add_later("late", clock_ns(CLOCK_MONOTONIC), 0));
	assert_null(meta_requests_take(requests));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_order, setup, teardown),
	cmocka_unit_test_setup_teardown(test_ranks, setup, teardown),
	cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
	cmocka_unit_test_setup_teardown(test_later, setup, teardown),
	cmocka_unit_test_setup_teardown(test_too_many_later, setup, teardown),
	cmocka_unit_test_setup_teardown(test_close, setup, teardown),
};

UNIT_GROUP(tests);
