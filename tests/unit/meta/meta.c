/* SPDX-License-Identifier: MIT */
/* The thread: order, bounds, counters, and sources that are slow, fail or hang. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/meta.h"
#include "patience.h"
#include "unit.h"
#include "util/clock.h"

enum { NS_PER_MS = 1000000, SLOW_US = 30000 };

/* A source that knows containers by the first letter of their ids. */
static atomic_bool blocked; /* while set, "h..." hangs */
static atomic_bool hangs; /* it does */
static atomic_int destroyed;

static int describe(struct meta_source *source, const struct meta_request *request,
		    struct state_container_info *info, struct error *err)
{
	switch (*request->id) {
	case 'm':
		return -ENOENT;
	case 'f':
		return error_set(err, -EIO, "it fails");
	case 's':
		usleep(SLOW_US);
		break;
	case 'h':
		atomic_store(&hangs, true);
		while (atomic_load(&blocked))
			usleep(1000);
		break;
	case 'l':
		info->texts.left_out = 3;
		break;
	case 'p':
		error_set(err, -EIO, "a part of it fails");
		break;
	}
	info->name = arena_text(&info->texts.arena, request->id, strlen(request->id));
	if (request->bundle)
		info->image.name =
			arena_text(&info->texts.arena, request->bundle, strlen(request->bundle));
	return 0;
}

static void destroy(struct meta_source *source)
{
	atomic_fetch_add(&destroyed, 1);
	free(source);
}

static const struct meta_source_ops ops = {describe, destroy};
static struct meta *meta;

static void begin(uint32_t requests_max)
{
	struct meta_source *source = calloc(1, sizeof(*source));

	assert_non_null(source);
	source->ops = &ops;
	atomic_store(&destroyed, 0);
	assert_int_equal(meta_create(&source, 1, requests_max, &meta, NULL), 0);
}

/* Destroys it, and `count` sources and followers, of which a slow machine leaves some behind. */
static void end_all(int count)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	meta_destroy(meta);
	if (clock_ns(CLOCK_MONOTONIC) - begin_ns >= (uint64_t)META_END_MS * NS_PER_MS)
		assert_true(waited_until(atomic_load(&destroyed) >= count));
	assert_int_equal(atomic_load(&destroyed), count);
}

static void end(void)
{
	end_all(1);
}

static int request(const char *id)
{
	return meta_request(meta, &(struct meta_request){.id = id});
}

static struct meta_update *take(const char *id)
{
	struct meta_update *update;

	assert_true(meta_wait(meta, PATIENCE_NS));
	assert_true(meta_is_ready(meta));
	update = meta_take(meta);
	assert_non_null(update);
	assert_string_equal(update->id, id);
	return update;
}

static void expect(const char *id, bool known)
{
	struct meta_update *answer = take(id);

	assert_int_equal(answer->info != NULL, known);
	assert_true(answer->is_answer);
	meta_update_destroy(answer);
}

static uint64_t counted(enum meta_counter counter)
{
	struct meta_stats found;

	meta_stats(meta, &found);
	return found.counts[counter];
}

static void test_answers(void **state)
{
	struct meta_update *answer;

	begin(0);
	assert_false(meta_is_ready(meta));
	assert_null(meta_take(meta));
	assert_int_equal(meta_request(meta, &(struct meta_request){.id = "a", .bundle = "/b"}), 0);
	assert_int_equal(meta_pending(meta), 1);
	answer = take("a");
	assert_string_equal(answer->info->name, "a");
	assert_string_equal(answer->info->image.name, "/b");
	assert_string_equal(answer->err.text, "");
	meta_update_destroy(answer);
	assert_int_equal(meta_pending(meta), 0);
	assert_false(meta_is_ready(meta));
	end();
}

static void test_order(void **state)
{
	begin(0);
	request("s1");
	request("a2");
	request("m3");
	expect("s1", true);
	expect("a2", true);
	expect("m3", false);
	end();
}

static void test_counters(void **state)
{
	struct meta_update *answer;

	begin(0);
	request("a");
	request("m");
	request("f");
	request("l");
	request("p");
	expect("a", true);
	expect("m", false);
	answer = take("f");
	assert_null(answer->info);
	assert_string_equal(answer->err.text, "it fails");
	meta_update_destroy(answer);
	expect("l", true);
	expect("p", true);
	assert_int_equal(counted(META_REQUESTS), 5);
	assert_int_equal(counted(META_DESCRIBED), 3);
	assert_int_equal(counted(META_MISSING), 2);
	assert_int_equal(counted(META_FAILED), 2);
	assert_int_equal(counted(META_LEFT_OUT), 3);
	assert_int_equal(counted(META_REJECTED), 0);
	end();
}

