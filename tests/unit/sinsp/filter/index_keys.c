/* SPDX-License-Identifier: MIT */
/* Keys of expressions: how many candidates an event with one value has among them. */
#include <stdio.h>

#include "fake_fields.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"
#include "sinsp/filter/index.h"
#include "unit.h"

enum { MANY = 20, TEXT_MAX = 200 };

static const struct state_event event;

/*
 * How many of 20 expressions, in which each %u is the number from 10 on, are candidates for an
 * event with this value of text.a; -1: there is no index.
 */
static int candidates(const char *pattern, const char *value)
{
	struct filter_group_item items[MANY];
	struct arena arena = {0};
	struct filter_error err;
	struct filter *filter;
	size_t failed;
	int count = -1;

	for (unsigned int i = 0; i < MANY; i++) {
		struct filter_node *root;
		char text[TEXT_MAX];
		size_t len = (size_t)snprintf(text, sizeof(text), pattern, i + 10, i + 10);

		items[i].text = arena_text(&arena, text, len);
		if (filter_parse(items[i].text, &arena, &root, &err))
			fail_msg("'%s': %s", text, err.text);
		items[i].root = root;
	}
	assert_int_equal(filter_group_create(items, MANY, NULL, &filter, &failed, &err), 0);
	fake_clear();
	fake_add_text("text.a", value);
	fake_add_text("text.b", "same");
	filter_group_next(filter, &event, 0);
	if (filter->lists[0].index)
		count = __builtin_popcountll(filter->candidates[0]);
	filter_destroy(filter);
	arena_finish(&arena);
	return count;
}

static void test_operators(void **state)
{
	assert_int_equal(candidates("text.a = name-%u", "name-12"), 1);
	assert_int_equal(candidates("text.a = name-%u", "name-1"), 0);
	assert_int_equal(candidates("text.a in (x-%u, name-%u, y)", "name-12"), 1);
	assert_int_equal(candidates("text.a in (x-%u, name-%u, y)", "y"), MANY);
	assert_int_equal(candidates("text.a startswith /%u/", "/12/x"), 1);
	assert_int_equal(candidates("text.a endswith name--%u", "any name--29"), 1);
	assert_int_equal(candidates("text.a contains --%u", "a--12--13b"), 2);
	assert_int_equal(candidates("text.a contains longer-%u", "a-longer-12-b"), 1);
	assert_int_equal(candidates("text.a startswith anyof (/a%u, /b%u)", "/b12"), 1);
}

/* Parts of which not all can be looked up. */
static void test_no_keys(void **state)
{
	assert_int_equal(candidates("text.a != name-%u", "x"), -1);
	assert_int_equal(candidates("not text.a = name-%u", "x"), -1);
	assert_int_equal(candidates("text.a contains %u", "x"), -1);
	assert_int_equal(candidates("text.a icontains name-%u", "x"), -1);
	assert_int_equal(candidates("text.a glob 'name-%u*'", "x"), -1);
	assert_int_equal(candidates("text.a = name-%u or text.a glob '%u*'", "x"), -1);
	assert_int_equal(candidates("tolower(text.a) = name-%u", "x"), -1);
	assert_int_equal(candidates("kin.text = name-%u", "x"), -1);
	assert_int_equal(candidates("list.text in (name-%u)", "x"), -1);
	assert_int_equal(candidates("num.double = %u", "x"), -1);
}

/* Of parts that must be true the one that fewer have; of alternatives all. */
static void test_choice(void **state)
{
	assert_int_equal(candidates("text.b = same and text.a = name-%u", "name-12"), 1);
	assert_int_equal(candidates("text.b = same and text.a = name-%u", "none"), 0);
	assert_int_equal(candidates("text.a = name-%u or text.a startswith /dirs-%u", "/dirs-12/x"),
			 1);
	assert_int_equal(candidates("not (not text.a = name-%u and not text.a = x-%u)", "x-13"), 1);
	assert_int_equal(
		candidates("text.b = same and not (text.a = z or not text.a = name-%u)", "name-12"),
		1);
	assert_int_equal(candidates("text.b exists and (text.a = x-%u or text.b = same)", "none"),
			 -1);
}

/* Text of any length has one hash, and close ones have others. */
static void test_hash(void **state)
{
	const char *text = "abcdefghijklmnopqrstuvwxyz";

	for (size_t len = 1; len <= 26; len++) {
		char copy[32] = "abcdefghijklmnopqrstuvwxyz";

		assert_int_equal(index_hash_text(text, len), index_hash_text(copy, len));
		assert_int_not_equal(index_hash_text(text, len), index_hash_text(copy, len - 1));
		for (size_t i = 0; i < len; i++) {
			copy[i]++;
			assert_int_not_equal(index_hash_text(text, len),
					     index_hash_text(copy, len));
			copy[i]--;
		}
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_operators),
	cmocka_unit_test(test_no_keys),
	cmocka_unit_test(test_choice),
	cmocka_unit_test(test_hash),
};

UNIT_GROUP(tests);
