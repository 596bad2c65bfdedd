/* SPDX-License-Identifier: MIT */
/* Columns: what they are once they are added, and which are not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/format/formatter_impl.h"
#include "sinsp/format/output_format.h"
#include "unit.h"

enum { COLUMNS = 8 };

static int init_code;

/* A format for tests: it prepares columns with this, or fails. */
static int column_init(struct formatter *formatter, struct format_column *column,
		       const struct format_token *token)
{
	column->before = token->before;
	return init_code;
}

/* One whose keys are the texts of the operands. */
static int keyed_column_init(struct formatter *formatter, struct format_column *column,
			     const struct format_token *token)
{
	column->before = token->name;
	return 0;
}

static const struct format_events plain = {.column_init = column_init},
				  keyed = {.column_init = keyed_column_init, .keyed = true};

static int setup(void **state)
{
	struct formatter *formatter = calloc(1, sizeof(*formatter));

	if (!formatter)
		return -1;
	formatter->events = &plain;
	init_code = 0;
	*state = formatter;
	return format_reserve(formatter, COLUMNS);
}

static int teardown(void **state)
{
	formatter_destroy(*state);
	return 0;
}

/* Adds the operand that a text is, with that text before it. */
static int add(struct formatter *formatter, const char *text, const char *before,
	       struct filter_error *err)
{
	struct format_token token = {
		.before = {before, strlen(before)}, .width = 12, .name = {text, strlen(text)}};
	struct filter_expr *expr;
	size_t end;

	if (filter_parse_operand(text, 0, &formatter->arena, &expr, &end, err))
		fail_msg("%s: %s", text, err->text);
	token.expr = expr;
	return format_add_column(formatter, &token, text, err);
}

