/* SPDX-License-Identifier: MIT */
/* The JSON forms of fields and of transformers. */
#include "sinsp/format/json.h"
#include "unit.h"

static void expect(const char *field, const char *form)
{
	struct field_ref ref;

	assert_int_equal(field_ref_init(&ref, field, strlen(field), NULL), 0);
	assert_string_equal(format_json_form(ref.desc), form);
	field_ref_finish(&ref);
}

static void test_fields(void **state)
{
	expect("evt.failed", "boolean");
	expect("proc.pid", "signed");
	expect("evt.num", "unsigned");
	expect("proc.fdusage", "real");
	expect("fd.dev", "hex");
	expect("evt.latency", "duration");
	expect("evt.rawtime", "moment");
	expect("fd.sip", "address");
	expect("fd.name", "text");
	/* Those that write themselves. */
	expect("evt.args", "arguments");
	expect("evt.time", "time");
}

static void test_transformers(void **state)
{
	struct format_column column = {.type = PT_UINT64, .format = PF_DEC};

	assert_int_equal(json_form_of(&column), JSON_UNSIGNED);
	column.type = PT_CHARBUF;
	assert_int_equal(json_form_of(&column), JSON_TEXT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fields),
	cmocka_unit_test(test_transformers),
};

UNIT_GROUP(tests);
