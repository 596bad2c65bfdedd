/* SPDX-License-Identifier: MIT */
/* LogRecords as JSON: events, matches of rules, drop records, marks. */
#include <string.h>

#include "formatted.h"
#include "sinsp/format/match.h"
#include "unit.h"

#define TIME "\"timeUnixNano\":\"1795260961123456789\",\"eventName\":\"lanner.close\","
#define INFO "\"severityNumber\":9,\"severityText\":\"INFO\","
#define BODY "\"body\":{\"stringValue\":\"close res=0 fd=5\"},"

static int setup(void **state)
{
	struct drive *world;

	world_setup(state);
	world = *state;
	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, 0);
	frame_put_i64(&world->frame, close__fd, 5);
	world_end(world);
	world->event.num = 7;
	return 0;
}

static void expect(struct drive *world, const char *format, const char *json)
{
	struct formatter *formatter =
		formatted_create(&format_otlp_json, format, &(const struct text_style){0});
	struct buf out = {0};

	/* Records have no end of their own. */
	for (int i = 0; i < 2; i++) {
		buf_clear(&out);
		buf_append_char(&out, '|');
		assert_true(i ? formatter_write(formatter, &world->event, &out)
			      : formatter_append(formatter, &world->event, &out));
		buf_append_char(&out, '\0');
		assert_string_equal(out.data + 1, json);
	}
	buf_finish(&out);
	formatter_destroy(formatter);
}

static void test_events(void **state)
{
	struct drive *world = *state;

	expect(world, "%proc.pid %evt.args %user.uid",
	       "{" TIME INFO BODY
	       "\"attributes\":[ {\"key\":\"process.pid\",\"value\":{\"intValue\":"
	       "\"100\"}},{\"key\":\"lanner.evt_args\",\"value\":{\"kvlistValue\":{\"values\":["
	       "{\"key\":\"res\",\"value\":{\"intValue\":\"0\"}},{\"key\":\"fd\",\"value\":"
	       "{\"intValue\":\"5\"}}]}}},{\"key\":\"process.user.id\",\"value\":{\"intValue\":"
	       "\"0\"}}]}");
	/* What is in the record itself is no attribute. */
	expect(world, "%evt.time %evt.type", "{" TIME INFO BODY "\"attributes\":[]}");
	expect(world, "*%fd.sip", "{" TIME INFO BODY "\"attributes\":[]}");
}

static void test_id(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter =
		formatted_create(&format_otlp_json, "%proc.pid", &(const struct text_style){0});

	assert_int_equal(formatter_set_id(formatter, "f00"), 0);
	formatted_expect_line(world, formatter,
			      "{" TIME INFO BODY "\"attributes\":[ {\"key\":\"log.record.uid\","
			      "\"value\":{\"stringValue\":\"f00-7\"}},{\"key\":\"process.pid\","
			      "\"value\":{\"intValue\":\"100\"}}]}");
	formatter_destroy(formatter);
}

static void expect_match(struct drive *world, const char *format, const char *json)
{
	static const char *const tags[] = {"t"};
	const struct format_rule rule = {.name = "R",
					 .priority = "Warning",
					 .tags = tags,
					 .tags_count = 1,
					 .output = "%proc.pid"};
	const struct text_style style = {0};
	struct formatter *fields = formatted_create(&format_otlp_json, format, &style);
	struct match_line *line;
	struct buf out = {0};

	assert_int_equal(match_line_create(&format_otlp_json, &rule, &style, &line, NULL), 0);
	match_line_append(line, &world->event, fields, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, json);
	match_line_destroy(line);
	formatter_destroy(fields);
	buf_finish(&out);
}

#define WARN "\"severityNumber\":13,\"severityText\":\"WARN\","
#define RULE                                                                                       \
	"{\"key\":\"security_rule.name\",\"value\":{\"stringValue\":\"R\"}},{\"key\":\"lanner."    \
	"tags\","                                                                                  \
	"\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"t\"}]}}}]}"

