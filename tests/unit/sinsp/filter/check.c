/* SPDX-License-Identifier: MIT */
/* Checks one by one: which are valid, and whether what is wrong is an unknown field. */
#include <errno.h>
#include <string.h>

#include "fake_fields.h"
#include "sinsp/filter/filter.h"
#include "unit.h"

static int check(const char *text, const struct filter_options *options, bool *unknown_field,
		 struct filter_error *err)
{
	struct arena arena = {0};
	struct filter_node *root;
	int code;

	if (filter_parse(text, &arena, &root, err))
		fail_msg("'%s': %s", text, err->text);
	assert_int_equal(root->kind, FILTER_NODE_CHECK);
	code = filter_check_node(root, text, options, unknown_field, err);
	arena_finish(&arena);
	return code;
}

static void test_valid(void **state)
{
	static const char *const texts[] = {
		"text.a = x",
		"num.u64 in (1, 2)",
		"text.a = val(text.b)",
		"tolower(text.a) = x",
		"list.text intersects (x)",
		"text.a regex 'x+'",
		"text.a = tolower('X')",
		"text.a exists",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct filter_error err;
		bool unknown_field = true;

		assert_int_equal(check(texts[i], &(struct filter_options){0}, &unknown_field, &err),
				 0);
		assert_true(unknown_field); /* it is untouched */
	}
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text;
		unsigned int column;
		const char *says;
		bool unknown_field;
	} rows[] = {
		{"text.q = x", 1, "unknown field 'text.q'", true},
		{"no.such exists", 1, "unknown field", true},
		{"tolower(no.such) = x", 9, "unknown field", true},
		{"join(',', (text.a, toupper(no.such))) = x", 28, "unknown field", true},
		{"text.a = val(no.such)", 14, "unknown field", true},
		{"text.a = concat('x', no.such)", 22, "unknown field", true},
		{"num.u64 = x", 11, "not a whole number", false},
		{"num.u64 contains 5", 9, "cannot be used here", false},
		{"text.a[1] = x", 1, "no argument allowed", false},
		{"tolower(num.u64) = x", 1, "takes", false},
		{"text.a regex '*'", 14, "nothing to repeat", false},
		/* A constant that looks like a field is none. */
		{"num.u64 = no.such", 11, "not a whole number", false},
		{"num.u64 in (1, no.such)", 16, "not a whole number", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct filter_error err;
		bool unknown_field = !rows[i].unknown_field;

		assert_int_equal(
			check(rows[i].text, &(struct filter_options){0}, &unknown_field, &err),
			-EINVAL);
		if (err.column != rows[i].column || !strstr(err.text, rows[i].says))
			fail_msg("'%s': column %u: %s", rows[i].text, err.column, err.text);
		if (unknown_field != rows[i].unknown_field)
			fail_msg("'%s': %d", rows[i].text, unknown_field);
	}
}

static void count_warning(void *context, const struct filter_error *warning)
{
	unsigned int *count = context;

	(*count)++;
	assert_int_equal(warning->column, 10);
}

static void test_warnings(void **state)
{
	unsigned int count = 0;
	const struct filter_options options = {.warn = count_warning, .warn_context = &count};
	struct filter_error err;
	bool unknown_field;

	assert_int_equal(check("text.a = text.b", &options, &unknown_field, &err), 0);
	assert_int_equal(count, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_valid),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_warnings),
};

UNIT_GROUP(tests);
