/* SPDX-License-Identifier: MIT */
/* Which operators, values and sides go with which types, and what is said about those that do not.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fake_fields.h"
#include "filtered.h"
#include "sinsp/filter/filter.h"
#include "unit.h"

/* A column of the table of operators, with a value that every type group of the row takes. */
enum { EQUAL = 1, ORDER = 2, LISTS = 4, TEXTS = 8, ONLY_TEXT = 16, HEX = 32 };

static const struct operator
{
	const char *word;
	unsigned int group;
	bool list;
}
operators[] = {
	{"=", EQUAL},
	{"==", EQUAL},
	{"!=", EQUAL},
	{"<", ORDER},
	{"<=", ORDER},
	{">", ORDER},
	{">=", ORDER},
	{"in", LISTS, true},
	{"intersects", LISTS, true},
	{"contains", TEXTS},
	{"startswith", TEXTS},
	{"endswith", TEXTS},
	{"icontains", ONLY_TEXT},
	{"glob", ONLY_TEXT},
	{"iglob", ONLY_TEXT},
	{"regex", ONLY_TEXT},
	{"pmatch", ONLY_TEXT, true},
	{"bcontains", HEX},
	{"bstartswith", HEX},
};

enum { NUMBER = EQUAL | ORDER | LISTS, TEXT = NUMBER | TEXTS | ONLY_TEXT };

#define NUMBER_ROW(type) {"type." #type, "1", NUMBER}, {"list." #type, "1", LISTS},
#define TEXT_ROW(type) {"type." #type, "10", TEXT}, {"list." #type, "10", LISTS},
#define INCOMPARABLE_ROW(type) {"type." #type, "1", 0}, {"list." #type, "1", 0},

static const struct {
	const char *field, *value;
	unsigned int groups;
} types[] = {
	FAKE_SIGNED(NUMBER_ROW) FAKE_UNSIGNED(NUMBER_ROW) NUMBER_ROW(PORT) NUMBER_ROW(DOUBLE)
		FAKE_TEXTS(TEXT_ROW)
			FAKE_INCOMPARABLE(INCOMPARABLE_ROW){"type.BOOL", "true", EQUAL | LISTS},
	{"type.BYTEBUF", "10", EQUAL | LISTS | TEXTS | HEX},
	{"type.IPADDR", "1.2.3.4", EQUAL | LISTS},
	{"type.IPNET", "1.2.3.4/8", EQUAL | LISTS},
	{"list.BOOL", "true", LISTS},
	{"list.IPADDR", "1.2.3.4", LISTS},
	{"list.IPNET", "1.2.3.4/8", LISTS},
	{"list.text[1]", "10", EQUAL | LISTS},
	{"kin.text", "10", TEXT},
	{"kin.num", "1", NUMBER},
	{"ends.port", "1", NUMBER},
	{"ends.ip", "1.2.3.4", EQUAL | LISTS},
	{"ends.net", "1.2.3.4/8", EQUAL | LISTS},
	{"near.ns", "1", 0},
};

/* With a modifier an operator takes the same types; orders and lists have none. */
static void check_modified(const struct operator* operator, const char * field, const char *value,
			   bool accepted)
{
	static const char *const modifiers[] = {"anyof", "allof", "oneof"};

	for (size_t m = 0; m < sizeof(modifiers) / sizeof(modifiers[0]); m++) {
		bool expected = accepted && operator->group != ORDER && !operator->list &&
						    strcmp(field, "near.ns") != 0;
		char text[128];

		snprintf(text, sizeof(text), "%s %s %s (%s)", field, operator->word, modifiers[m],
			 value);
		if (filtered_accepts(text) != expected)
			fail_msg("'%s' should be %s", text, expected ? "OK" : "ERR");
	}
}

static void test_operators_by_type(void **state)
{
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		char text[128];

		snprintf(text, sizeof(text), "%s exists", types[t].field);
		assert_true(filtered_accepts(text));
		for (size_t o = 0; o < sizeof(operators) / sizeof(operators[0]); o++) {
			bool expected = types[t].groups & operators[o].group;

			/* A number, where the grammar takes nothing else. */
			if (operators[o].group == ORDER && strchr(types[t].value, '.'))
				continue;
			if (strcmp(types[t].field, "near.ns") == 0 && operators[o].word[0] == '=')
				expected = true;
			snprintf(text, sizeof(text), operators[o].list ? "%s %s (%s)" : "%s %s %s",
				 types[t].field, operators[o].word, types[t].value);
			if (filtered_accepts(text) != expected)
				fail_msg("'%s' should be %s", text, expected ? "OK" : "ERR");
			check_modified(&operators[o], types[t].field, types[t].value, expected);
		}
	}
}

