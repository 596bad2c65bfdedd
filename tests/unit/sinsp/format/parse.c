/* SPDX-License-Identifier: MIT */
/* The language of formats: where a field ends, what is wrong, what is too long. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formatted.h"
#include "sinsp/fields/field.h"
#include "unit.h"

static void test_text_between(void **state)
{
	formatted_expect_text(*state, "%evt.num", "1");
	formatted_expect_text(*state, "a %proc.name.", "a cat.");
	formatted_expect_text(*state, "[%evt.num]%proc.name,%proc.pid\t\n$x \\n '",
			      "[1]cat,100\t\n$x \\n '");
	formatted_expect_text(*state, "%evt.num%evt.num", "11");
	formatted_expect_text(*state, "no field at all", "no field at all");
	formatted_expect_text(*state, "*", "");
	formatted_expect_text(*state, "**", "*");
	formatted_expect_text(*state, " *%evt.num*", " *1*");
}

/* The longest field that there is; what follows is text. */
static void test_end_of_field(void **state)
{
	formatted_expect_text(*state, "%evt.numx", "1x");
	formatted_expect_text(*state, "%evt.num.x", "1.x");
	formatted_expect_text(*state, "%evt.type.is", "open.is");
	formatted_expect_text(*state, "%evt.type.is.open!", "1!");
	formatted_expect_text(*state, "%evt.type.isopen", "open.isopen");
	formatted_expect_text(*state, "%evt.argsx",
			      "fd=-2(ENOENT) name=/tmp/a flags=<NA> mode=<NA> "
			      "dev=<NA> ino=<NA>x");
	formatted_expect_text(*state, "*%proc.aname[0", "<NA>[0");
	formatted_expect_text(*state, "%proc.aname[0]", "cat");
	formatted_expect_text(*state, "%proc.name[0]", "cat[0]");
	formatted_expect_text(*state, "%evt.arg[1]%evt.arg.name", "/tmp/a/tmp/a");
	formatted_expect_text(*state, "%evt.rawarg.fd.", "-2.");
	formatted_expect_text(*state, "%proc.args[1]]", "-o]");
	formatted_expect_text(*state, "%evt.num[", "1[");
	formatted_expect_text(*state, "%evt.around[1795260961123456780] ns", "9 ns");
	formatted_expect_text(*state, "%evt.around[1795260961123456790]", "1");
	formatted_expect_json(*state, "%evt.around[1795260961123456700]",
			      "{\"evt.around[1795260961123456700]\":89}");
}

static void expect_wrong(const char *format, unsigned int column, const char *part)
{
	struct formatter *formatter = NULL;
	struct filter_error err = {.text = ""};

	if (formatter_create_format(&format_text, format, &formatter, &err) != -EINVAL)
		fail_msg("'%s' is taken", format);
	assert_null(formatter);
	if (!strstr(err.text, part) || err.column != column)
		fail_msg("'%s': column %u: %s", format, err.column, err.text);
}

static void test_wrong(void **state)
{
	expect_wrong("", 1, "empty");
	expect_wrong("%", 2, "end with '%'");
	expect_wrong("a %evt.num %", 13, "end with '%'");
	expect_wrong("%%", 2, "'%' begins a field");
	expect_wrong("100%% %evt.num", 5, "'%' begins a field");
	expect_wrong("%12", 4, "end with a number");
	expect_wrong("%4097evt.num", 2, "no more than 4096");
	expect_wrong("%99999999999999999999evt.num", 2, "no more than 4096");
	expect_wrong("%-5evt.num", 2, "expected a field or a transformer");
	expect_wrong("% evt.num", 2, "expected a field or a transformer");
	expect_wrong("%evt .num", 2, "expected a field or a transformer");
	expect_wrong("%evtnum", 2, "evt.num");
	expect_wrong("%evt.nosuch", 2, "unknown field 'evt.nosuch'");
	expect_wrong("*x %evt.num %proc.nam", 14, "did you mean 'proc.name'?");
	expect_wrong("%evt.arg", 2, "needs an argument");
	expect_wrong("%evt.arg.", 2, "needs an argument");
	expect_wrong("%evt.around", 2, "needs an argument");
	expect_wrong("%evt.around[x]", 2, "not a number");
	expect_wrong("%thread.cgroup", 2, "needs an argument");
	expect_wrong("%evt.arg.zz", 2, "no event has a parameter 'zz'");
	expect_wrong("%fd.ip", 2, "for filters only");
	expect_wrong("%len(fd.types[1])%len(fd.ip)", 23, "cannot be given");
	expect_wrong("%len(evt.num)", 2, "takes text");
	expect_wrong("%tolower(%proc.name)", 10, "expected a field");
	expect_wrong("%tolower(proc.name", 19, "found the end");
	expect_wrong("%val(proc.name)", 2, "expected a field or a transformer");
	expect_wrong("%tolower(proc.nam)", 10, "did you mean 'proc.name'?");
	expect_wrong("line\n%evt.nosuch", 2, "unknown field");
}

/* Keys of JSON are UTF-8; text has no such limit. */
static void test_wrong_keys(void **state)
{
	static const char format[] = "*\xc3\xa9 %proc.env[\xff]";
	struct formatter *formatter = NULL;
	struct filter_error err;

	assert_int_equal(formatter_create_format(&format_json, format, &formatter, &err), -EINVAL);
	assert_non_null(strstr(err.text, "UTF-8"));
	assert_int_equal(err.position, strchr(format, '\xff') - format);
	assert_int_equal(formatter_create_format(&format_text, format, &formatter, &err), 0);
	formatter_destroy(formatter);
}

/* No format is too long, too deep or has too many parts for memory and stack. */
static void test_limits(void **state)
{
	enum { BYTES = 70000 };
	struct formatter *formatter = NULL;
	struct filter_error err;
	char *format = malloc(BYTES + 1);

	memset(format, 'x', BYTES);
	format[BYTES] = '\0';
	assert_int_equal(formatter_create_format(&format_text, format, &formatter, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no more than 65536 bytes"));
	format[65536] = '\0';
	memcpy(format, "%evt.arg.", 9);
	assert_int_equal(formatter_create_format(&format_text, format, &formatter, &err), -EINVAL);
	for (size_t i = 0; i < 65536; i += 8)
		memcpy(format + i, "tolower(", 8);
	memcpy(format, "%tolower", 8);
	assert_int_equal(formatter_create_format(&format_text, format, &formatter, &err), -EINVAL);
	for (size_t i = 0; i < 65536; i += 8)
		memcpy(format + i, "%evt.num", 8);
	assert_int_equal(formatter_create_format(&format_text, format, &formatter, &err), 0);
	formatter_destroy(formatter);
	free(format);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, formatted_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_text_between), TEST(test_end_of_field), TEST(test_wrong),
	TEST(test_wrong_keys),	 TEST(test_limits),
};

UNIT_GROUP(tests);
