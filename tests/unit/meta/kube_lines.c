/* SPDX-License-Identifier: MIT */
/* Lines of a stream, wherever it is cut, and those that are too long. */
#include <stdlib.h>
#include <string.h>

#include "meta/reflector.h"
#include "unit.h"

enum { ROUNDS = 100 };

/* Feeds a text in pieces of up to `most` bytes; appends the lines, each with a '|'. */
static void feed(struct reflector_lines *lines, const char *text, size_t most, struct buf *out)
{
	size_t left = strlen(text);

	while (left) {
		size_t len = 1 + (size_t)rand() % most;
		struct reflector_input input = {text, len < left ? len : left};

		text += input.len;
		left -= input.len;
		while (reflector_lines_next(lines, &input)) {
			buf_append(out, lines->line.data, lines->line.len);
			buf_append_char(out, '|');
		}
		assert_int_equal(input.len, 0);
	}
}

static void test_pieces(void **state)
{
	static const char text[] = "a\nbc\n\n\n{\"d\":\"e f\"}\r\nlast one\nunfinished";
	struct reflector_lines lines = {0};
	struct buf out = {0};

	srand(3);
	for (int round = 0; round < ROUNDS; round++) {
		feed(&lines, text, 1 + (size_t)round % sizeof(text), &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, "a|bc|{\"d\":\"e f\"}\r|last one|");
		buf_clear(&out);
		/* What is unfinished is no part of the next stream. */
		reflector_lines_restart(&lines);
	}
	assert_int_equal(lines.dropped, 0);
	buf_finish(&out);
}

static void test_long_lines(void **state)
{
	char *text = malloc(2 * LINES_BYTES_MAX + 8);
	struct reflector_lines lines = {0};
	struct buf out = {0};

	assert_non_null(text);
	memset(text, 'x', 2 * LINES_BYTES_MAX);
	/* The longest one; and one that is longer by a byte. */
	text[LINES_BYTES_MAX] = '\n';
	text[LINES_BYTES_MAX + 1] = '\0';
	feed(&lines, text, 100000, &out);
	assert_int_equal(out.len, LINES_BYTES_MAX + 1);
	text[LINES_BYTES_MAX] = 'x';
	strcpy(text + LINES_BYTES_MAX + 1, "\nab\n");
	buf_clear(&out);
	feed(&lines, text, 100000, &out);
	assert_int_equal(out.len, 3);
	assert_memory_equal(out.data, "ab|", 3);
	assert_int_equal(lines.dropped, 1);
	assert_true(lines.line.capacity <= 2 * LINES_BYTES_MAX);
	/* One that never ends. */
	text[LINES_BYTES_MAX + 1] = 'x';
	memset(text, 'x', 2 * LINES_BYTES_MAX);
	text[2 * LINES_BYTES_MAX] = '\0';
	for (int i = 0; i < 8; i++)
		feed(&lines, text, 100000, &out);
	assert_int_equal(lines.dropped, 2);
	feed(&lines, "end\ncd\n", 100, &out);
	assert_memory_equal(out.data + out.len - 6, "ab|cd|", 6);
	assert_int_equal(lines.dropped, 2);
	reflector_lines_restart(&lines);
	buf_finish(&out);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pieces),
	cmocka_unit_test(test_long_lines),
};

UNIT_GROUP(tests);
