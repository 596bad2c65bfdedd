/* SPDX-License-Identifier: MIT */
/* Texts of messages, and of messages in them; texts that look like messages; bytes that are none.
 */
#include "unit.h"
#include "util/proto.h"

#include <stdlib.h>
#include <string.h>

/* Appends the text and a comma, also of an empty one: it begins a message or is a name. */
static void note(void *context, char *text, size_t len)
{
	buf_append(context, text, len);
	buf_append_char(context, ',');
	memset(text, '*', len);
}

static void put_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_varint(out, strlen(text));
	buf_append(out, text, strlen(text));
}

static const struct proto_shape inner_shape[] = {{5, proto_name_shape}, {0}};
static const struct proto_shape shape[] = {{3, inner_shape}, {0}};

/* With its length before it. */
static void fill(struct buf *out, const char *outer, const char *inner)
{
	struct buf message = {0};

	put_text(&message, 5, "a name");
	put_text(&message, 1, inner);
	proto_tag(&message, 2, PROTO_VARINT);
	proto_varint(&message, 300);
	buf_clear(out);
	proto_tag(out, 1, PROTO_FIXED64);
	proto_fixed64(out, 7);
	put_text(out, 2, outer);
	proto_tag(out, 3, PROTO_BYTES);
	proto_varint(out, message.len);
	buf_append(out, message.data, message.len);
	proto_tag(out, 4, PROTO_FIXED32);
	buf_append(out, "abcd", 4);
	proto_delimit(out, 0);
	buf_finish(&message);
}

static void test_texts(void **state)
{
	struct buf message = {0}, expected = {0}, seen = {0};

	fill(&message, "password=abc", "token=de");
	fill(&expected, "************", "********");
	proto_visit_texts(shape, message.data, message.len, note, &seen);
	assert_int_equal(seen.len, strlen(",password=abc,,token=de,"));
	assert_memory_equal(seen.data, ",password=abc,,token=de,", seen.len);
	/* All else stays, byte for byte. */
	assert_int_equal(message.len, expected.len);
	assert_memory_equal(message.data, expected.data, message.len);
	buf_finish(&message);
	buf_finish(&expected);
	buf_finish(&seen);
}

/* What is not known to be a message is a text, also if it can be read as one. */
static void test_no_guesses(void **state)
{
	static const char text[] = "apassword=hunt"; /* 8 bytes by 'a', 4 by '=' */
	struct buf message = {0}, seen = {0};

	fill(&message, text, "");
	proto_visit_texts(shape, message.data, message.len, note, &seen);
	assert_int_equal(seen.len, strlen(text) + 4);
	assert_memory_equal(seen.data + 1, text, strlen(text));
	buf_finish(&message);
	buf_finish(&seen);
}

static void test_several(void **state)
{
	struct buf message = {0}, messages = {0}, seen = {0};

	for (int i = 0; i < 2; i++) {
		fill(&message, "ab", "c");
		buf_append(&messages, message.data, message.len);
	}
	proto_visit_texts(shape, messages.data, messages.len, note, &seen);
	assert_int_equal(seen.len, strlen(",ab,,c,,ab,,c,"));
	assert_memory_equal(seen.data, ",ab,,c,,ab,,c,", seen.len);
	buf_finish(&message);
	buf_finish(&messages);
	buf_finish(&seen);
}

/* A shape that is its own part ends, too. */
static void test_deep(void **state)
{
	static const struct proto_shape endless[] = {{1, endless}, {0}};
	struct buf message = {0}, seen = {0};

	for (int i = 0; i < 100; i++) {
		proto_delimit(&message, 0);
		if (i < 99) {
			buf_reserve(&message, 1);
			memmove(message.data + 1, message.data, message.len++);
			message.data[0] = 1 << 3 | PROTO_BYTES;
		}
	}
	proto_visit_texts(endless, message.data, message.len, note, &seen);
	assert_true(seen.len > 1);
	buf_finish(&message);
	buf_finish(&seen);
}

/* Whatever the bytes are, none outside is touched, which a sanitizer sees. */
static void test_random_bytes(void **state)
{
	unsigned int seed = 1;
	struct buf seen = {0};

	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)rand_r(&seed) % 40;
		char *bytes = malloc(len);

		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(rand_r(&seed) % (round % 2 ? 32 : 256));
		proto_visit_texts(shape, bytes, len, note, &seen);
		buf_clear(&seen);
		free(bytes);
	}
	buf_finish(&seen);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),	     cmocka_unit_test(test_no_guesses),
	cmocka_unit_test(test_several),	     cmocka_unit_test(test_deep),
	cmocka_unit_test(test_random_bytes),
};

UNIT_GROUP(tests);
