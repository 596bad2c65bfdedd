/* SPDX-License-Identifier: MIT */
/* From trees to a filter: what is compiled once, how deep macros may stand, and whose error it is.
 */
#include <errno.h>
#include <string.h>

#include "fake_fields.h"
#include "grouped.h"
#include "sinsp/filter/program.h"
#include "unit.h"

enum { NESTING_MAX = 3000 };

static const struct state_event event;

/* Equal checks are one, however they are written. */
static void test_equal_checks(void **state)
{
	struct grouped group;
	const struct filter_jump *code;

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_u64("num.u64", 1);
	GROUPED_MAKE(&group, "text.a = y or text.a=y or text.a == 'y'");
	assert_int_equal(group.filter->njumps, 1);
	grouped_finish(&group);
	GROUPED_MAKE(&group, "text.a = y or (num.u64 = 1 and text.a=y)");
	code = group.filter->code;
	assert_int_equal(group.filter->njumps, 3);
	assert_true(code[0].check == code[1].check || code[0].check == code[2].check ||
		    code[1].check == code[2].check);
	assert_false(filter_match(group.filter, &event));
	assert_int_equal(fake_reads(), 2);
	grouped_finish(&group);
}

/* What several checks ask of one field is cached, but for ancestors. */
static void test_kept_sides(void **state)
{
	struct grouped group;

	GROUPED_MAKE(&group, "text.a = y or text.a startswith x", "num.u64 = 1");
	assert_non_null(group.filter->cached);
	assert_null(group.filter->cached->next);
	grouped_finish(&group);
	GROUPED_MAKE(&group, "text.a = y or text.b startswith x", "num.u64 = 1");
	assert_null(group.filter->cached);
	grouped_finish(&group);
	GROUPED_MAKE(&group, "kin.text = y or kin.text startswith x");
	assert_null(group.filter->cached);
	grouped_finish(&group);
}

/* Nothing is left behind, and nothing is given, when an expression is wrong. */
static void test_wrong_expressions(void **state)
{
	struct filter *filter = (void *)1;
	struct filter_error err;

	assert_int_equal(filter_create("text.a = ", NULL, &filter, &err), -EINVAL);
	assert_int_equal(err.column, 10);
	assert_int_equal(filter_create("text.a = x and num.u64 = y", NULL, &filter, &err), -EINVAL);
	assert_int_equal(err.column, 26);
	assert_int_equal(filter_create("text.a = x and other", NULL, &filter, &err), -EINVAL);
	assert_int_equal(err.column, 16);
	assert_ptr_equal(filter, (void *)1);
	filter_destroy(NULL);
}

static void test_checks_are_kept(void **state)
{
	struct grouped group;

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_text("text.b", "y");
	GROUPED_MAKE(&group, "text.a = val(text.b)", "not text.a = val(text.b) and text.b = 1",
		     "text.a=val(text.b) or text.b = y");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_int_equal(fake_reads(), 3); /* the right side is that of one check */
	grouped_finish(&group);
}

static void test_shared(void **state)
{
	static const char macro_text[] = "text.a = x and text.b = val(text.a)";
	struct grouped group = {0};
	struct filter_node *macro = grouped_parse(&group, macro_text);

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_text("text.b", "x");
	grouped_add(&group, "m and num.u64 = 1", macro, macro_text);
	grouped_add(&group, "not m", macro, macro_text);
	grouped_add(&group, "m and m and (m or m)", macro, macro_text);
	assert_int_equal(grouped_create(&group, NULL, NULL, NULL), 0);
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_int_equal(fake_reads(), 4); /* text.a twice, text.b, num.u64 */
	grouped_finish(&group);
}

/* m1 is m0 or something, twice; m2 the same with m1: 2 to the power of 600 checks, if not shared.
 */
static void test_exponential(void **state)
{
	static const char *const texts[] = {"(m and num.u64 = 1) or (m and bool.a = true)",
					    "(m or num.u64 = 2) and (m or num.u64 = 3)"};
	struct grouped group = {0};
	struct filter_node *macro = grouped_parse(&group, "text.a = x");

	for (int i = 0; i < 600; i++) {
		struct filter_node *next = grouped_parse(&group, texts[i % 2]);

		grouped_graft(next, macro, texts[(i + 1) % 2]);
		macro = next;
	}
	grouped_add(&group, "m", macro, texts[0]);
	assert_int_equal(grouped_create(&group, NULL, NULL, NULL), 0);
	fake_clear();
	fake_add_u64("num.u64", 4);
	fake_add_text("text.a", "x");
	fake_add_u64("bool.a", 1);
	assert_true(filter_match(group.filter, &event));
	assert_true(fake_reads() < 10);
	fake_clear();
	fake_add_u64("num.u64", 4);
	fake_add_text("text.a", "y");
	fake_add_u64("bool.a", 1);
	assert_false(filter_match(group.filter, &event));
	grouped_finish(&group);
}