/* Answers that were not taken count, too: nothing grows without bound. */
static void test_bound(void **state)
{
	begin(2);
	assert_int_equal(request("a"), 0);
	assert_int_equal(request("b"), 0);
	assert_true(meta_wait(meta, PATIENCE_NS));
	assert_int_equal(request("c"), -EAGAIN);
	assert_int_equal(counted(META_REJECTED), 1);
	expect("a", true);
	assert_int_equal(request("d"), 0);
	expect("b", true);
	expect("d", true);
	end();
}

static int request_of(enum meta_rank rank, uint32_t owner)
{
	const struct meta_request wanted = {.id = "u", .owner = owner, .rank = rank};

	return meta_request(meta, &wanted);
}

static void take_all(int count)
{
	while (count--) {
		assert_true(meta_wait(meta, PATIENCE_NS));
		meta_update_destroy(meta_take(meta));
	}
}

/* A user has a share, users together have one; runtimes have room all the same. */
static void test_shares(void **state)
{
	int of_users = 0;

	begin(0);
	for (int i = 0; i < META_OF_USER_MAX; i++, of_users++)
		assert_int_equal(request_of(META_OF_USER, 7), 0);
	assert_int_equal(request_of(META_OF_USER, 7), -EAGAIN);
	assert_int_equal(request_of(META_OF_USER, 8), 0);
	for (of_users++; of_users < META_OF_USERS_MAX; of_users++)
		assert_int_equal(request_of(META_OF_USER, 1000 + of_users), 0);
	assert_int_equal(request_of(META_OF_USER, 9), -EAGAIN);
	/* Nothing waits for them. */
	assert_int_equal(meta_pending(meta), 0);
	assert_int_equal(request_of(META_OF_RUNTIME, STATE_OWNER_ROOT), 0);
	assert_int_equal(meta_pending(meta), 1);
	take_all(of_users + 1);
	assert_int_equal(meta_pending(meta), 0);
	for (int i = 0; i < META_OF_USER_MAX; i++)
		assert_int_equal(request_of(META_OF_USER, 7), 0);
	assert_int_equal(request_of(META_OF_USER, 7), -EAGAIN);
	take_all(META_OF_USER_MAX);
	end();
}

/* What no runtime's process leads to is not waited for when it is a flood. */
static void test_flood_of_root(void **state)
{
	begin(0);
	for (int i = 0; i < META_AWAITED_MAX; i++)
		assert_int_equal(request_of(META_OF_ROOT, STATE_OWNER_ROOT), 0);
	assert_int_equal(meta_pending(meta), META_AWAITED_MAX);
	assert_int_equal(request_of(META_OF_ROOT, STATE_OWNER_ROOT), 0);
	assert_int_equal(meta_pending(meta), 0);
	take_all(META_AWAITED_MAX + 1);
	end();
}

/* The same for users, which have a bound of their own. */
static void test_bound_of_users(void **state)
{
	const struct state_users_wanted wanted = {.id = "a", .pid = INT32_MAX};
	struct meta_update *update;
	struct scap_proc *proc;

	begin(1);
	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	assert_int_equal(meta_read_users(meta, proc, NULL), 0);
	assert_int_equal(request("b"), 0);
	expect("b", true);
	assert_int_equal(meta_request_users(meta, &wanted), 0);
	assert_int_equal(meta_request_users(meta, &wanted), -EAGAIN);
	assert_int_equal(meta_pending_users(meta), 1);
	assert_int_equal(counted(META_USERS_REJECTED), 1);
	assert_int_equal(counted(META_REJECTED), 0);
	update = take("a");
	assert_int_equal(update->kind, META_USERS);
	assert_int_equal(update->result, -ESRCH);
	meta_update_destroy(update);
	assert_int_equal(meta_request_users(meta, &wanted), 0);
	end();
}

static void test_wait_ends(void **state)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), took_ns;

	begin(0);
	assert_false(meta_wait(meta, 20 * NS_PER_MS));
	took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	assert_true(took_ns >= 20 * NS_PER_MS && took_ns < PATIENCE_NS);
	end();
}

