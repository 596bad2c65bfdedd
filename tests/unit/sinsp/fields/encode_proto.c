/* SPDX-License-Identifier: MIT */
/* Values as messages of OpenTelemetry's AnyValue. */
#include "sinsp/fields/encoder.h"
#include "unit.h"

static void expect(struct buf *out, const char *bytes, size_t len)
{
	assert_int_equal(out->len, len);
	assert_memory_equal(out->data, bytes, len);
	buf_clear(out);
}

#define EXPECT(out, bytes) expect(out, bytes, sizeof(bytes) - 1)

static void test_scalars(void **state)
{
	const struct encoder *encoder = &encoder_proto;
	struct buf out = {0};

	encoder->nothing(&out);
	encoder->boolean(&out, true);
	EXPECT(&out, "\x00\x02\x10\x01");
	encoder->integer(&out, 300);
	encoder->integer(&out, -1);
	EXPECT(&out, "\x03\x18\xac\x02\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	encoder->natural(&out, 5);
	encoder->natural(&out, UINT64_MAX);
	EXPECT(&out, "\x02\x18\x05\x09\x21\0\0\0\0\0\0\xf0\x43");
	encoder->real(&out, 1);
	EXPECT(&out, "\x09\x21\0\0\0\0\0\0\xf0\x3f");
	encoder->text(&out, "a\xff", 2);
	encoder->data(&out, "a\xff", 2);
	EXPECT(&out, "\x06\x0a\x04"
		     "a\xef\xbf\xbd\x04\x3a\x02"
		     "a\xff");
	buf_finish(&out);
}

static void test_nested(void **state)
{
	const struct encoder *encoder = &encoder_proto;
	struct buf out = {0};
	size_t list, map, entry;

	list = encoder->list_begin(&out);
	encoder->list_end(&out, list);
	EXPECT(&out, "\x02\x2a\x00");
	map = encoder->map_begin(&out);
	encoder->item(&out);
	entry = out.len;
	encoder->key(&out, "k", 1);
	list = encoder->list_begin(&out);
	encoder->item(&out);
	encoder->integer(&out, 1);
	encoder->item(&out);
	encoder->integer(&out, 2);
	encoder->list_end(&out, list);
	encoder->entry_end(&out, entry);
	encoder->map_end(&out, map);
	EXPECT(&out,
	       "\x13\x32\x11\x0a\x0f\x0a\x01k\x12\x0a\x2a\x08\x0a\x02\x18\x01\x0a\x02\x18\x02");
	buf_finish(&out);
}

/* Lengths of two bytes, of both messages. */
static void test_long(void **state)
{
	const struct encoder *encoder = &encoder_proto;
	static const char text[200];
	struct buf out = {0};
	size_t list = encoder->list_begin(&out);

	encoder->item(&out);
	encoder->text(&out, text, sizeof(text));
	encoder->list_end(&out, list);
	assert_int_equal(out.len, 2 + 1 + 2 + 1 + 2 + 1 + 2 + 200);
	assert_memory_equal(out.data, "\xd1\x01\x2a\xce\x01\x0a\xcb\x01\x0a\xc8\x01", 11);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_scalars),
	cmocka_unit_test(test_nested),
	cmocka_unit_test(test_long),
};

UNIT_GROUP(tests);
