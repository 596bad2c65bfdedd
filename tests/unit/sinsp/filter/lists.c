/* SPDX-License-Identifier: MIT */
/* The lists of expressions by type of event: who shares one, and what is in it. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/lists.h"
#include "unit.h"

enum { FIRST = 3, SECOND = 7, LAST = FILTER_TYPES_COUNT - 1 };

static struct filter *filter;
static struct filter_terms terms;

static int setup(void **state)
{
	filter = calloc(1, sizeof(*filter));
	return filter ? filter_terms_init(&terms) : -1;
}

static int teardown(void **state)
{
	filter_terms_finish(&terms);
	filter_destroy(filter);
	return 0;
}

/* A check that the types decide as `answers` say; NULL: none decides it. */
static uint32_t add(const uint8_t *answers)
{
	static struct filter_side side;
	static struct filter_check check = {.left = &side};
	const struct filter_term term = {
		.check = &check, .answers = answers, .typed = answers != NULL};
	uint32_t ref;

	assert_int_equal(filter_terms_add(&terms, &term, &ref), 0);
	return ref;
}

static uint32_t both(uint32_t a, uint32_t b)
{
	uint32_t ref;

	assert_int_equal(filter_terms_push(&terms, a), 0);
	assert_int_equal(filter_terms_push(&terms, b), 0);
	assert_int_equal(filter_terms_join(&terms, 0, &ref), 0);
	return ref;
}

static void make(const uint32_t *refs, size_t n)
{
	assert_int_equal(filter_lists_make(filter, &terms, refs, n), 0);
	for (unsigned int type = 0; type < FILTER_TYPES_COUNT; type++)
		assert_in_range(filter->list_of_type[type] - filter->lists, 0, filter->nlists - 1);
}

/* The items that events of a type can satisfy. */
static void expect_items(unsigned int type, const uint32_t *items, uint32_t n)
{
	const struct filter_list *list = filter->list_of_type[type];

	assert_int_equal(list->count, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(list->choices[i].item, items[i]);
}

#define EXPECT_ITEMS(type, ...)                                                                    \
	expect_items(type, (const uint32_t[]){__VA_ARGS__},                                        \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void test_no_types(void **state)
{
	const uint32_t refs[] = {add(NULL), FILTER_FALSE, FILTER_TRUE};

	make(refs, 3);
	assert_int_equal(filter->nlists, 1);
	EXPECT_ITEMS(0, 0, 2);
	EXPECT_ITEMS(LAST, 0, 2);
	assert_int_equal(filter->lists[0].choices[1].entry, FILTER_PASS);
	assert_ptr_equal(filter->code[filter->lists[0].choices[0].entry].check,
			 filter_term_of(&terms, refs[0])->check);
}

static void test_no_items(void **state)
{
	make(NULL, 0);
	assert_int_equal(filter->nlists, 1);
	assert_int_equal(filter->list_of_type[LAST]->count, 0);
}

static void test_answers(void **state)
{
	static const uint8_t first[FILTER_TYPES_COUNT] = {[FIRST] = FILTER_ANSWER_YES},
			     second[FILTER_TYPES_COUNT] = {
				     [SECOND] = FILTER_ANSWER_YES, [LAST] = FILTER_ANSWER_OPEN};
	const uint32_t refs[] = {add(first), add(second), add(first) ^ 1};

	make(refs, 3);
	EXPECT_ITEMS(FIRST, 0);
	EXPECT_ITEMS(SECOND, 1, 2);
	EXPECT_ITEMS(LAST, 1, 2);
	EXPECT_ITEMS(0, 2);
	EXPECT_ITEMS(LAST - 1, 2);
	assert_int_equal(filter->nlists, 4);
	/* The type suffices, or the check is asked. */
	assert_int_equal(filter->list_of_type[SECOND]->choices[0].entry, FILTER_PASS);
	assert_int_equal(filter->list_of_type[LAST]->choices[0].entry, 0);
	assert_int_equal(filter->njumps, 1);
}

/* Checks may distinguish types that the expressions do not. */
static void test_equal_lists(void **state)
{
	static const uint8_t either[FILTER_TYPES_COUNT] =
		{[FIRST] = FILTER_ANSWER_YES, [LAST] = FILTER_ANSWER_YES},
			     last[FILTER_TYPES_COUNT] = {[LAST] = FILTER_ANSWER_YES},
			     second[FILTER_TYPES_COUNT] = {[SECOND] = FILTER_ANSWER_YES};
	const uint32_t a = add(either), b = add(last);
	const uint32_t without = both(a, b ^ 1), with = both(a, b);
	const uint32_t refs[] = {both(without ^ 1, with ^ 1) ^ 1, add(second)};

	make(refs, 2);
	assert_int_equal(filter->nlists, 3);
	assert_ptr_equal(filter->list_of_type[FIRST], filter->list_of_type[LAST]);
	EXPECT_ITEMS(FIRST, 0);
	EXPECT_ITEMS(SECOND, 1);
	assert_int_equal(filter->list_of_type[0]->count, 0);
}

/* The rest of an expression for one type is not that for another. */
static void test_rest(void **state)
{
	static const uint8_t first[FILTER_TYPES_COUNT] = {[FIRST] = FILTER_ANSWER_YES};
	const uint32_t typed = add(first), a = add(NULL), b = add(NULL);
	const uint32_t item = both(both(typed, a) ^ 1, both(typed ^ 1, b) ^ 1) ^ 1;
	const struct filter_term *wanted[] = {filter_term_of(&terms, a), filter_term_of(&terms, b)};

	make(&item, 1);
	assert_int_equal(filter->nlists, 2);
	assert_int_equal(filter->list_of_type[FIRST]->choices[0].entry, wanted[0]->entry[0]);
	assert_int_equal(filter->list_of_type[0]->choices[0].entry, wanted[1]->entry[0]);
	assert_int_equal(filter->njumps, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_no_types), TEST(test_no_items),    TEST(test_answers),
	TEST(test_rest),     TEST(test_equal_lists),
};

UNIT_GROUP(tests);
