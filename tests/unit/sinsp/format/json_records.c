/* SPDX-License-Identifier: MIT */
/* JSON of outputs: ids, drop records, marks. */
#include <string.h>

#include "formatted.h"
#include "sinsp/format/schema.h"
#include "unit.h"

static const struct format_drop_type types[] = {{"openat", 3}, {"close", 2}};

static const struct format_drop all_known = {
	.id = "f00-119d",
	.from = 120,
	.to = 124,
	.count = 5,
	.first_ns = UINT64_C(1795294236000000001),
	.last_ns = UINT64_C(1795294237000000002),
	.cause = "the \"queue\" was full",
	.types = types,
	.types_count = 2,
};

static void expect_drop(const struct format_drop *drop, const char *line)
{
	struct buf out = {0};

	BUF_LITERAL(&out, "before\n");
	format_json.records.append_drop(drop, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, line);
	buf_finish(&out);
}

static void test_drop(void **state)
{
	const struct format_drop unnumbered = {.count = 7, .cause = "x"};
	const struct format_drop unknown = {.after = 7, .cause = "x"};
	const struct format_drop from_the_start = {.cause = "x"};

	expect_drop(
		&all_known,
		"before\n{\"evt.id\":\"f00-119d\",\"evt.time\":\"2026-11-21T20:50:37.000000002Z\","
		"\"evt.type\":\"drop\",\"drop.cause\":\"the \\\"queue\\\" was full\","
		"\"drop.count\":5,\"drop.from\":120,\"drop.to\":124,"
		"\"drop.first\":\"2026-11-21T20:50:36.000000001Z\","
		"\"drop.last\":\"2026-11-21T20:50:37.000000002Z\","
		"\"drop.types\":{\"openat\":3,\"close\":2}}\n");
	expect_drop(&unnumbered, "before\n{\"evt.type\":\"drop\",\"drop.cause\":\"x\","
				 "\"drop.count\":7,\"drop.types\":{}}\n");
	/* Nobody knows how many: there is no count. */
	expect_drop(&unknown, "before\n{\"evt.type\":\"drop\",\"drop.cause\":\"x\","
			      "\"drop.after\":7,\"drop.types\":{}}\n");
	expect_drop(&from_the_start, "before\n{\"evt.type\":\"drop\",\"drop.cause\":\"x\","
				     "\"drop.after\":0,\"drop.types\":{}}\n");
}

static void test_end(void **state)
{
	const struct format_end run = {.id = "f00-e1",
				       .ts_ns = UINT64_C(1795294236000000001),
				       .last = 124,
				       .records = 120,
				       .dropped = 0,
				       .knows_dropped = true,
				       .reason = "the run ended"};
	const struct format_end file = {.last = 9, .records = 9, .reason = "x"};
	struct buf out = {0};

	format_json.records.append_end(&run, &out);
	format_json.records.append_end(&file, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(
		out.data,
		"{\"evt.id\":\"f00-e1\",\"evt.time\":\"2026-11-21T20:50:36.000000001Z\","
		"\"evt.type\":\"end\",\"end.reason\":\"the run ended\",\"end.last\":124,"
		"\"end.records\":120,\"end.dropped\":0}\n"
		"{\"evt.type\":\"end\",\"end.reason\":\"x\",\"end.last\":9,\"end.records\":9}\n");
	buf_finish(&out);
}

static void expect_parts(const struct buf *out, const char *const *parts)
{
	for (; *parts; parts++)
		if (!memmem(out->data, out->len, *parts, strlen(*parts)))
			fail_msg("no %s in %.*s", *parts, (int)out->len, out->data);
}

/* As alerts they have all that falcosidekick asks for; what the kernel lost has Falco's own rule.
 */
static void test_alerts(void **state)
{
	struct format_drop drop = all_known;
	const struct format_end end = {.schema = &schema_falco,
				       .hostname = "box",
				       .ts_ns = UINT64_C(1795294236000000001),
				       .reason = "the run ended"};
	struct buf out = {0};

	drop.schema = &schema_falco;
	drop.hostname = "box";
	format_json.records.append_drop(&drop, &out);
	expect_parts(&out,
		     (const char *[]){"\"evt.type\":\"drop\"", "\"hostname\":\"box\"",
				      "\"output\":\"drop: 5 records, 120 to 124, ",
				      "the \\\"queue\\\" was full (openat 3, close 2)\"",
				      "\"output_fields\":{\"drop.cause\":\"the ",
				      "\"priority\":\"Warning\"",
				      "\"rule\":\"Lanner internal: records dropped\"",
				      "\"source\":\"internal\"",
				      "\"time\":\"2026-11-21T20:50:37.000000002Z\"}\n", NULL});
	buf_clear(&out);
	drop.in_kernel = true;
	drop.last_ns = drop.first_ns = 0;
	drop.hostname = NULL;
	format_json.records.append_drop(&drop, &out);
	expect_parts(&out, (const char *[]){"\"hostname\":\"", "\"priority\":\"Debug\"",
					    "\"rule\":\"Falco internal: syscall event drop\"",
					    "\"time\":\"20", NULL});
	buf_clear(&out);
	format_json.records.append_end(&end, &out);
	expect_parts(&out,
		     (const char *[]){"\"hostname\":\"box\"", "\"priority\":\"Informational\"",
				      "\"output_fields\":{\"end.reason\":\"the run ended\"}",
				      "\"rule\":\"Lanner internal: end of records\"", NULL});
	buf_finish(&out);
}

static void expect_mark(const char *record, const char *marked)
{
	struct buf out = {0};

	format_json.records.mark_redelivered(NULL, record, strlen(record), &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, marked);
	buf_finish(&out);
}

static void test_mark(void **state)
{
	expect_mark("{\"evt.num\":1}\n", "{\"evt.redelivered\":true,\"evt.num\":1}\n");
	expect_mark("{}\n", "{\"evt.redelivered\":true}\n");
}

/* Whole records or nothing. */
static void test_no_memory(void **state)
{
	static const char record[] = "{\"evt.type\":\"openat\",\"evt.cpu\":10}\n";
	char memory[48];
	struct buf out = buf_fixed(memory, sizeof(memory));

	BUF_LITERAL(&out, "before");
	format_json.records.append_drop(&all_known, &out);
	assert_true(out.failed);
	assert_int_equal(out.len, 6);
	buf_clear(&out);
	BUF_LITERAL(&out, "before");
	format_json.records.mark_redelivered(NULL, record, sizeof(record) - 1, &out);
	assert_true(out.failed);
	assert_int_equal(out.len, 6);
}

/* The id is first, and its number is that of the event. */
static void test_id(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter = formatted_create(&format_json, "*%evt.type %container.id",
						       &(const struct text_style){0});

	assert_int_equal(formatter_set_id(formatter, "a\"b"), 0);
	world->event.num = 42;
	formatted_expect_line(
		world, formatter,
		"{\"evt.id\":\"a\\\"b-42\",\"evt.type\":\"open\",\"container.id\":\"host\"}");
	world->event.num = 43;
	formatted_expect_line(
		world, formatter,
		"{\"evt.id\":\"a\\\"b-43\",\"evt.type\":\"open\",\"container.id\":\"host\"}");
	formatter_destroy(formatter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_drop),	  cmocka_unit_test(test_end),
	cmocka_unit_test(test_alerts),	  cmocka_unit_test(test_mark),
	cmocka_unit_test(test_no_memory), cmocka_unit_test(test_id),
};

UNIT_GROUP(tests, .setup = formatted_setup, .teardown = world_teardown);
