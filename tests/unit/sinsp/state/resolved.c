/* SPDX-License-Identifier: MIT */
/* Names by answers of DNS. */
#include "sinsp/state/resolved.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#define NS_PER_S UINT64_C(1000000000)

struct scene {
	struct resolved resolved;
	struct pool pool;
};

static const struct resolved_scope host = {0}, web = {"web", 3}, other = {"db", 2};

static int resolved_setup(void **state)
{
	static struct scene scene;

	memset(&scene, 0, sizeof(scene));
	scene.resolved.pool = &scene.pool;
	*state = &scene;
	return 0;
}

static int resolved_teardown(void **state)
{
	struct scene *scene = *state;

	resolved_finish(&scene->resolved);
	assert_int_equal(scene->resolved.names, 0);
	pool_finish(&scene->pool);
	return 0;
}

static struct resolved_address address_of(const char *bytes, size_t len)
{
	return (struct resolved_address){(const uint8_t *)bytes, len};
}

static const char *name_of(struct scene *scene, const struct resolved_scope *scope,
			   const char *bytes, size_t len, uint64_t now_ns)
{
	struct resolved_address address = address_of(bytes, len);

	return resolved_name(&scene->resolved, scope, &address, now_ns);
}

static void put(struct scene *scene, const struct resolved_scope *scope, const char *bytes,
		const char *name, uint64_t until_ns)
{
	struct resolved_address address = address_of(bytes, 4);

	resolved_put(&scene->resolved, scope, &address, name, until_ns);
}

static void test_names(void **state)
{
	assert_null(name_of(*state, &host, "\x0a\0\0\1", 4, 1));
	put(*state, &host, "\x0a\0\0\1", "one.example.org", NS_PER_S);
	put(*state, &host, "\x0a\0\0\2", "two", NS_PER_S);
	assert_string_equal(name_of(*state, &host, "\x0a\0\0\1", 4, 1), "one.example.org");
	assert_string_equal(name_of(*state, &host, "\x0a\0\0\2", 4, NS_PER_S), "two");
	assert_null(name_of(*state, &host, "\x0a\0\0\3", 4, 1));
	/* The last answer counts. */
	put(*state, &host, "\x0a\0\0\1", "other.example.org", NS_PER_S);
	assert_string_equal(name_of(*state, &host, "\x0a\0\0\1", 4, 1), "other.example.org");
}

static void test_ends(void **state)
{
	put(*state, &host, "\x0a\0\0\1", "one", NS_PER_S);
	assert_null(name_of(*state, &host, "\x0a\0\0\1", 4, NS_PER_S + 1));
}

/* An answer is that of who asked. */
static void test_scopes(void **state)
{
	put(*state, &web, "\x0a\0\0\1", "one", NS_PER_S);
	put(*state, &other, "\x0a\0\0\1", "another", NS_PER_S);
	assert_null(name_of(*state, &host, "\x0a\0\0\1", 4, 1));
	assert_string_equal(name_of(*state, &web, "\x0a\0\0\1", 4, 1), "one");
	assert_string_equal(name_of(*state, &other, "\x0a\0\0\1", 4, 1), "another");
}

/* The same bytes, as a part of a longer address. */
static void test_ipv6(void **state)
{
	static const char bytes[16] = "\x0a\0\0\1";
	struct resolved_address address = address_of(bytes, 16);
	struct scene *scene = *state;

	put(scene, &host, bytes, "v4", NS_PER_S);
	assert_null(name_of(scene, &host, bytes, 16, 1));
	resolved_put(&scene->resolved, &host, &address, "v6", NS_PER_S);
	assert_string_equal(name_of(scene, &host, bytes, 16, 1), "v6");
	assert_string_equal(name_of(scene, &host, bytes, 4, 1), "v4");
}

static void test_what_is_no_host(void **state)
{
	static const char *const names[] = {
		"", "127.0.0.1", "a..b", ".a", "a.", "a b", "a\\046b", "\x1b[31m", "a/b", "1.2",
	};
	char name[RESOLVED_NAME_MAX + 2];
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put(scene, &host, "\x0a\0\0\1", names[i], NS_PER_S);
		assert_int_equal(scene->resolved.invalid, i + 1);
	}
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	put(scene, &host, "\x0a\0\0\1", name, NS_PER_S);
	assert_null(name_of(scene, &host, "\x0a\0\0\1", 4, 1));
	name[sizeof(name) - 2] = '\0';
	put(scene, &host, "\x0a\0\0\1", name, NS_PER_S);
	assert_string_equal(name_of(scene, &host, "\x0a\0\0\1", 4, 1), name);
}

/* However many addresses are answered. */
static void test_memory_is_bounded(void **state)
{
	enum { COUNT = UNIT_ROUNDS(1000000) };
	struct scene *scene = *state;
	size_t half, kept = 0;
	char name[64];

	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "host-%u.with.a.long.name.example.org", i);
		put(scene, &host, (const char *)&i, name, NS_PER_S);
		if (i == COUNT / 2)
			half = scene->pool.held;
	}
	assert_true(scene->resolved.names <= RESOLVED_MAX);
	assert_true(scene->resolved.names > RESOLVED_MAX / 10 * 9);
	assert_int_equal(scene->resolved.dropped, COUNT - scene->resolved.names);
	assert_in_range(scene->pool.held, 1, half + half / 10);
	assert_in_range(scene->pool.held, 1, 8 << 20);
	/* The newest are kept. */
	for (uint32_t i = COUNT - 10000; i < COUNT; i++)
		kept += name_of(scene, &host, (const char *)&i, 4, 1) != NULL;
	assert_true(kept > 9900);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, resolved_setup, resolved_teardown)
	TEST(test_names),	    TEST(test_ends),
	TEST(test_scopes),	    TEST(test_ipv6),
	TEST(test_what_is_no_host), TEST(test_memory_is_bounded),
};

UNIT_GROUP(tests);
