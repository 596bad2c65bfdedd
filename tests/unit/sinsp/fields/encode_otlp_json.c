/* SPDX-License-Identifier: MIT */
/* Values as the JSON form of OpenTelemetry's AnyValue. */
#include "sinsp/fields/encoder.h"
#include "unit.h"

static void expect(struct buf *out, const char *json)
{
	buf_append_char(out, '\0');
	assert_string_equal(out->data, json);
	buf_clear(out);
}

static void test_scalars(void **state)
{
	const struct encoder *encoder = &encoder_otlp_json;
	struct buf out = {0};

	encoder->nothing(&out);
	encoder->boolean(&out, true);
	encoder->boolean(&out, false);
	expect(&out, "{}{\"boolValue\":true}{\"boolValue\":false}");
	encoder->integer(&out, INT64_MIN);
	encoder->natural(&out, 5);
	encoder->natural(&out, UINT64_MAX);
	expect(&out, "{\"intValue\":\"-9223372036854775808\"}{\"intValue\":\"5\"}"
		     "{\"doubleValue\":18446744073709551615.0}");
	encoder->real(&out, 0.5);
	encoder->text(&out, "a\"\xff", 3);
	encoder->data(&out, "a\xff", 2);
	expect(&out, "{\"doubleValue\":0.5}{\"stringValue\":\"a\\\"\xef\xbf\xbd\"}"
		     "{\"bytesValue\":\"Yf8=\"}");
	buf_finish(&out);
}

static void test_nested(void **state)
{
	const struct encoder *encoder = &encoder_otlp_json;
	struct buf out = {0};
	size_t map = encoder->map_begin(&out), list, entry;

	encoder->item(&out);
	entry = out.len;
	encoder->key(&out, "a", 1);
	list = encoder->list_begin(&out);
	encoder->item(&out);
	encoder->integer(&out, 1);
	encoder->item(&out);
	encoder->nothing(&out);
	encoder->list_end(&out, list);
	encoder->entry_end(&out, entry);
	encoder->item(&out);
	entry = out.len;
	encoder->key(&out, "b", 1);
	encoder->integer(&out, 2);
	encoder->entry_end(&out, entry);
	encoder->map_end(&out, map);
	expect(&out, "{\"kvlistValue\":{\"values\":[{\"key\":\"a\",\"value\":{\"arrayValue\":"
		     "{\"values\":[{\"intValue\":\"1\"},{}]}}},"
		     "{\"key\":\"b\",\"value\":{\"intValue\":\"2\"}}]}}");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_scalars),
	cmocka_unit_test(test_nested),
};

UNIT_GROUP(tests);
