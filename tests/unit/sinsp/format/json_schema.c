/* SPDX-License-Identifier: MIT */
/* Keys of JSON in other schemas: ids, drop records, marks, rules. */
#include <string.h>

#include "formatted.h"
#include "sinsp/format/json.h"
#include "sinsp/format/match.h"
#include "sinsp/format/schema.h"
#include "unit.h"
#include "util/version.h"

static void expect(struct buf *out, const char *line)
{
	buf_append_char(out, '\0');
	assert_string_equal(out->data, line);
	buf_clear(out);
}

static void test_drop(void **state)
{
	static const struct format_drop_type type = {"openat", 3};
	struct format_drop drop = {
		.schema = &schema_ecs,
		.id = "f00-9d",
		.count = 3,
		.from = 10,
		.to = 12,
		.last_ns = UINT64_C(1795294237000000002),
		.cause = "x",
		.types = &type,
		.types_count = 1,
	};
	struct buf out = {0};

	format_json.records.append_drop(&drop, &out);
	expect(&out,
	       "{\"event.id\":\"f00-9d\",\"@timestamp\":\"2026-11-21T20:50:37.000000002Z\","
	       "\"event.kind\":\"event\",\"ecs.version\":\"9.0.0\",\"event.module\":\"lanner\","
	       "\"event.dataset\":\"lanner.events\",\"agent.type\":\"lanner\","
	       "\"agent.version\":\"" LANNER_VERSION "\",\"host.os.type\":\"linux\","
	       "\"event.action\":\"drop\","
	       "\"lanner.drop_cause\":\"x\",\"lanner.drop_count\":3,\"lanner.drop_from\":10,"
	       "\"lanner.drop_to\":12,\"lanner.drop_last\":\"2026-11-21T20:50:37.000000002Z\","
	       "\"lanner.drop_types\":{\"openat\":3}}\n");
	buf_finish(&out);
}

static void test_mark(void **state)
{
	struct buf out = {0};

	format_json.records.mark_redelivered(&schema_otel, "{\"a\":1}\n", 8, &out);
	expect(&out, "{\"lanner.evt_redelivered\":true,\"a\":1}\n");
	buf_finish(&out);
}

static void test_constant(void **state)
{
	struct buf out = {0};

	json_schema_append_constant(&out, "a\"", "b\n");
	expect(&out, ",\"a\\\"\":\"b\\n\"");
	buf_finish(&out);
}

static void test_rule(void **state)
{
	static const char *const tags[] = {"t"};
	const struct format_rule rule = {.name = "One",
					 .priority = "Warning",
					 .tags = tags,
					 .tags_count = 1,
					 .output = "%proc.pid",
					 .schema = &schema_ecs};
	const struct text_style style = {0};
	struct drive *world = *state;
	struct formatter *fields;
	struct match_line *line;
	struct buf out = {0};

	assert_int_equal(match_line_create(&format_json, &rule, &style, &line, NULL), 0);
	fields = formatted_create(&format_json, "%proc.pid", &style);
	assert_int_equal(formatter_set_schema(fields, &schema_ecs), 0);
	match_line_append(line, &world->event, fields, &out);
	buf_append_char(&out, '\0');
	assert_memory_equal(out.data,
			    "{\"rule.name\":\"One\",\"log.level\":\"Warning\",\"tags\":[\"t\"],"
			    "\"message\":\"100\",\"@timestamp\":\"",
			    80);
	assert_non_null(strstr(out.data, "\"process.pid\":100}\n"));
	assert_non_null(strstr(out.data, "\"event.kind\":\"alert\""));
	/* The event itself is none. */
	buf_clear(&out);
	formatter_append(fields, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\"event.kind\":\"event\""));
	buf_finish(&out);
	formatter_destroy(fields);
	match_line_destroy(line);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_drop),
	cmocka_unit_test(test_mark),
	cmocka_unit_test(test_constant),
	cmocka_unit_test(test_rule),
};

UNIT_GROUP(tests, .setup = formatted_setup, .teardown = world_teardown);