static void test_matches(void **state)
{
	struct drive *world = *state;

	expect_match(world, "%proc.pid",
		     "{" WARN "\"body\":{\"stringValue\":\"100\"}," TIME "\"attributes\":[ "
		     "{\"key\":\"process.pid\",\"value\":{\"intValue\":\"100\"}}," RULE);
	expect_match(world, "*%fd.sip",
		     "{" WARN "\"body\":{\"stringValue\":\"100\"}," TIME "\"attributes\":[ " RULE);
	/* An event that lacks a value is printed all the same. */
	expect_match(world, "%fd.sip",
		     "{" WARN "\"body\":{\"stringValue\":\"100\"},\"attributes\":[ " RULE);
}

static void test_drop(void **state)
{
	static const struct format_drop_type type = {"close", 3};
	const struct format_drop drop = {.id = "f-1d",
					 .count = 3,
					 .from = 2,
					 .to = 4,
					 .last_ns = UINT64_C(1795294237000000002),
					 .cause = "x",
					 .types = &type,
					 .types_count = 1};
	struct buf out = {0};

	format_otlp_json.records.append_drop(&drop, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(
		out.data,
		"{\"timeUnixNano\":\"1795294237000000002\"," WARN "\"eventName\":\"lanner.drop\","
		"\"body\":{\"stringValue\":\"x\"},\"attributes\":[ {\"key\":\"lanner.drop_cause\","
		"\"value\":{\"stringValue\":\"x\"}},{\"key\":\"log.record.uid\",\"value\":"
		"{\"stringValue\":\"f-1d\"}},{\"key\":\"lanner.drop_count\",\"value\":{"
		"\"intValue\":\"3\"}},"
		"{\"key\":\"lanner.drop_from\",\"value\":{\"intValue\":\"2\"}},"
		"{\"key\":\"lanner.drop_to\",\"value\":{\"intValue\":\"4\"}},"
		"{\"key\":\"lanner.drop_last\",\"value\":{\"stringValue\":\"2026-11-21T20:50:37."
		"000000002Z\"}},"
		"{\"key\":\"lanner.drop_types\",\"value\":{\"kvlistValue\":{\"values\":["
		"{\"key\":\"close\",\"value\":{\"intValue\":\"3\"}}]}}}]}");
	buf_finish(&out);
}

/* Nobody knows how many: there is no count. */
static void test_end(void **state)
{
	const struct format_end end = {.id = "f-e1", .last = 7, .reason = "x"};
	struct buf out = {0};

	format_otlp_json.records.append_end(&end, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\"eventName\":\"lanner.end\","
					 "\"body\":{\"stringValue\":\"x\"},\"attributes\":[ {"));
	assert_non_null(strstr(out.data, "{\"key\":\"lanner.end_last\",\"value\":{"));
	buf_finish(&out);
}

static void test_drop_of_an_unknown_number(void **state)
{
	const struct format_drop drop = {.after = 7, .cause = "x"};
	struct buf out = {0};

	format_otlp_json.records.append_drop(&drop, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "{\"key\":\"lanner.drop_after\",\"value\":{"
					 "\"intValue\":\"7\"}}"));
	assert_null(strstr(out.data, "drop_count"));
	buf_finish(&out);
}

static void expect_mark(const char *record, const char *marked)
{
	struct buf out = {0};

	format_otlp_json.records.mark_redelivered(NULL, record, strlen(record), &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, marked);
	buf_finish(&out);
}

#define MARK "{\"key\":\"lanner.evt_redelivered\",\"value\":{\"boolValue\":true}}"

static void test_mark(void **state)
{
	expect_mark("{\"attributes\":[]}", "{\"attributes\":[ " MARK "]}");
	expect_mark("{\"attributes\":[ {}]}", "{\"attributes\":[ {}," MARK "]}");
}

static void test_no_memory(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter = formatted_create(&format_otlp_json, "%proc.pid %evt.args",
						       &(const struct text_style){0});
	char memory[300];

	for (size_t size = 0; size < sizeof(memory); size++) {
		struct buf out = buf_fixed(memory, size);

		formatter_append(formatter, &world->event, &out);
		assert_true(out.failed);
		assert_int_equal(out.len, 0);
	}
	formatter_destroy(formatter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),	cmocka_unit_test(test_id),
	cmocka_unit_test(test_matches), cmocka_unit_test(test_drop),
	cmocka_unit_test(test_end),	cmocka_unit_test(test_drop_of_an_unknown_number),
	cmocka_unit_test(test_mark),	cmocka_unit_test(test_no_memory),
};

UNIT_GROUP(tests, .setup = setup, .teardown = world_teardown);
