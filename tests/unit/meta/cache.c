/* SPDX-License-Identifier: MIT */
/* Owners, lists, limits, and what nobody knows. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/cache.h"
#include "meta/describe.h"
#include "unit.h"
#include "util/clock.h"

#define S_NS UINT64_C(1000000000)

static struct meta_cache *cache;
static int docker, podman;
static uint64_t now_ns;

/* An id as runtimes make them, from its end. */
static const char *whole(const char *end)
{
	static char id[65];

	snprintf(id, sizeof(id), "%064d", atoi(end));
	return id;
}

static int setup(void **state)
{
	cache = meta_cache_create();
	assert_non_null(cache);
	docker = meta_cache_add_owner(cache);
	podman = meta_cache_add_owner(cache);
	now_ns = S_NS;
	return 0;
}

static int teardown(void **state)
{
	meta_cache_unref(cache);
	return 0;
}

static void put(int owner, const char *id, const char *name, enum meta_cache_state as)
{
	struct state_container_info *info = state_container_info_create();

	describe_text(&info->texts, &info->name, name);
	meta_cache_put(cache, owner, whole(id), info, as);
	/* It has a copy. */
	state_container_info_destroy(info);
}

static void expect(const char *id, enum meta_cache_state as, const char *name)
{
	struct state_container_info *info = state_container_info_create();

	assert_int_equal(meta_cache_find(cache, whole(id), now_ns, info), as);
	if (name)
		assert_string_equal(info->name, name);
	else
		assert_null(info->name);
	state_container_info_destroy(info);
}

static void test_put(void **state)
{
	expect("1", META_CACHE_NONE, NULL);
	put(docker, "1", "listed", META_CACHE_PART);
	put(docker, "2", "two", META_CACHE_WHOLE);
	expect("1", META_CACHE_PART, "listed");
	expect("2", META_CACHE_WHOLE, "two");
	put(docker, "1", "web", META_CACHE_WHOLE);
	expect("1", META_CACHE_WHOLE, "web");
	/* Its own list is newer than what it said before, that of others knows less. */
	put(podman, "1", "other", META_CACHE_PART);
	expect("1", META_CACHE_WHOLE, "web");
	put(docker, "1", "renamed", META_CACHE_PART);
	expect("1", META_CACHE_PART, "renamed");
}

static void test_remove(void **state)
{
	put(docker, "1", "web", META_CACHE_WHOLE);
	meta_cache_remove(cache, podman, whole("1"), now_ns);
	expect("1", META_CACHE_WHOLE, "web");
	meta_cache_remove(cache, docker, whole("1"), now_ns);
	meta_cache_remove(cache, docker, whole("1"), now_ns);
	/* Its last events may be read later. */
	expect("1", META_CACHE_WHOLE, "web");
	now_ns += META_CACHE_REMOVED_S * S_NS;
	expect("1", META_CACHE_NONE, NULL);
	/* One that was put again is there. */
	put(docker, "1", "web", META_CACHE_WHOLE);
	meta_cache_remove(cache, docker, whole("1"), now_ns);
	put(docker, "1", "web", META_CACHE_WHOLE);
	now_ns += META_CACHE_REMOVED_S * S_NS;
	expect("1", META_CACHE_WHOLE, "web");
}

/* An id that a user chose can be that of another container the next moment. */
static void test_chosen_id(void **state)
{
	struct state_container_info *info = state_container_info_create();

	info->name = "web";
	meta_cache_put(cache, docker, "web1", info, META_CACHE_WHOLE);
	assert_int_equal(meta_cache_find(cache, "web1", now_ns, info), META_CACHE_NONE);
	state_container_info_destroy(info);
}

/* What a new list does not have is gone. */
static void test_list(void **state)
{
	put(docker, "1", "one", META_CACHE_WHOLE);
	put(docker, "2", "two", META_CACHE_WHOLE);
	put(podman, "3", "three", META_CACHE_WHOLE);
	meta_cache_begin_list(cache, docker);
	put(docker, "2", "two", META_CACHE_PART);
	meta_cache_end_list(cache, docker);
	expect("1", META_CACHE_NONE, NULL);
	expect("2", META_CACHE_PART, "two");
	expect("3", META_CACHE_WHOLE, "three");
}