static const struct format_column *added(struct formatter *formatter, const char *text)
{
	size_t count = formatter->columns_count;
	struct filter_error err;

	if (add(formatter, text, "|", &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(formatter->columns_count, count + 1);
	return &formatter->columns[count];
}

static void test_field(void **state)
{
	const struct format_column *column = added(*state, "evt.num");

	assert_string_equal(column->name.data, "evt.num");
	assert_string_equal(column->before.data, "|");
	assert_int_equal(column->width, 12);
	assert_non_null(column->ref);
	assert_string_equal(column->ref->desc->name, "evt.num");
	assert_int_equal(column->type, column->ref->desc->type);
	assert_int_equal(column->format, column->ref->desc->format);
	assert_false(column->list);
	assert_int_equal(column->needs, NEEDS_NOTHING);
	assert_int_equal(added(*state, "proc.name")->needs, NEEDS_THREADS);
}

/* With an argument a list is one of its values. */
static void test_lists(void **state)
{
	assert_true(added(*state, "fd.types")->list);
	assert_false(added(*state, "fd.types[1]")->list);
	assert_true(added(*state, "getopt((\"-a\"),\"a\")")->list);
	assert_false(added(*state, "getopt((\"-a\"),\"a\")[a]")->list);
}

static void test_transformer(void **state)
{
	const struct format_column *column = added(*state, "len(proc.name)");

	assert_null(column->ref);
	assert_int_equal(column->type, PT_UINT64);
	assert_int_equal(column->format, PF_DEC);
	assert_int_equal(column->needs, NEEDS_THREADS);
	assert_string_equal(column->name.data, "len(proc.name)");
}

static void expect_error(struct formatter *formatter, const char *text, size_t position,
			 const char *says)
{
	struct filter_error err;

	assert_int_equal(add(formatter, text, "", &err), -EINVAL);
	if (err.position != position || !strstr(err.text, says))
		fail_msg("%s: %zu: %s", text, err.position, err.text);
	assert_int_equal(formatter->columns_count, 0);
}

static void test_wrong(void **state)
{
	expect_error(*state, "evt.nosuch", 0, "unknown field 'evt.nosuch'");
	expect_error(*state, "fd.ip", 0, "'fd.ip' is for filters only");
	expect_error(*state, "len(evt.num)", 0, "takes text");
	expect_error(*state, "tolower(evt.nosuch)", 8, "unknown field");
}

/* One that cannot be prepared is not added. */
static void test_not_prepared(void **state)
{
	struct formatter *formatter = *state;
	struct filter_error err;

	init_code = -ENOMEM;
	assert_int_equal(add(formatter, "evt.num", "", &err), -ENOMEM);
	assert_int_equal(formatter->columns_count, 0);
}

/* Keys are there once, whatever stands between them; texts as often as they are given. */
static void test_repeated(void **state)
{
	struct formatter *formatter = *state;
	struct filter_error err;

	assert_int_equal(add(formatter, "evt.num", "", &err), 0);
	assert_int_equal(add(formatter, "evt.num", "", &err), 0);
	assert_int_equal(formatter->columns_count, 2);
	formatter->columns_count = 0;
	formatter->events = &keyed;
	assert_int_equal(add(formatter, "evt.num", "", &err), 0);
	assert_int_equal(add(formatter, "evt.num", ",", &err), 0);
	assert_int_equal(formatter->columns_count, 1);
	/* The beginning of another is not that one. */
	assert_int_equal(add(formatter, "evt.time.s", "", &err), 0);
	assert_int_equal(add(formatter, "evt.time", "", &err), 0);
	assert_int_equal(formatter->columns_count, 3);
	assert_int_equal(add(formatter, "len(proc.name)", "", &err), 0);
	assert_int_equal(add(formatter, "len( proc.name)", "", &err), 0);
	assert_int_equal(formatter->columns_count, 5);
}

/* Whose text lives as long as the formatter, with room for copies of constant length. */
static void test_prepended(void **state)
{
	struct formatter *formatter = *state;
	struct format_column first = {0};
	struct filter_error err;
	struct buf text = {0};

	assert_int_equal(add(formatter, "evt.num", "", &err), 0);
	BUF_LITERAL(&text, "first");
	assert_int_equal(format_keep_text(formatter, &text, &first.before), 0);
	buf_fail(&text);
	assert_int_equal(format_keep_text(formatter, &text, &first.before), -ENOMEM);
	buf_finish(&text);
	assert_int_equal(format_prepend_column(formatter, &first), 0);
	assert_int_equal(formatter->columns_count, 2);
	assert_int_equal(formatter->columns[0].before.len, 5);
	assert_memory_equal(formatter->columns[0].before.data, "first", 5);
	assert_string_equal(formatter->columns[1].name.data, "evt.num");
	assert_int_equal(formatter->spans_count, 1);
	assert_ptr_equal(formatter->spans[0].end, formatter->columns + 2);
	assert_int_equal(formatter->host_spans, 1);
}

static int add_field(struct formatter *formatter, const char *list, size_t position, size_t len,
		     struct filter_error *err)
{
	return format_add_field(formatter, (struct filter_text){list + position, len}, list,
				position, err);
}

/* Fields of a list: a part of a text, a blank between them. */
static void test_fields(void **state)
{
	struct formatter *formatter = *state;
	const struct format_column *columns = formatter->columns;
	char list[] = "evt.num,proc.name";
	struct filter_error err;

	assert_int_equal(add_field(formatter, list, 0, 7, &err), 0);
	assert_int_equal(add_field(formatter, list, 8, 9, &err), 0);
	memset(list, 'x', sizeof(list) - 1); /* the names are copies */
	assert_string_equal(columns[0].name.data, "evt.num");
	assert_int_equal(columns[0].before.len, 0);
	assert_string_equal(columns[1].name.data, "proc.name");
	assert_string_equal(columns[1].before.data, " ");
	assert_int_equal(columns[1].width, 0);
}

static void test_wrong_field(void **state)
{
	struct formatter *formatter = *state;
	struct filter_error err;

	assert_int_equal(add_field(formatter, "evt.num,proc.nam,x", 8, 8, &err), -EINVAL);
	assert_int_equal(err.position, 8);
	assert_int_equal(err.column, 9);
	assert_non_null(strstr(err.text, "'proc.nam'; did you mean 'proc.name'?"));
	assert_int_equal(add_field(formatter, "evt.num,fd.ip", 8, 5, &err), -EINVAL);
	assert_int_equal(err.position, 8);
	assert_int_equal(formatter->columns_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_field),     TEST(test_lists),	       TEST(test_transformer),
	TEST(test_wrong),     TEST(test_not_prepared), TEST(test_repeated),
	TEST(test_prepended), TEST(test_fields),       TEST(test_wrong_field),
};

UNIT_GROUP(tests);
