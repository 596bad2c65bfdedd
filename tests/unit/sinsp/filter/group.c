/* SPDX-License-Identifier: MIT */
/* Many expressions in one filter: which one answers, what is shared, and what is wrong with one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_fields.h"
#include "sinsp/expr/tree.h"
#include "sinsp/filter/group.h"

enum { ITEMS_MAX = 8 };

static const struct sinsp_event event;

/* Expressions, their trees, and a tree that the names in them stand for. */
struct group {
	struct arena arena;
	struct filter_group_item items[ITEMS_MAX];
	size_t n;
	struct filter *filter;
};

static struct filter_node *parse(struct group *group, const char *text)
{
	struct filter_error err;
	struct filter_node *root;

	if (filter_parse(text, &group->arena, &root, &err))
		fail_msg("'%s': %s", text, err.text);
	return root;
}

/* Names become a tree that is shared. */
static void graft(struct filter_node *node, struct filter_node *root, const char *text)
{
	if (node->kind == FILTER_NODE_NAME) {
		node->kind = FILTER_NODE_SHARED;
		node->first = root;
		node->text = text;
		return;
	}
	for (struct filter_node *child = node->first; child; child = child->next)
		graft(child, root, text);
}

static void add(struct group *group, const char *text, struct filter_node *macro,
		const char *macro_text)
{
	struct filter_node *root = parse(group, text);

	if (macro)
		graft(root, macro, macro_text);
	group->items[group->n++] = (struct filter_group_item){root, text};
}

static int create(struct group *group, size_t *failed, struct filter_error *err)
{
	return filter_group_create(group->items, group->n, NULL, &group->filter, failed, err);
}

static void finish(struct group *group)
{
	filter_destroy(group->filter);
	arena_finish(&group->arena);
}

/* Texts, ended by NULL, become a filter. */
static void make(struct group *group, const char *const *texts)
{
	struct filter_error err;
	size_t failed;

	*group = (struct group){0};
	for (; *texts; texts++)
		add(group, *texts, NULL, NULL);
	if (create(group, &failed, &err))
		fail_msg("item %zu: %s", failed, err.text);
}

#define MAKE(group, ...) make(group, (const char *const[]){__VA_ARGS__, NULL})

static void test_order(void **state)
{
	struct group group;

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_u64("num.u64", 7);
	MAKE(&group, "text.a = y", "text.a = x", "num.u64 = 8", "num.u64 = 7 and text.a != y");
	assert_int_equal(filter_group_count(group.filter), 4);
	assert_int_equal(filter_group_next(group.filter, &event, 0), 1);
	assert_int_equal(filter_group_next(group.filter, &event, 1), 1);
	assert_int_equal(filter_group_next(group.filter, &event, 2), 3);
	assert_int_equal(filter_group_next(group.filter, &event, 4), FILTER_NONE);
	assert_true(filter_match(group.filter, &event));
	finish(&group);
	MAKE(&group, "text.a = y", "num.u64 = 8");
	assert_int_equal(filter_group_next(group.filter, &event, 0), FILTER_NONE);
	assert_false(filter_match(group.filter, &event));
	finish(&group);
	MAKE(&group, NULL);
	assert_int_equal(filter_group_next(group.filter, &event, 0), FILTER_NONE);
	finish(&group);
}

/* What is asked more than once is found once for an event, and again for the next. */
static void test_values_are_kept(void **state)
{
	struct group group;

	fake_clear();
	fake_add_text("text.a", "x");
	MAKE(&group, "text.a = a", "text.a in (b, c)", "text.a startswith x and text.a = d",
	     "text.a endswith x", "tolower(text.a) = X", "tolower(text.a) = e");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 3);
	assert_int_equal(fake_reads(), 1);
	assert_int_equal(filter_group_next(group.filter, &event, 4), FILTER_NONE);
	assert_int_equal(fake_reads(), 2);
	fake_clear();
	fake_add_text("text.a", "E");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 5);
	assert_int_equal(fake_reads(), 2);
	finish(&group);
}

