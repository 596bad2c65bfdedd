/* SPDX-License-Identifier: MIT */
/* The binary form of protobuf: values, lengths, texts that are not UTF-8, no memory. */
#include "unit.h"
#include "util/proto.h"

static void expect(struct buf *out, const char *bytes, size_t len)
{
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, bytes, len);
	buf_clear(out);
}

#define EXPECT(out, bytes) expect(out, bytes, sizeof(bytes) - 1)

static void test_numbers(void **state)
{
	struct buf out = {0};

	proto_varint(&out, 0);
	proto_varint(&out, 127);
	proto_varint(&out, 128);
	proto_varint(&out, 300);
	EXPECT(&out, "\x00\x7f\x80\x01\xac\x02");
	proto_varint(&out, UINT64_MAX);
	EXPECT(&out, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	proto_zigzag(&out, 0);
	proto_zigzag(&out, -1);
	proto_zigzag(&out, 1);
	proto_zigzag(&out, -64);
	EXPECT(&out, "\x00\x01\x02\x7f");
	proto_zigzag(&out, INT64_MIN);
	EXPECT(&out, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	proto_tag(&out, 1, PROTO_BYTES);
	proto_tag(&out, 16, PROTO_VARINT);
	EXPECT(&out, "\x0a\x80\x01");
	proto_fixed64(&out, UINT64_C(0x0102030405060708));
	proto_double(&out, 1);
	EXPECT(&out, "\x08\x07\x06\x05\x04\x03\x02\x01\0\0\0\0\0\0\xf0\x3f");
	buf_finish(&out);
}

static void test_texts(void **state)
{
	struct buf out = {0};

	assert_true(proto_text(&out, NULL, 0));
	assert_true(proto_text(&out, "", 0));
	assert_true(proto_text(&out, "h\xc3\xa4user am See", 14));
	EXPECT(&out, "\0\0\x0eh\xc3\xa4user am See");
	assert_false(proto_text(&out, "\xff", 1));
	assert_false(proto_text(&out, "plain text\xc3", 11));
	assert_false(proto_text(&out, "\xc3\xffx\xc3\xa4", 5));
	EXPECT(&out, "\x03\xef\xbf\xbd\x0dplain text\xef\xbf\xbd"
		     "\x09\xef\xbf\xbd\xef\xbf\xbdx\xc3\xa4");
	buf_finish(&out);
}

/* Lengths of one byte, and of more, for which what follows is moved. */
static void test_messages(void **state)
{
	static const char bytes[200];
	struct buf out = {0};
	size_t outer, inner;

	outer = proto_begin(&out);
	inner = proto_begin(&out);
	buf_append(&out, "ab", 2);
	proto_end(&out, inner);
	proto_end(&out, outer);
	EXPECT(&out, "\x03\x02"
		     "ab");
	outer = proto_begin(&out);
	inner = proto_begin(&out);
	buf_append(&out, bytes, sizeof(bytes));
	proto_end(&out, inner);
	proto_end(&out, outer);
	assert_int_equal(out.len, 204);
	assert_memory_equal(out.data, "\xca\x01\xc8\x01\0", 5);
	buf_clear(&out);
	buf_append(&out, bytes, sizeof(bytes));
	buf_append(&out, "ab", 2);
	proto_delimit(&out, 200);
	proto_delimit(&out, 0);
	assert_int_equal(out.len, 205);
	assert_memory_equal(out.data, "\xcb\x01\0", 3);
	assert_memory_equal(out.data + 202,
			    "\x02"
			    "ab",
			    3);
	buf_finish(&out);
}

static void test_lengths(void **state)
{
	assert_int_equal(proto_length_bytes("\x02" "ab", 3), 1);
	assert_int_equal(proto_length_bytes("\x80\x01", 130), 2);
	assert_int_equal(proto_length_bytes("\x80\x80", 2), 2);
	assert_int_equal(proto_length_bytes("", 0), 0);
}

static void test_no_memory(void **state)
{
	char memory[132];

	for (size_t size = 0; size < sizeof(memory); size++) {
		struct buf out = buf_fixed(memory, size);
		size_t begin = proto_begin(&out);

		for (int i = 0; i < 130; i++)
			buf_append_char(&out, 'x');
		proto_end(&out, begin);
		proto_delimit(&out, 0);
		assert_true(out.failed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_messages),
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_no_memory),
};

UNIT_GROUP(tests);
