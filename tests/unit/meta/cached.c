/* SPDX-License-Identifier: MIT */
/* Whether the source is asked, and what its answer means beside that of the cache. */
#include <errno.h>
#include <stdlib.h>

#include "meta/cache.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int asked, destroyed, result;

static int describe(struct meta_source *source, const struct meta_request *request,
		    struct state_container_info *info, struct error *err)
{
	asked++;
	if (result >= 0 && !info->name)
		info->name = "of the source";
	return result;
}

static void destroy(struct meta_source *source)
{
	destroyed++;
	free(source);
}

/* Asks for a container that the cache knows in a state. */
static void assert_answer(enum meta_cache_state state, int of_source, int expected,
			  const char *name)
{
	static const struct meta_source_ops ops = {describe, destroy};
	struct meta_source *source = calloc(1, sizeof(*source)), *cached;
	struct state_container_info *known = state_container_info_create();
	struct state_container_info *info = state_container_info_create();
	struct meta_cache *cache = meta_cache_create();
	int owner = meta_cache_add_owner(cache);

	source->ops = &ops;
	asked = destroyed = 0;
	result = of_source;
	known->name = "of the cache";
	if (state >= META_CACHE_SOME)
		meta_cache_put(cache, owner, ID, known, state);
	cached = meta_cached_create(source, cache);
	assert_non_null(cached);
	assert_int_equal(
		cached->ops->describe(cached, &(struct meta_request){.id = ID}, info, NULL),
		expected);
	if (name)
		assert_string_equal(info->name, name);
	meta_source_destroy(cached);
	assert_int_equal(destroyed, 1);
	state_container_info_destroy(known);
	state_container_info_destroy(info);
	meta_cache_unref(cache);
}

/* What another runtime is to complete, files do not. */
static void test_some(void **state)
{
	assert_answer(META_CACHE_SOME, META_SOURCE_PART, META_SOURCE_PART, "of the cache");
	assert_answer(META_CACHE_SOME, 0, 0, "of the cache");
	assert_answer(META_CACHE_SOME, -ENOENT, META_SOURCE_SOME, "of the cache");
}

static void test_unknown(void **state)
{
	assert_answer(META_CACHE_NONE, 0, 0, "of the source");
	assert_answer(META_CACHE_NONE, META_SOURCE_PART, META_SOURCE_PART, "of the source");
	assert_answer(META_CACHE_NONE, -ENOENT, -ENOENT, NULL);
	assert_answer(META_CACHE_NONE, -EIO, -EIO, NULL);
}

static void test_whole(void **state)
{
	assert_answer(META_CACHE_WHOLE, -ENOENT, 0, "of the cache");
	assert_int_equal(asked, 0);
}

/* Two parts are enough; one is given out, and more is looked for. */
static void test_part(void **state)
{
	assert_answer(META_CACHE_PART, META_SOURCE_PART, 0, "of the cache");
	assert_answer(META_CACHE_PART, 0, 0, "of the cache");
	assert_answer(META_CACHE_PART, -ENOENT, META_SOURCE_SOME, "of the cache");
	assert_answer(META_CACHE_PART, -EIO, META_SOURCE_SOME, "of the cache");
	assert_int_equal(asked, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_whole),
	cmocka_unit_test(test_part),
	cmocka_unit_test(test_some),
};

UNIT_GROUP(tests);