static void test_end_with_requests(void **state)
{
	begin(0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(request("s"), 0);
	end();
}

static uint64_t hanging_ns(void *unused)
{
	uint64_t begin_ns, took_ns;

	begin(0);
	atomic_store(&blocked, true);
	atomic_store(&hangs, false);
	request("h");
	assert_true(waited_until(atomic_load(&hangs)));
	assert_false(meta_wait(meta, 20 * NS_PER_MS));
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	meta_destroy(meta);
	took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	assert_int_equal(atomic_load(&destroyed), 0);
	/* The thread frees everything when its call returns. */
	atomic_store(&blocked, false);
	assert_true(waited_until(atomic_load(&destroyed)));
	assert_int_equal(atomic_load(&destroyed), 1);
	return took_ns;
}

static void test_hanging(void **state)
{
	assert_true(takes_less(UINT64_C(4) * META_END_MS * NS_PER_MS, hanging_ns, NULL));
}

/* A follower that pushes updates until that fails, then waits until it is stopped. */
struct pushing {
	struct meta_follower follower;
	atomic_bool stopped;
};
static atomic_int push_result;

static void pushing_run(struct meta_follower *follower, struct meta_sink *sink)
{
	struct pushing *pushing = (struct pushing *)follower;
	int result;

	do {
		result = meta_post(sink, meta_update_create(META_CONTAINER_REMOVED, "gone"));
	} while (result == 0);
	atomic_store(&push_result, result);
	/* Nobody takes updates any more: it is being stopped. */
	while (!atomic_load(&pushing->stopped))
		usleep(1000);
	while (atomic_load(&blocked))
		usleep(1000);
}

static void pushing_stop(struct meta_follower *follower)
{
	atomic_store(&((struct pushing *)follower)->stopped, true);
}

static void pushing_destroy(struct meta_follower *follower)
{
	atomic_fetch_add(&destroyed, 1);
	free(follower);
}

static void follow(void)
{
	static const struct meta_follower_ops follower_ops = {pushing_run, pushing_stop,
							      pushing_destroy};
	struct pushing *pushing = calloc(1, sizeof(*pushing));

	assert_non_null(pushing);
	pushing->follower.ops = &follower_ops;
	assert_int_equal(meta_follow(meta, &pushing->follower, NULL), 0);
}

/* Requests are answered beside what is pushed; an end finds the follower while it waits. */
static void test_follower(void **state)
{
	struct meta_update *update;
	bool answered = false;

	begin(0);
	follow();
	assert_true(meta_wait(meta, PATIENCE_NS));
	update = meta_take(meta);
	assert_int_equal(update->kind, META_CONTAINER_REMOVED);
	assert_string_equal(update->id, "gone");
	assert_false(update->is_answer);
	meta_update_destroy(update);
	request("a");
	for (uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	     !answered && clock_ns(CLOCK_MONOTONIC) < end_ns;) {
		assert_true(meta_wait(meta, PATIENCE_NS));
		update = meta_take(meta);
		answered = update->is_answer;
		meta_update_destroy(update);
	}
	assert_true(answered);
	assert_int_equal(meta_pending(meta), 0);
	end_all(2);
	assert_int_equal(atomic_load(&push_result), -ECANCELED);
}

static void test_too_many_followers(void **state)
{
	static const struct meta_follower_ops one_more_ops = {NULL, NULL, pushing_destroy};
	struct meta_follower *one_more = calloc(1, sizeof(*one_more));
	struct error err = {0};

	begin(0);
	for (int i = 0; i < META_FOLLOWERS_MAX; i++)
		follow();
	one_more->ops = &one_more_ops;
	assert_int_equal(meta_follow(meta, one_more, &err), -E2BIG);
	assert_string_not_equal(err.text, "");
	end_all(META_FOLLOWERS_MAX + 2);
}

/* All that hang together take no more time than one. */
static uint64_t hanging_followers_ns(void *unused)
{
	uint64_t begin_ns, took_ns;

	begin(0);
	atomic_store(&blocked, true);
	follow();
	follow();
	request("h");
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	meta_destroy(meta);
	took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	atomic_store(&blocked, false);
	assert_true(waited_until(atomic_load(&destroyed) >= 3));
	assert_int_equal(atomic_load(&destroyed), 3);
	return took_ns;
}

static void test_hanging_followers(void **state)
{
	assert_true(takes_less(UINT64_C(2) * META_END_MS * NS_PER_MS, hanging_followers_ns, NULL));
}

static void test_none(void **state)
{
	meta_destroy(NULL);
	meta_source_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answers),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_counters),
	cmocka_unit_test(test_bound),
	cmocka_unit_test(test_bound_of_users),
	cmocka_unit_test(test_shares),
	cmocka_unit_test(test_flood_of_root),
	cmocka_unit_test(test_wait_ends),
	cmocka_unit_test(test_end_with_requests),
	cmocka_unit_test(test_hanging),
	cmocka_unit_test(test_none),
	cmocka_unit_test(test_follower),
	cmocka_unit_test(test_too_many_followers),
	cmocka_unit_test(test_hanging_followers),
};

UNIT_GROUP(tests);