/* Also when a macro stands in itself. */
static void test_nesting(void **state)
{
	static const char text[] = "num.u64 = 1 or m";
	struct grouped group = {0};
	struct filter_node *macro = grouped_parse(&group, text);
	struct filter_error err;
	size_t failed;

	grouped_graft(macro, macro, text);
	grouped_add(&group, "text.a = x", NULL, NULL);
	grouped_add(&group, "m", macro, text);
	assert_int_equal(grouped_create(&group, NULL, &failed, &err), -EINVAL);
	assert_int_equal(failed, 1);
	assert_non_null(strstr(err.text, "levels deep"));
	grouped_finish(&group);
}

/* Also of a tree without macros: `not` of a check, so many times. */
static int create_nots(unsigned int nots)
{
	static struct filter_node nodes[NESTING_MAX];
	struct grouped group = {0};
	struct filter_error err;
	size_t failed;
	int code;

	nodes[nots - 1] = (struct filter_node){.kind = FILTER_NODE_NOT,
					       .first = grouped_parse(&group, "text.a = x")};
	for (unsigned int i = nots - 1; i-- > 0;)
		nodes[i] = (struct filter_node){.kind = FILTER_NODE_NOT, .first = &nodes[i + 1]};
	group.items[group.n++] = (struct filter_group_item){nodes, "not ..."};
	code = grouped_create(&group, NULL, &failed, &err);
	grouped_finish(&group);
	return code;
}

static void test_deepest(void **state)
{
	assert_int_equal(create_nots(NESTING_MAX - 1), 0);
	assert_int_equal(create_nots(NESTING_MAX), -EINVAL);
}

static void test_errors(void **state)
{
	static const char macro_text[] = "num.u64 = 1 or num.u64 = x";
	struct grouped group = {0};
	struct filter_node *macro = grouped_parse(&group, macro_text);
	struct filter_error err;
	size_t failed = 99;

	grouped_add(&group, "text.a = x", NULL, NULL);
	grouped_add(&group, "num.u64 = 1 and text.q = 1", NULL, NULL);
	grouped_add(&group, "num.u64 = y", NULL, NULL);
	assert_int_equal(grouped_create(&group, NULL, &failed, &err), -EINVAL);
	assert_int_equal(failed, 1);
	assert_int_equal(err.column, 17);
	assert_ptr_equal(err.expression, group.items[1].text);
	group.items[1] = group.items[0];
	assert_int_equal(grouped_create(&group, NULL, &failed, &err), -EINVAL);
	assert_int_equal(failed, 2);
	/* What is shared has positions of its own, and what follows those of the item. */
	group.n = 2;
	grouped_add(&group, "num.u64 = 1 and m", macro, macro_text);
	assert_int_equal(grouped_create(&group, NULL, &failed, &err), -EINVAL);
	assert_int_equal(failed, 2);
	assert_int_equal(err.column, 26);
	assert_ptr_equal(err.expression, macro_text);
	group.n = 2;
	grouped_add(&group, "m or num.u64 = z", grouped_parse(&group, "num.u64 = 1"),
		    "num.u64 = 1");
	assert_int_equal(grouped_create(&group, NULL, &failed, &err), -EINVAL);
	assert_int_equal(err.column, 16);
	group.n = 2;
	grouped_add(&group, "text.a = x and somewhere", NULL, NULL);
	assert_int_equal(grouped_create(&group, NULL, &failed, &err), -EINVAL);
	assert_non_null(strstr(err.text, "unexpected identifier 'somewhere'"));
	grouped_finish(&group);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_equal_checks),
	cmocka_unit_test(test_kept_sides),
	cmocka_unit_test(test_wrong_expressions),
	cmocka_unit_test(test_checks_are_kept),
	cmocka_unit_test(test_shared),
	cmocka_unit_test(test_exponential),
	cmocka_unit_test(test_nesting),
	cmocka_unit_test(test_deepest),
	cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
