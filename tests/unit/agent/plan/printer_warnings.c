/* SPDX-License-Identifier: MIT */
/* Formats of -p that are the same for each event are warned of. */
#include <string.h>

#include "agent/plan/printer.h"
#include "unit.h"

/* What is warned of; "": nothing. To be released. */
static struct buf warnings_of(const char *print)
{
	const struct options options = {.print = print};
	struct buf messages = {0};
	struct printer printer;
	struct error err = {""};

	assert_int_equal(printer_init(&printer, &options, &messages, &err), 0);
	assert_non_null(printer.formatter);
	assert_ptr_equal(printer.format, &format_text);
	printer_finish(&printer);
	buf_append_char(&messages, '\0');
	return messages;
}

static void expect_warning(const char *print, const char *wanted)
{
	struct buf messages = warnings_of(print);

	assert_string_equal(messages.data, wanted);
	buf_finish(&messages);
}

static void test_constant_format(void **state)
{
	expect_warning("proc.name",
		       "agent: warning: -p: 'proc.name' has no field (%FIELD): each line is the "
		       "same; for the value of the field write '%proc.name'\n");
	expect_warning("hello",
		       "agent: warning: -p: 'hello' has no field (%FIELD): each line is the same\n");
	expect_warning("*",
		       "agent: warning: -p: '*' has no field (%FIELD): each line is the same\n");
	expect_warning("a\x1b[2J",
		       "agent: warning: -p: 'a.[2J' has no field (%FIELD): each line is the same\n");
}

static void test_no_warning(void **state)
{
	expect_warning("%proc.name", "");
	expect_warning("*pid %proc.pid", "");
	expect_warning("c", "");
	expect_warning("container", "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_constant_format),
	cmocka_unit_test(test_no_warning),
};

UNIT_GROUP(tests);
