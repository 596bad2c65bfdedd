/* SPDX-License-Identifier: MIT */
/* Values without their event, as text and as JSON, by the type of the field. */
#include "sinsp/format/value.h"

#include <string.h>

#include "unit.h"

static void expect(const char *name, const struct field_value *value, const char *text,
		   const char *json)
{
	struct buf out = {0};
	struct field_ref ref;

	assert_int_equal(field_ref_init(&ref, name, strlen(name), NULL), 0);
	format_value_append_text(&ref, value, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, text);
	buf_clear(&out);
	format_value_append_json(&ref, value, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, json);
	buf_finish(&out);
	field_ref_finish(&ref);
}

static void writes_all_types(void **state)
{
	const struct field_value text = {.bytes = {"a\"b\n", 4}};
	const struct field_value address = {.ip = {{10, 0, 0, 1}, 4}};

	expect("proc.name", &text, "a\"b.", "\"a\\\"b\\n\"");
	expect("fd.num", &(struct field_value){.i64 = -1}, "-1", "-1");
	expect("evt.num", &(struct field_value){.u64 = 7}, "7", "7");
	expect("evt.failed", &(struct field_value){.u64 = 1}, "true", "true");
	expect("evt.latency", &(struct field_value){.u64 = 1500}, "1500", "1500");
	expect("fd.sip", &address, "10.0.0.1", "\"10.0.0.1\"");
	expect("thread.cpu", &(struct field_value){.f64 = 12.5}, "12.5", "12.5");
	expect("evt.rawtime", &(struct field_value){.u64 = UINT64_C(1700000000000000001)},
	       "1700000000000000001", "\"1700000000000000001\"");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_all_types),
};

UNIT_GROUP(tests);
