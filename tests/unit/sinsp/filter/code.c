/* SPDX-License-Identifier: MIT */
/* The code of terms made by hand: run with every answer of the checks, it says what the terms say.
 */
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/terms.h"
#include "unit.h"

enum { CHECKS = 4 };

/* Checks are known by their address; `answers` has a bit for each. */
static struct filter_check checks[CHECKS];
static uint32_t refs[CHECKS];
static unsigned int asked[CHECKS];
static struct filter *filter;
static struct filter_terms terms;

static bool test_bit(struct filter *of, const struct filter_check *check,
		     const struct state_event *event)
{
	size_t i = (size_t)(check - checks);

	asked[i]++;
	return event->num >> i & 1;
}

static int setup(void **state)
{
	filter = calloc(1, sizeof(*filter));
	memset(checks, 0, sizeof(checks));
	if (!filter || filter_terms_init(&terms))
		return -1;
	for (size_t i = 0; i < CHECKS; i++) {
		const struct filter_term term = {.check = &checks[i]};

		checks[i].test = test_bit;
		if (filter_terms_add(&terms, &term, &refs[i]))
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	filter_terms_finish(&terms);
	filter_destroy(filter);
	return 0;
}

static uint32_t both(uint32_t a, uint32_t b)
{
	uint32_t ref;

	assert_int_equal(filter_terms_push(&terms, a), 0);
	assert_int_equal(filter_terms_push(&terms, b), 0);
	assert_int_equal(filter_terms_join(&terms, terms.depth - 2, &ref), 0);
	return ref;
}

static uint32_t either(uint32_t a, uint32_t b)
{
	return both(a ^ 1, b ^ 1) ^ 1;
}

static uint32_t entry_of(uint32_t ref)
{
	uint32_t entry = 77;

	assert_int_equal(filter_code_add(filter, &terms, ref, &entry), 0);
	return entry;
}

/* What the code answers, as the filter runs it. */
static bool run(uint32_t at, const struct state_event *event)
{
	while (at != FILTER_PASS && at != FILTER_FAIL) {
		const struct filter_jump *jump = &filter->code[at];
		bool answer;

		assert_true(at < filter->njumps);
		answer = jump->check ? jump->test(filter, jump->check, event)
				     : run(jump->memo->entry, event);
		at = answer ? jump->on_true : jump->on_false;
	}
	return at == FILTER_PASS;
}

static bool truth(uint32_t ref, uint64_t answers)
{
	const struct filter_term *term = filter_term_of(&terms, ref);
	bool all = true;

	if (term->check)
		all = answers >> (term->check - checks) & 1;
	for (uint32_t i = 0; i < term->nparts; i++)
		all &= truth(term->parts[i], answers);
	return all ^ filter_term_is_negated(ref);
}

static void expect_code(uint32_t ref)
{
	uint32_t entry = entry_of(ref);

	for (uint64_t answers = 0; answers < 1 << CHECKS; answers++) {
		const struct state_event event = {.num = answers};

		assert_int_equal(run(entry, &event), truth(ref, answers));
	}
}

static void test_constants(void **state)
{
	assert_int_equal(entry_of(FILTER_TRUE), FILTER_PASS);
	assert_int_equal(entry_of(FILTER_FALSE), FILTER_FAIL);
	assert_int_equal(filter->njumps, 0);
}

static void test_logic(void **state)
{
	uint32_t a = refs[0], b = refs[1], c = refs[2], d = refs[3];

	expect_code(a);
	expect_code(a ^ 1);
	expect_code(both(a, b));
	expect_code(both(a, b ^ 1) ^ 1);
	expect_code(either(a, b));
	expect_code(either(both(a, b), both(c, d)));
	expect_code(both(either(a, b ^ 1), either(c, d) ^ 1));
	expect_code(either(both(a, either(b, c)), both(b ^ 1, d)));
}

/* Parts come in their order, and none is asked after the answer is known. */
static void test_order(void **state)
{
	uint32_t entry = entry_of(both(refs[2], either(refs[0], refs[1])));

	memset(asked, 0, sizeof(asked));
	assert_false(run(entry, &(struct state_event){.num = 3}));
	assert_int_equal(asked[2], 1);
	assert_int_equal(asked[0] + asked[1], 0);
	assert_true(run(entry, &(struct state_event){.num = 5}));
	assert_int_equal(asked[0], 1);
	assert_int_equal(asked[1], 0);
}

/* The code of an expression exists once; that of its negation is another. */
static void test_known(void **state)
{
	uint32_t ab = both(refs[0], refs[1]), entry = entry_of(ab), negated;
	size_t njumps = filter->njumps;

	assert_int_equal(njumps, 2);
	assert_int_equal(entry_of(ab), entry);
	assert_int_equal(filter->njumps, njumps);
	negated = entry_of(ab ^ 1);
	assert_int_not_equal(negated, entry);
	assert_int_equal(entry_of(ab ^ 1), negated);
	assert_int_equal(filter->njumps, 2 * njumps);
}

/* What a list needs more than once has a memo, and nothing else has. */
static void test_shared(void **state)
{
	uint32_t ab = both(refs[0], refs[1]), c = refs[2], d = refs[3];
	struct filter_choice choices[] = {{0, either(ab, c)}, {1, both(ab, d)}};
	const struct filter_list list = {2, choices};
	uint32_t entry;

	filter_code_share(&terms, &list);
	assert_true(filter_term_of(&terms, ab)->shared);
	assert_false(filter_term_of(&terms, refs[0])->shared);
	assert_false(filter_term_of(&terms, c)->shared);
	expect_code(choices[0].entry);
	expect_code(choices[1].entry);
	assert_non_null(filter_term_of(&terms, ab)->memo);
	entry = entry_of(choices[1].entry);
	assert_ptr_equal(filter->code[entry].memo, filter_term_of(&terms, ab)->memo);
	assert_null(filter->code[entry].check);
	assert_null(filter->code[filter->code[entry].on_true].memo);
	/* In another list the same term alone is not shared. */
	filter_code_share(&terms, &(struct filter_list){1, &choices[0]});
	assert_false(filter_term_of(&terms, c)->shared);
}

static void test_shared_check(void **state)
{
	uint32_t a = refs[0], b = refs[1], c = refs[2];
	struct filter_choice choices[] = {{0, both(a, b)}, {1, both(a ^ 1, c)}};
	const struct filter_list list = {2, choices};
	const struct filter_jump *jump;

	filter_code_share(&terms, &list);
	assert_true(filter_term_of(&terms, a)->shared);
	expect_code(choices[0].entry);
	expect_code(choices[1].entry);
	jump = &filter->code[entry_of(choices[1].entry)];
	assert_ptr_equal(jump->check, &checks[0]);
	assert_non_null(jump->memo);
	assert_ptr_equal(jump->memo, filter_term_of(&terms, a)->memo);
}

/* A conjunction is copied into so many others, and called by the rest: code grows with its text. */
static void test_copies(void **state)
{
	enum { USES = 40, COPIES = 16 };
	uint32_t ab = both(refs[0], refs[1]), all = refs[2];
	size_t copied = 0, called = 0;

	for (int i = 0; i < USES; i++)
		all = either(both(ab, refs[3] ^ (i & 1)), both(all, refs[2] ^ (i & 1)));
	expect_code(all);
	for (size_t i = 0; i < filter->njumps; i++) {
		copied += filter->code[i].check == &checks[0];
		called += filter->code[i].memo &&
			  filter->code[i].memo == filter_term_of(&terms, ab)->memo;
	}
	assert_int_equal(copied, COPIES + 1); /* and once as what is called */
	assert_true(called > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_constants), TEST(test_logic),	       TEST(test_order),  TEST(test_known),
	TEST(test_shared),    TEST(test_shared_check), TEST(test_copies),
};

UNIT_GROUP(tests);
