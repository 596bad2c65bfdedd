/* SPDX-License-Identifier: MIT */
/* Messages that come in pieces, and those that are too long. */
#include <endian.h>
#include <string.h>

#include "meta/runtimes/grpc.h"
#include "unit.h"

static struct grpc_messages messages;
static struct buf found; /* the messages, each with a '|' after it */

static int setup(void **state)
{
	messages = (struct grpc_messages){0};
	found = (struct buf){0};
	return 0;
}

static int teardown(void **state)
{
	grpc_messages_finish(&messages);
	buf_finish(&found);
	return 0;
}

static void take_all(void)
{
	const char *message;
	size_t len;

	while (grpc_messages_next(&messages, &message, &len)) {
		buf_append(&found, message, len);
		buf_append_char(&found, '|');
	}
}

static void add(const char *bytes, size_t len)
{
	assert_true(grpc_messages_add(&messages, bytes, len));
	take_all();
}

static void expect(const char *text)
{
	assert_int_equal(found.len, strlen(text));
	assert_memory_equal(found.data, text, found.len);
}

static void test_lines(void **state)
{
	add("one\ntw", 6);
	expect("one|");
	add("o\n\n", 3);
	expect("one|two|");
	add("three", 5);
	expect("one|two|");
	add("\n4\n", 3);
	expect("one|two|three|4|");
	assert_int_equal(messages.skipped, 0);
}

/* One that never ends takes bounded memory. */
static void test_long_line(void **state)
{
	static char piece[64 * 1024];

	memset(piece, 'x', sizeof(piece));
	for (int i = 0; i < 256; i++) {
		add(piece, sizeof(piece));
		assert_true(messages.in.len <= MESSAGES_BYTES_MAX + 2 * sizeof(piece));
	}
	add("x\nnext\n", 7);
	expect("next|");
	assert_int_equal(messages.skipped, 1);
}

static void add_prefix(uint32_t len, char compressed)
{
	char prefix[5] = {compressed};
	uint32_t big_endian = htobe32(len);

	memcpy(prefix + 1, &big_endian, sizeof(big_endian));
	/* Byte for byte: a prefix may be cut, too. */
	for (size_t i = 0; i < sizeof(prefix); i++)
		add(prefix + i, 1);
}

static void test_grpc(void **state)
{
	messages.is_grpc = true;
	add_prefix(3, 0);
	add("o", 1);
	expect("");
	add("ne", 2);
	expect("one|");
	add_prefix(0, 0);
	expect("one||");
	add_prefix(2, 1);
	add("no", 2);
	add_prefix(3, 0);
	add("two", 3);
	expect("one||two|");
	assert_int_equal(messages.skipped, 1);
}

static void test_long_grpc(void **state)
{
	static char piece[64 * 1024];

	messages.is_grpc = true;
	add_prefix(UINT32_MAX, 0);
	for (uint64_t left = UINT32_MAX; left;) {
		size_t len = left < sizeof(piece) ? left : sizeof(piece);

		add(piece, len);
		left -= len;
		assert_true(messages.in.len <= 2 * sizeof(piece));
	}
	add_prefix(3, 0);
	add("two", 3);
	expect("two|");
	assert_int_equal(messages.skipped, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
	cmocka_unit_test_setup_teardown(test_long_line, setup, teardown),
	cmocka_unit_test_setup_teardown(test_grpc, setup, teardown),
	cmocka_unit_test_setup_teardown(test_long_grpc, setup, teardown),
};

UNIT_GROUP(tests);