static void test_sides(void **state)
{
	assert_true(filtered_accepts("text.a = val(text.b)"));
	assert_true(filtered_accepts("num.u64 = val(num.u64b)"));
	assert_true(filtered_accepts("ip.a in val(ip.b)"));
	assert_true(filtered_accepts("list.text in val(list.other)"));
	assert_true(filtered_accepts("bool.a = val(bool.a)"));
	assert_true(filtered_accepts("text.a < val(text.b)"));
	assert_true(filtered_accepts("tolower(text.a) = toupper(text.b)"));
	assert_true(filtered_accepts("len(text.a) = val(num.u64)"));
	assert_false(filtered_accepts("tolower(text.a) regex tolower(text.b)"));
	assert_false(filtered_accepts("getopt(list.text, 'a') = x"));
	assert_false(filtered_accepts("len(text.a) = x"));
	assert_false(filtered_accepts("text.a = val(num.u64)"));
	assert_false(filtered_accepts("num.u64 = val(num.i64)"));
	assert_false(filtered_accepts("text.a = val(path.a)"));
	assert_false(filtered_accepts("text.a in val(list.text)"));
	assert_false(filtered_accepts("list.text in val(text.a)"));
	assert_false(filtered_accepts("list.text = val(list.other)"));
	assert_false(filtered_accepts("list.text in val(list.num)"));
	assert_false(filtered_accepts("text.a regex val(text.b)"));
	assert_false(filtered_accepts("text.a pmatch val(text.b)"));
	assert_false(filtered_accepts("net.a = val(net.a)"));
	assert_false(filtered_accepts("ip.a = val(ends.ip)"));
	assert_false(filtered_accepts("ends.ip = val(ip.a)"));
	assert_false(filtered_accepts("text.only = val(text.a)"));
	assert_false(filtered_accepts("bool.a < val(bool.a)"));
	assert_false(filtered_accepts("near.ns = val(num.u64)"));
	assert_false(filtered_accepts("near.ns in (1)"));
	assert_false(filtered_accepts("near.ns = anyof (1)"));
	assert_false(filtered_accepts("text.a = val(no.such)"));
}

/* Lists of constants may be long. */
static void test_width(void **state)
{
	struct buf text = {0};

	BUF_LITERAL(&text, "text.a in (a");
	for (int i = 0; i < 5000; i++)
		BUF_LITERAL(&text, ",b");
	BUF_LITERAL(&text, ")\0");
	assert_true(filtered_accepts(text.data));
	buf_finish(&text);
}

static void test_errors(void **state)
{
	filtered_expect_error("text.a = x and text.q = y", 16, "unknown field 'text.q'");
	filtered_expect_error("text.a = x and text", 16, "unexpected identifier 'text'");
	filtered_expect_error("text.q", 7, "expected an operator");
	filtered_expect_error("num.u64 contains 5", 9,
			      "operator 'contains' cannot be used here: the left side is a number");
	filtered_expect_error("list.text = x", 11, "a list");
	filtered_expect_error("type.FLAGS32 = O_RDWR", 16, "evt.arg.NAME has names of flags");
	filtered_expect_error("num.u64 in (1, x, 2)", 16, "'x' is not a whole number");
	filtered_expect_error("ip.a = 1.2.3", 8, "'1.2.3' is not an IP address");
	filtered_expect_error("text.a = val(num.u64)", 14,
			      "the left side is text, the right side a number");
	filtered_expect_error("text.a regex val(text.b)", 8, "needs a constant");
	filtered_expect_error("text.a regex '*'", 14,
			      "invalid regular expression: nothing to repeat");
	filtered_expect_error("concat(text.a) = x", 1, "needs 2 arguments");
	filtered_expect_error("tolower(text.only) = x", 9, "cannot be given to a transformer");
	filtered_expect_error("near.ns < 5", 9, "MILLISECONDS");
	assert_int_equal(filter_create("text.q = 1", NULL, &(struct filter *){NULL}, NULL),
			 -EINVAL);
}

/* What is accepted, but probably not intended: the columns and beginnings of all warnings. */
struct warnings {
	unsigned int count, column;
	char text[256];
};

static void note_warning(void *context, const struct filter_error *warning)
{
	struct warnings *warnings = context;

	warnings->count++;
	warnings->column = warning->column;
	strcpy(warnings->text, warning->text);
}

static void check_warning(const char *text, unsigned int column, const char *says)
{
	struct warnings warnings = {0};
	const struct filter_options options = {.warn = note_warning, .warn_context = &warnings};
	struct filter *filter;

	assert_int_equal(filter_create(text, &options, &filter, NULL), 0);
	filter_destroy(filter);
	if (warnings.count != (column > 0) || warnings.column != column ||
	    !strstr(warnings.text, says))
		fail_msg("'%s': %u warnings, column %u: %s", text, warnings.count, warnings.column,
			 warnings.text);
}

static void test_warnings(void **state)
{
	check_warning("text.a = text.b", 10, "'text.b' is the name of a field");
	check_warning("text.a in (x, path.a)", 15, "write val(path.a)");
	check_warning("text.a = list.text[1]", 10, "'list.text[1]' is the name of a field");
	check_warning("text.a = text.q", 0, "");
	check_warning("text.a = val(text.b)", 0, "");
	check_warning("text.a startswith text.", 0, "");
	check_warning("text.a in shells", 11, "there is no list 'shells'");
	check_warning("text.a = anyof shells", 16, "write (shells)");
	check_warning("text.a in (shells)", 0, "");
	check_warning("text.a in ()", 0, "");
	check_warning("text.a pmatch etc", 15, "there is no list 'etc'");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_operators_by_type),
	cmocka_unit_test(test_sides),

	cmocka_unit_test(test_width),
	cmocka_unit_test(test_errors),
	cmocka_unit_test(test_warnings),
};

UNIT_GROUP(tests);
