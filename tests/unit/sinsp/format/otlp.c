/* SPDX-License-Identifier: MIT */
/* What both forms of LogRecords share: severities, bodies, names, ids. */
#include "formatted.h"
#include "sinsp/format/otlp.h"
#include "sinsp/format/schema.h"
#include "unit.h"

static void test_severities(void **state)
{
	static const struct {
		const char *priority, *text;
		unsigned int number;
	} rows[] = {
		{"Emergency", "FATAL", 21},   {"Alert", "FATAL", 21},  {"Critical", "ERROR", 17},
		{"Error", "ERROR", 17},	      {"Warning", "WARN", 13}, {"Notice", "INFO", 9},
		{"Informational", "INFO", 9}, {"Debug", "DEBUG", 5},   {"other", "INFO", 9},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct otlp_severity severity = otlp_severity_of(rows[i].priority);

		assert_string_equal(severity.text, rows[i].text);
		assert_int_equal(severity.number, rows[i].number);
	}
}

static void expect(const struct buf *text, const char *wanted)
{
	assert_int_equal(text->len, strlen(wanted));
	assert_memory_equal(text->data, wanted, text->len);
}

static void test_texts(void **state)
{
	struct formatter *formatter =
		formatted_create(&format_otlp_json, "%evt.num", &(const struct text_style){0});
	struct drive *world = *state;
	struct buf out = {0};

	expect(otlp_event_name(formatter, &world->event, &out), "lanner.open");
	expect(otlp_body(formatter, &world->event, &out),
	       "open fd=-2(ENOENT) name=/tmp/a flags=<NA> mode=<NA> dev=<NA> ino=<NA>");
	/* The body needs what its text needs. */
	assert_true(formatter_needs(formatter) & NEEDS_EVENT_FDS);
	/* A record that lacks them is none. */
	assert_false(out.failed);
	buf_finish(&formatter->text);
	formatter->text = buf_fixed(NULL, 0);
	otlp_event_name(formatter, &world->event, &out);
	assert_true(out.failed);
	formatter_destroy(formatter);
	buf_finish(&out);
}

/* The schema is that of OpenTelemetry, and cannot be another one. */
static void test_schema(void **state)
{
	struct formatter *formatter =
		formatted_create(&format_otlp_json, "%evt.num", &(const struct text_style){0});

	assert_ptr_equal(formatter->schema, &schema_otel);
	assert_false(output_format_has_schemas(&format_otlp_json));
	assert_int_equal(formatter_set_schema(formatter, &schema_ecs), 0);
	assert_ptr_equal(formatter->schema, &schema_otel);
	formatter_destroy(formatter);
}

/* They are for outputs: known by name, but no words of -o. */
static void test_names(void **state)
{
	assert_ptr_equal(output_format_find_of_outputs("otlp-proto"), &format_otlp_proto);
	assert_ptr_equal(output_format_find_of_outputs("otlp-json"), &format_otlp_json);
	assert_null(output_format_find_of_outputs("json"));
	/* They are no words of -o. */
	assert_null(output_format_find("otlp-proto"));
	assert_null(output_format_find("otlp-json"));
	for (unsigned int i = 0; output_format_get(i); i++) {
		assert_ptr_not_equal(output_format_get(i), &format_otlp_proto);
		assert_ptr_not_equal(output_format_get(i), &format_otlp_json);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_severities),
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_schema),
	cmocka_unit_test(test_names),
};

UNIT_GROUP(tests, .setup = formatted_setup, .teardown = world_teardown);
