/* SPDX-License-Identifier: MIT */
/* No user, password or token of a target is shown. */
#include <string.h>

#include "output/config.h"
#include "unit.h"

static void expect_shown(const char *to, const char *expected)
{
	struct buf text = {0};

	output_append_shown(to, strlen(to), &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_finish(&text);
}

static void test_shown(void **state)
{
	expect_shown("file:/var/log/a@b?c", "file:/var/log/a@b?c");
	expect_shown("unix:@name", "unix:@name");
	expect_shown("stdout", "stdout");
	expect_shown("http://host:80/path", "http://host:80/path");
	expect_shown("http://u:secret@host/path", "http://***@host/path");
	expect_shown("http://u:se@cr/et@host/path", "http://***@host/path");
	expect_shown("https://host/?token=secret&x=@y", "https://host/?***");
	expect_shown("https://u@host?token=secret", "https://***@host?***");
	expect_shown("kafka://u:secret@a,u:secret@b:9092/t", "kafka://***@b:9092/t");
	expect_shown("syslog:tcp://u:secret@h:1", "syslog:tcp://***@h:1");
	expect_shown("http://", "http://");
	expect_shown("", "");
}

static void test_part(void **state)
{
	struct buf text = {0};

	output_append_shown("http://u:secret@host,key=v", 20, &text);
	assert_int_equal(text.len, strlen("http://***@host"));
	assert_memory_equal(text.data, "http://***@host", text.len);
	buf_finish(&text);
}

static void test_user(void **state)
{
	assert_true(output_has_user("//u:p@host"));
	assert_true(output_has_user("//u:p/x@host?a"));
	assert_false(output_has_user("//host/?a=b@c"));
	assert_false(output_has_user(""));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_shown),
	cmocka_unit_test(test_part),
	cmocka_unit_test(test_user),
};

UNIT_GROUP(tests);