static void test_checks_are_kept(void **state)
{
	struct group group;

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_text("text.b", "y");
	MAKE(&group, "text.a = val(text.b)", "not text.a = val(text.b) and text.b = 1",
	     "text.a=val(text.b) or text.b = y");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_int_equal(fake_reads(), 3); /* the right side is that of one check */
	finish(&group);
}

/* Values in scratch memory stay whole while others are made. */
static void test_scratch(void **state)
{
	static char large[60000];
	struct group group;

	memset(large, 'A', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	fake_clear();
	fake_add_text("text.a", "Abc");
	fake_add_text("text.b", large);
	fake_add_text("path.a", large);
	MAKE(&group, "tolower(text.a) = x or toupper(text.a) = x",
	     "tolower(text.b) = x or tolower(path.a) = x or toupper(text.b) = x",
	     "tolower(text.b) endswith b or tolower(path.a) endswith b",
	     "toupper(text.b) endswith b or concat(text.b, text.b) endswith b",
	     "toupper(text.a) = ABC and tolower(text.a) = abc and tolower(text.b) endswith a and "
	     "tolower(path.a) startswith a and toupper(text.b) endswith A",
	     "concat(text.b, text.b) endswith A");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(filter_group_next(group.filter, &event, 0), 4);
		assert_int_equal(filter_group_next(group.filter, &event, 5), 5);
	}
	finish(&group);
}