static void test_missing(void **state)
{
	meta_cache_put_missing(cache, whole("1"), now_ns + 60 * S_NS);
	expect("1", META_CACHE_MISSING, NULL);
	/* A runtime that says something is right. */
	put(docker, "1", "web", META_CACHE_PART);
	expect("1", META_CACHE_PART, "web");
	meta_cache_put_missing(cache, whole("1"), now_ns + 60 * S_NS);
	expect("1", META_CACHE_PART, "web");
	/* It ends. */
	meta_cache_put_missing(cache, whole("2"), now_ns);
	expect("2", META_CACHE_NONE, NULL);
}

/* As many ids as somebody likes that no runtime knows drop none of those that one knows. */
static void test_many_missing(void **state)
{
	char id[16];

	put(docker, "1", "web", META_CACHE_WHOLE);
	for (int i = 0; i < 2 * META_CACHE_ENTRIES_MAX; i++) {
		snprintf(id, sizeof(id), "%d", 1000 + i);
		meta_cache_put_missing(cache, whole(id), now_ns + 60 * S_NS);
	}
	expect("1", META_CACHE_WHOLE, "web");
	expect(id, META_CACHE_MISSING, NULL);
	expect("1000", META_CACHE_NONE, NULL);
}

static void test_limits(void **state)
{
	char id[16], text[DESCRIBE_TEXT_BYTES_MAX + 1];
	int known = 0;

	for (int i = 0; i <= META_CACHE_ENTRIES_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		put(docker, id, "web", META_CACHE_WHOLE);
	}
	expect("0", META_CACHE_NONE, NULL);
	expect("1", META_CACHE_WHOLE, "web");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i <= META_CACHE_ENTRIES_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		put(docker, id, text, META_CACHE_WHOLE);
	}
	for (int i = 0; i <= META_CACHE_ENTRIES_MAX; i++) {
		struct state_container_info *info = state_container_info_create();

		snprintf(id, sizeof(id), "%d", i);
		known += meta_cache_find(cache, whole(id), now_ns, info) == META_CACHE_WHOLE;
		state_container_info_destroy(info);
	}
	assert_int_equal(known, META_CACHE_TEXT_BYTES_MAX / sizeof(text));
}

static void *make_ready(void *owner)
{
	usleep(20000);
	meta_cache_owner_ready(cache, *(int *)owner);
	return NULL;
}

static void test_ready(void **state)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;

	meta_cache_owner_ready(cache, docker);
	meta_cache_owner_ready(cache, docker);
	meta_cache_wait_ready(cache, begin_ns + S_NS / 100);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns >= S_NS / 100);
	assert_int_equal(pthread_create(&thread, NULL, make_ready, &podman), 0);
	meta_cache_wait_ready(cache, begin_ns + 60 * S_NS);
	assert_true(clock_ns(CLOCK_MONOTONIC) - begin_ns < 60 * S_NS);
	pthread_join(thread, NULL);
}

static void test_too_many_owners(void **state)
{
	for (int i = 2; i < META_CACHE_OWNERS_MAX; i++)
		assert_int_equal(meta_cache_add_owner(cache), i);
	assert_int_equal(meta_cache_add_owner(cache), -E2BIG);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_put, setup, teardown),
	cmocka_unit_test_setup_teardown(test_remove, setup, teardown),
	cmocka_unit_test_setup_teardown(test_chosen_id, setup, teardown),
	cmocka_unit_test_setup_teardown(test_list, setup, teardown),
	cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_many_missing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
	cmocka_unit_test_setup_teardown(test_ready, setup, teardown),
	cmocka_unit_test_setup_teardown(test_too_many_owners, setup, teardown),
};

UNIT_GROUP(tests);
