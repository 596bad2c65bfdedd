/* SPDX-License-Identifier: MIT */
/* Lists of fields for JSON: what they stand for, and what is wrong with them. */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/formatter_impl.h"
#include "unit.h"

static size_t count_keys(const char *fields)
{
	struct formatter *formatter;
	struct filter_error err = {0};
	size_t count;

	if (formatter_create_fields(&format_json, fields, &formatter, &err))
		fail_msg("%s: %s", fields, err.text);
	count = formatter->columns_count;
	formatter_destroy(formatter);
	return count;
}

static void expect_keys(const char *fields, const char *const *keys)
{
	struct formatter *formatter;
	struct filter_error err = {0};
	size_t i = 0;

	if (formatter_create_fields(&format_json, fields, &formatter, &err))
		fail_msg("%s: %s", fields, err.text);
	for (; keys[i]; i++) {
		assert_true(i < formatter->columns_count);
		assert_string_equal(formatter->columns[i].name.data, keys[i]);
	}
	assert_int_equal(i, formatter->columns_count);
	formatter_destroy(formatter);
}

static void test_lists_of_fields(void **state)
{
	size_t printable = 0;

	expect_keys(" evt.num , thread.tid", (const char *const[]){"evt.num", "thread.tid", NULL});
	expect_keys("evt.num,evt.num", (const char *const[]){"evt.num", NULL});
	expect_keys("proc.env[A,B],proc.env[\"]\\\",\"],evt.num",
		    (const char *const[]){"proc.env[A,B]", "proc.env[\"]\\\",\"]", "evt.num", NULL});
	assert_int_equal(count_keys("default"), 23);
	assert_int_equal(count_keys("default,proc.cwd,evt.num,default"), 24);
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			printable += !(desc->flags & (FIELD_FILTER_ONLY | FIELD_ARG_REQUIRED));
	assert_int_equal(count_keys("all"), printable);
	assert_int_equal(count_keys("all,default,proc.aname[1]"), printable + 1);
}

static void test_wrong_lists(void **state)
{
	static const struct {
		const char *list, *part;
		unsigned int column;
	} cases[] = {
		{"", "expected a field", 1},
		{"evt.num,", "expected a field", 9},
		{"evt.num, ,evt.cpu", "expected a field", 10},
		{"evt.num, proc.nam", "did you mean 'proc.name'?", 10},
		{"evt.arg", "needs an argument", 1},
		{"default,fd.ip", "for filters only", 9},
		{"default all", "unknown field", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct formatter *formatter = NULL;
		struct filter_error err = {0};

		assert_int_equal(formatter_create_fields(&format_json, cases[i].list, &formatter,
							 &err), -EINVAL);
		assert_null(formatter);
		if (!strstr(err.text, cases[i].part) || err.column != cases[i].column)
			fail_msg("'%s': column %u, %s", cases[i].list, err.column, err.text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lists_of_fields),
	cmocka_unit_test(test_wrong_lists),
};

UNIT_GROUP(tests);
