/* SPDX-License-Identifier: MIT */
/* Errors and warnings: the line and the column of a position, the message, and how both look. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/tree.h"
#include "unit.h"

static void expect_place(const char *text, size_t position, unsigned int line, unsigned int column)
{
	struct filter_error err;

	assert_int_equal(filter_error_set(&err, text, position, "wrong"), -EINVAL);
	assert_int_equal(err.position, position);
	assert_int_equal(err.line, line);
	assert_int_equal(err.column, column);
	assert_ptr_equal(err.expression, text);
	assert_string_equal(err.text, "wrong");
}

static void test_places(void **state)
{
	expect_place("", 0, 1, 1);
	expect_place("a.b", 0, 1, 1);
	expect_place("a.b", 3, 1, 4);
	/* The byte that ends a line belongs to it. */
	expect_place("a\nb", 1, 1, 2);
	expect_place("a\nb", 2, 2, 1);
	expect_place("a\r\nb", 3, 3, 1);
	expect_place("\n\n", 2, 3, 1);
	/* Columns are bytes. */
	expect_place("\xc3\xa9x", 2, 1, 3);
}

/* A position behind the end is where the text ends. */
static void test_place_behind_the_end(void **state)
{
	expect_place("a\nbc", 100, 2, 3);
}

static void test_no_receiver(void **state)
{
	assert_int_equal(filter_error_set(NULL, "x", 0, "nobody reads this"), -EINVAL);
}

static void test_message(void **state)
{
	struct filter_error err;
	char *word = malloc(sizeof(err.text) + 1);

	memset(word, 'x', sizeof(err.text));
	word[sizeof(err.text)] = '\0';
	filter_error_set(&err, "a", 0, "no '%s'", word);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "no 'xxx", 7);
	free(word);
	/* What it quotes cannot steer a terminal. */
	filter_error_set(&err, "a", 0, "no '%s' in %d", "\x1b[31m\n\xc2\x9b", 7);
	assert_string_equal(err.text, "no '.[31m...' in 7");
}

static void expect_rendered(const char *text, size_t position, const char *wanted)
{
	struct filter_error err;
	struct buf out = {0};

	filter_error_set(&err, text, position, "wrong %s", "word");
	BUF_LITERAL(&out, "> ");
	filter_error_render(text, &err, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, wanted);
	buf_finish(&out);
}

/* The caret stands under the column as a terminal counts it: wide as what is before it. */
static void test_render(void **state)
{
	expect_rendered("a.b", 3,
			"> line 1, column 4: wrong word\n"
			"  a.b\n"
			"     ^\n");
	expect_rendered("a.b = c and\n\td\xc3\xa9 .e = 5\nor x", 17,
			"> line 2, column 6: wrong word\n"
			"  \td\xc3\xa9 .e = 5\n"
			"  \t   ^\n");
	expect_rendered("\xe4\xbd\xa0 x", 4,
			"> line 1, column 5: wrong word\n"
			"  \xe4\xbd\xa0 x\n"
			"     ^\n");
	expect_rendered("", 0,
			"> line 1, column 1: wrong word\n"
			"  \n"
			"  ^\n");
}

/* The last warning, and how many there were. */
struct heard {
	struct filter_error last;
	unsigned int count;
};

static void hear(void *context, const struct filter_error *warning)
{
	struct heard *heard = context;

	heard->last = *warning;
	heard->count++;
}

static void test_warnings(void **state)
{
	static const char text[] = "a.b = x\n  and c.d = e.f";
	struct heard heard = {.count = 0};
	struct filter_options options = {.warn = hear, .warn_context = &heard};

	filter_warn(&options, text, 20, "'%s' is the name of a field", "e.f");
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.last.position, 20);
	assert_int_equal(heard.last.line, 2);
	assert_int_equal(heard.last.column, 13);
	assert_ptr_equal(heard.last.expression, text);
	assert_string_equal(heard.last.text, "'e.f' is the name of a field");
	options.warn = NULL;
	filter_warn(&options, text, 0, "nobody hears this");
	assert_int_equal(heard.count, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_places),	    cmocka_unit_test(test_place_behind_the_end),
	cmocka_unit_test(test_no_receiver), cmocka_unit_test(test_message),
	cmocka_unit_test(test_render),	    cmocka_unit_test(test_warnings),
};

UNIT_GROUP(tests);
