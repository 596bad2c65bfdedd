/* SPDX-License-Identifier: MIT */
/* Terms: each is stored once, conjunctions are as short as they can be, also for a type of event.
 */
#include <string.h>

#include "sinsp/filter/terms.h"
#include "unit.h"

enum { TYPE = 3, OTHER_TYPE = 4 };

static struct filter_terms terms;

static int setup(void **state)
{
	return filter_terms_init(&terms);
}

static int teardown(void **state)
{
	filter_terms_finish(&terms);
	return 0;
}

/* A check whose answers are these; NULL: the type says nothing of it. */
static uint32_t add(const uint8_t *answers)
{
	static const struct filter_check check;
	const struct filter_term term = {
		.check = &check, .answers = answers, .typed = answers != NULL};
	uint32_t ref;

	assert_int_equal(filter_terms_add(&terms, &term, &ref), 0);
	return ref;
}

static uint32_t join(const uint32_t *parts, size_t n)
{
	size_t base = terms.depth;
	uint32_t ref;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(filter_terms_push(&terms, parts[i]), 0);
	assert_int_equal(filter_terms_join(&terms, base, &ref), 0);
	assert_int_equal(terms.depth, base);
	return ref;
}

#define JOIN(...) join((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void expect_parts(uint32_t ref, const uint32_t *parts, uint32_t n)
{
	const struct filter_term *term = filter_term_of(&terms, ref);

	assert_null(term->check);
	assert_int_equal(term->nparts, n);
	assert_memory_equal(term->parts, parts, n * sizeof(parts[0]));
}

