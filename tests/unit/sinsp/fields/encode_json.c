/* SPDX-License-Identifier: MIT */
/* Values as plain JSON. */
#include "sinsp/fields/encoder.h"
#include "unit.h"

static void test_values(void **state)
{
	const struct encoder *encoder = &encoder_json;
	struct buf out = {0};
	size_t list, map, entry;

	list = encoder->list_begin(&out);
	encoder->item(&out);
	encoder->boolean(&out, true);
	encoder->item(&out);
	encoder->integer(&out, INT64_MIN);
	encoder->item(&out);
	encoder->natural(&out, UINT64_MAX);
	encoder->item(&out);
	encoder->real(&out, 1.5);
	encoder->item(&out);
	encoder->text(&out, "a\"\xff", 3);
	encoder->list_end(&out, list);
	list = encoder->list_begin(&out);
	encoder->list_end(&out, list);
	map = encoder->map_begin(&out);
	encoder->item(&out);
	entry = out.len;
	encoder->key(&out, "a", 1);
	encoder->nothing(&out);
	encoder->entry_end(&out, entry);
	encoder->item(&out);
	entry = out.len;
	encoder->key(&out, "\"", 1);
	encoder->data(&out, "x\0", 2);
	encoder->entry_end(&out, entry);
	encoder->map_end(&out, map);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "[true,-9223372036854775808,18446744073709551615.0,1.5,"
				      "\"a\\\"\xef\xbf\xbd\"][]{\"a\":null,\"\\\"\":\"x\\u0000\"}");
	buf_finish(&out);
}

/* Numbers that some readers round are strings; words and plain text are strings as they are. */
static void test_exact(void **state)
{
	const struct encoder *encoder = &encoder_json_exact;
	struct buf out = {0};
	size_t list = encoder->list_begin(&out), plain;

	encoder->item(&out);
	encoder->integer(&out, INT64_MIN);
	encoder->item(&out);
	encoder->natural(&out, UINT64_MAX);
	encoder->item(&out);
	encoder->duration(&out, UINT64_MAX);
	encoder->item(&out);
	encoder->word(&out, "O_RDONLY", 8);
	encoder->item(&out);
	plain = encoder->plain_begin(&out);
	BUF_LITERAL(&out, "0x1f");
	encoder->plain_end(&out, plain);
	encoder->list_end(&out, list);
	encoder_json.duration(&out, UINT64_MAX);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "[\"-9223372036854775808\",\"0xffffffffffffffff\","
				      "\"18446744073709551615\",\"O_RDONLY\",\"0x1f\"]"
				      "18446744073709551615.0");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_exact),
};

UNIT_GROUP(tests);