/* So does the room for right sides when the left one is known already. */
static void test_right_sides(void **state)
{
	static char large[100000];
	struct group group;

	memset(large, 'a', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	fake_clear();
	fake_add_text("text.a", large);
	fake_add_text("path.a", large);
	MAKE(&group, "path.a != tolower(path.a)", "path.a > tolower(path.a)",
	     "path.a < tolower(path.a)", "path.a = toupper(path.a)", "path.a = tolower(path.a)");
	for (int i = 0; i < 3; i++)
		assert_int_equal(filter_group_next(group.filter, &event, 0), 4);
	finish(&group);
}

/* Ancestors are gone through for each check, with an index of its own. */
static void test_ancestors(void **state)
{
	struct group group;

	fake_clear();
	fake_add_text("kin.text", "a");
	fake_add_text("kin.text", "b");
	MAKE(&group, "kin.text = c", "kin.text[2] = a", "kin.text = b and kin.text = a",
	     "kin.text[2] = b and kin.text exists and not kin.text = c");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_int_equal(filter_group_next(group.filter, &event, 3), 3);
	finish(&group);
}

static void test_shared(void **state)
{
	static const char macro_text[] = "text.a = x and text.b = val(text.a)";
	struct group group = {0};
	struct filter_node *macro = parse(&group, macro_text);

	fake_clear();
	fake_add_text("text.a", "x");
	fake_add_text("text.b", "x");
	add(&group, "m and num.u64 = 1", macro, macro_text);
	add(&group, "not m", macro, macro_text);
	add(&group, "m and m and (m or m)", macro, macro_text);
	assert_int_equal(create(&group, NULL, NULL), 0);
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_int_equal(fake_reads(), 4); /* text.a twice, text.b, num.u64 */
	finish(&group);
}

/* m1 is m0 or something, twice; m2 the same with m1: 2 to the power of 600 checks, if not shared.
 */
static void test_exponential(void **state)
{
	static const char *const texts[] = {"(m and num.u64 = 1) or (m and bool.a = true)",
					    "(m or num.u64 = 2) and (m or num.u64 = 3)"};
	struct group group = {0};
	struct filter_node *macro = parse(&group, "text.a = x");

	for (int i = 0; i < 600; i++) {
		struct filter_node *next = parse(&group, texts[i % 2]);

		graft(next, macro, texts[(i + 1) % 2]);
		macro = next;
	}
	add(&group, "m", macro, texts[0]);
	assert_int_equal(create(&group, NULL, NULL), 0);
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
	finish(&group);
}

/* Also when a macro stands in itself. */
static void test_nesting(void **state)
{
	static const char text[] = "num.u64 = 1 or m";
	struct group group = {0};
	struct filter_node *macro = parse(&group, text);
	struct filter_error err;
	size_t failed;

	graft(macro, macro, text);
	add(&group, "text.a = x", NULL, NULL);
	add(&group, "m", macro, text);
	assert_int_equal(create(&group, &failed, &err), -EINVAL);
	assert_int_equal(failed, 1);
	assert_non_null(strstr(err.text, "levels deep"));
	finish(&group);
}

static void test_errors(void **state)
{
	static const char macro_text[] = "num.u64 = 1 or num.u64 = x";
	struct group group = {0};
	struct filter_node *macro = parse(&group, macro_text);
	struct filter_error err;
	size_t failed = 99;

	add(&group, "text.a = x", NULL, NULL);
	add(&group, "num.u64 = 1 and text.q = 1", NULL, NULL);
	add(&group, "num.u64 = y", NULL, NULL);
	assert_int_equal(create(&group, &failed, &err), -EINVAL);
	assert_int_equal(failed, 1);
	assert_int_equal(err.column, 17);
	assert_ptr_equal(err.expression, group.items[1].text);
	group.items[1] = group.items[0];
	assert_int_equal(create(&group, &failed, &err), -EINVAL);
	assert_int_equal(failed, 2);
	/* What is shared has positions of its own, and what follows those of the item. */
	group.n = 2;
	add(&group, "num.u64 = 1 and m", macro, macro_text);
	assert_int_equal(create(&group, &failed, &err), -EINVAL);
	assert_int_equal(failed, 2);
	assert_int_equal(err.column, 26);
	assert_ptr_equal(err.expression, macro_text);
	group.n = 2;
	add(&group, "m or num.u64 = z", parse(&group, "num.u64 = 1"), "num.u64 = 1");
	assert_int_equal(create(&group, &failed, &err), -EINVAL);
	assert_int_equal(err.column, 16);
	group.n = 2;
	add(&group, "text.a = x and somewhere", NULL, NULL);
	assert_int_equal(create(&group, &failed, &err), -EINVAL);
	assert_non_null(strstr(err.text, "unexpected identifier 'somewhere'"));
	finish(&group);
}

static void test_needs(void **state)
{
	struct group group;

	MAKE(&group, "num.i8 = 1 or text.a = x", "text.a = x", "concat(text.a, text.b) = x",
	     "num.i64 = val(num.i64)", "num.i8 = 1 and num.i64 = 1", "kin.text = x");
	assert_int_equal(filter_group_needs(group.filter, 0), NEEDS_THREADS);
	assert_int_equal(filter_group_needs(group.filter, 1), NEEDS_NOTHING);
	assert_int_equal(filter_group_needs(group.filter, 3), NEEDS_FDS);
	assert_int_equal(filter_group_needs(group.filter, 4), NEEDS_THREADS | NEEDS_FDS);
	assert_int_equal(filter_needs(group.filter), NEEDS_THREADS | NEEDS_FDS);
	assert_int_equal(filter_group_flags(group.filter, 1), 0);
	assert_true(filter_group_flags(group.filter, 5) & FIELD_ANCESTORS);
	assert_true(filter_flags(group.filter) & FIELD_ANCESTORS);
	finish(&group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),		cmocka_unit_test(test_values_are_kept),
		cmocka_unit_test(test_checks_are_kept), cmocka_unit_test(test_scratch),
		cmocka_unit_test(test_right_sides),	cmocka_unit_test(test_ancestors),
		cmocka_unit_test(test_shared),		cmocka_unit_test(test_exponential),
		cmocka_unit_test(test_nesting),		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
