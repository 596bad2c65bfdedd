/* SPDX-License-Identifier: MIT */
/* Values as plain JSON. */
#include "sinsp/values/encoder.h"
#include "unit.h"

static void test_values(void **state)
{
	const struct value_encoder *encoder = &json_encoder;
	struct buf out = {0};
	size_t list, map, entry;

	list = encoder->list_begin(&out);
	encoder->item(&out, list);
	encoder->boolean(&out, true);
	encoder->item(&out, list);
	encoder->integer(&out, INT64_MIN);
	encoder->item(&out, list);
	encoder->natural(&out, UINT64_MAX);
	encoder->item(&out, list);
	encoder->real(&out, 1.5);
	encoder->item(&out, list);
	encoder->text(&out, "a\"\xff", 3);
	encoder->list_end(&out, list);
	list = encoder->list_begin(&out);
	encoder->list_end(&out, list);
	map = encoder->map_begin(&out);
	encoder->item(&out, map);
	entry = out.len;
	encoder->key(&out, "a", 1);
	encoder->nothing(&out);
	encoder->entry_end(&out, entry);
	encoder->item(&out, map);
	entry = out.len;
	encoder->key(&out, "\"", 1);
	encoder->data(&out, "x\0", 2);
	encoder->entry_end(&out, entry);
	encoder->map_end(&out, map);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "[true,-9223372036854775808,18446744073709551615,1.5,"
				      "\"a\\\"\xef\xbf\xbd\"][]{\"a\":null,\"\\\"\":\"x\\u0000\"}");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
};

UNIT_GROUP(tests);