#define EXPECT_PARTS(ref, ...)                                                                     \
	expect_parts(ref, (const uint32_t[]){__VA_ARGS__},                                         \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void test_new_terms(void **state)
{
	uint32_t a = add(NULL), b = add(NULL);

	assert_true(a != b && a != FILTER_TRUE && a != FILTER_FALSE);
	assert_false(filter_term_is_negated(a));
	assert_true(filter_term_is_negated(a ^ 1));
	assert_ptr_equal(filter_term_of(&terms, a), filter_term_of(&terms, a ^ 1));
	assert_ptr_not_equal(filter_term_of(&terms, a), filter_term_of(&terms, b));
	assert_int_equal(filter_term_of(&terms, a)->entry[0], FILTER_NO_ENTRY);
	assert_int_equal(filter_term_of(&terms, a)->entry[1], FILTER_NO_ENTRY);
}

static void test_conjunctions(void **state)
{
	uint32_t a = add(NULL), b = add(NULL), c = add(NULL), ab = JOIN(a, b);

	EXPECT_PARTS(ab, a, b);
	assert_int_equal(JOIN(a, b), ab);
	/* The order is that of the expression. */
	assert_int_not_equal(JOIN(b, a), ab);
	assert_int_not_equal(JOIN(a, b ^ 1), ab);
	EXPECT_PARTS(JOIN(c, b, a), c, b, a);
	/* Those that say nothing are left out. */
	assert_int_equal(JOIN(a, FILTER_TRUE, b, FILTER_TRUE), ab);
	assert_int_equal(JOIN(a, b, a, b), ab);
	assert_int_equal(JOIN(a, FILTER_TRUE), a);
	assert_int_equal(JOIN(a ^ 1, a ^ 1), a ^ 1);
	assert_int_equal(JOIN(FILTER_TRUE, FILTER_TRUE), FILTER_TRUE);
	assert_int_equal(join(NULL, 0), FILTER_TRUE);
	assert_int_equal(JOIN(a, FILTER_FALSE, b), FILTER_FALSE);
	assert_int_equal(JOIN(FILTER_FALSE), FILTER_FALSE);
	/* A part and its negation are two parts. */
	EXPECT_PARTS(JOIN(a, a ^ 1), a, a ^ 1);
}

static void test_heights(void **state)
{
	uint32_t a = add(NULL), b = add(NULL), c = add(NULL), ab = JOIN(a, b);

	assert_int_equal(filter_term_of(&terms, a)->height, 0);
	assert_int_equal(filter_term_of(&terms, ab)->height, 1);
	assert_int_equal(filter_term_of(&terms, JOIN(c, ab ^ 1))->height, 2);
	assert_int_equal(filter_term_of(&terms, JOIN(ab, c))->height, 2);
}

/* Only what is pushed after the base is joined. */
static void test_stack(void **state)
{
	uint32_t a = add(NULL), b = add(NULL), c = add(NULL), bc, abc;

	assert_int_equal(filter_terms_push(&terms, a), 0);
	bc = JOIN(b, c);
	EXPECT_PARTS(bc, b, c);
	assert_int_equal(terms.depth, 1);
	assert_int_equal(filter_terms_push(&terms, bc), 0);
	assert_int_equal(filter_terms_join(&terms, 0, &abc), 0);
	EXPECT_PARTS(abc, a, bc);
}

/* References stay what they are while the tables grow. */
static void test_many(void **state)
{
	enum { MANY = 1000 };
	uint32_t refs[MANY], all;

	for (uint32_t i = 0; i < MANY; i++)
		refs[i] = add(NULL) ^ (i & 1);
	all = join(refs, MANY);
	expect_parts(all, refs, MANY);
	assert_int_equal(join(refs, MANY), all);
	assert_int_equal(terms.nparts, MANY);
}

static uint32_t specialise(uint32_t ref, unsigned int type)
{
	uint32_t result = 77;

	assert_int_equal(
		filter_terms_specialise(&terms, ref, type, filter_terms_mark(&terms), &result), 0);
	return result;
}

static void test_specialised_checks(void **state)
{
	static const uint8_t answers[FILTER_TYPES_COUNT] = {
		[TYPE] = FILTER_ANSWER_YES, [OTHER_TYPE] = FILTER_ANSWER_OPEN};
	uint32_t typed = add(answers), any = add(NULL);

	assert_int_equal(specialise(typed, TYPE), FILTER_TRUE);
	assert_int_equal(specialise(typed ^ 1, TYPE), FILTER_FALSE);
	assert_int_equal(specialise(typed, OTHER_TYPE), typed);
	assert_int_equal(specialise(typed ^ 1, OTHER_TYPE), typed ^ 1);
	assert_int_equal(specialise(typed, 0), FILTER_FALSE);
	assert_int_equal(specialise(typed ^ 1, 0), FILTER_TRUE);
	assert_int_equal(specialise(any, TYPE), any);
	assert_int_equal(specialise(any ^ 1, TYPE), any ^ 1);
}

static void test_specialised_conjunctions(void **state)
{
	static const uint8_t yes[FILTER_TYPES_COUNT] = {[TYPE] = FILTER_ANSWER_YES};
	uint32_t typed = add(yes), a = add(NULL), b = add(NULL);
	uint32_t ab = JOIN(a, b), all = JOIN(typed, a, b), either = JOIN(typed ^ 1, a ^ 1) ^ 1;

	assert_true(filter_term_of(&terms, all)->typed);
	assert_false(filter_term_of(&terms, ab)->typed);
	assert_int_equal(specialise(all, TYPE), ab);
	assert_int_equal(specialise(all ^ 1, TYPE), ab ^ 1);
	assert_int_equal(specialise(all, 0), FILTER_FALSE);
	assert_int_equal(specialise(all ^ 1, 0), FILTER_TRUE);
	assert_int_equal(specialise(ab, 0), ab);
	assert_int_equal(specialise(either, TYPE), FILTER_TRUE);
	assert_int_equal(specialise(either, 0), a);
	/* In depth. */
	assert_int_equal(specialise(JOIN(b, either, a), 0), JOIN(b, a));
	assert_int_equal(specialise(JOIN(b, all), 0), FILTER_FALSE);
	assert_int_equal(terms.depth, 0);
}

/* What a term is for a type is worked out once under a mark, and again under the next one. */
static void test_marks(void **state)
{
	static const uint8_t yes[FILTER_TYPES_COUNT] = {[TYPE] = FILTER_ANSWER_YES};
	uint32_t typed = add(yes), mark = filter_terms_mark(&terms), result;

	assert_int_equal(filter_terms_specialise(&terms, typed, TYPE, mark, &result), 0);
	assert_int_equal(result, FILTER_TRUE);
	assert_int_equal(filter_terms_specialise(&terms, typed ^ 1, 0, mark, &result), 0);
	assert_int_equal(result, FILTER_FALSE);
	assert_int_equal(specialise(typed, 0), FILTER_FALSE);
	assert_true(filter_terms_mark(&terms) > mark);
}

/* Above a number of parts, conjunctions are left for the events; checks are not. */
static void test_too_many_parts(void **state)
{
	static const uint8_t no[FILTER_TYPES_COUNT];
	uint32_t typed = add(no), a = add(NULL), all = JOIN(typed, a);

	terms.nparts = 1 << 20;
	assert_int_equal(specialise(all, TYPE), FILTER_FALSE);
	terms.nparts++;
	assert_int_equal(specialise(all, TYPE), all);
	assert_int_equal(specialise(typed, TYPE), FILTER_FALSE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_new_terms),
	TEST(test_conjunctions),
	TEST(test_heights),
	TEST(test_stack),
	TEST(test_many),
	TEST(test_specialised_checks),
	TEST(test_specialised_conjunctions),
	TEST(test_marks),
	TEST(test_too_many_parts),
};

UNIT_GROUP(tests);
