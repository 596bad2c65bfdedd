/* SPDX-License-Identifier: MIT */
/* Schemas: names, keys by table and by rule. */
#include <string.h>

#include "sinsp/format/schema.h"
#include "unit.h"

static void test_names(void **state)
{
	struct buf words = {0};
	unsigned int n = 0;

	for (; schema_get(n); n++)
		assert_ptr_equal(schema_find(schema_get(n)->name), schema_get(n));
	assert_int_equal(n, 4);
	assert_null(schema_find("elastic"));
	buf_printf(&words, "%s, %s, %s or %s", schema_get(0)->name, schema_get(1)->name,
		   schema_get(2)->name, schema_get(3)->name);
	buf_append_char(&words, '\0');
	assert_string_equal(words.data, OUTPUT_SCHEMA_WORDS);
	buf_finish(&words);
}

static void expect(const struct schema *schema, const char *text, size_t field_len, const char *key,
		   enum schema_form form)
{
	struct buf out = {0};

	assert_int_equal(schema_append_key(schema, text, strlen(text), field_len, &out), form);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, key);
	buf_finish(&out);
}

static void test_rows(void **state)
{
	expect(&schema_otel, "proc.ppid", 9, "process.parent_pid", SCHEMA_SAME);
	expect(&schema_ecs, "proc.ppid", 9, "process.parent.pid", SCHEMA_SAME);
	expect(&schema_ecs, "user.uid", 8, "user.id", SCHEMA_STRING);
	expect(NULL, "proc.ppid", 9, "proc.ppid", SCHEMA_SAME);
	expect(&schema_falco, "proc.ppid", 9, "proc.ppid", SCHEMA_SAME);
	expect(&schema_falco, "evt.arg.name", 7, "evt.arg.name", SCHEMA_TEXT);
	expect(&schema_falco, "evt.time", 8, "evt.time", SCHEMA_NS);
	expect(&schema_native, "proc.ppid", 9, "proc.ppid", SCHEMA_SAME);
}

static void test_arguments(void **state)
{
	expect(&schema_otel, "container.label[app.io/x]", 15, "container.label.app.io/x",
	       SCHEMA_SAME);
	expect(&schema_otel, "container.label[\"a]b\"]", 15, "container.label.a]b", SCHEMA_SAME);
	expect(&schema_ecs, "container.label[app.io/x]", 15, "container.labels.app_io_x",
	       SCHEMA_SAME);
	/* With an argument a field is another one. */
	expect(&schema_otel, "proc.args[1]", 9, "lanner.proc_args_1", SCHEMA_SAME);
	expect(&schema_ecs, "evt.arg.flags", 7, "lanner.evt_arg_flags", SCHEMA_TEXT);
	expect(&schema_otel, "proc.env[PATH]", 8, "process.environment_variable.PATH", SCHEMA_SAME);
}

static void test_rule(void **state)
{
	expect(&schema_otel, "evt.latency.ns", 14, "lanner.evt_latency_ns", SCHEMA_SAME);
	/* A field whose beginning has a row. */
	expect(&schema_otel, "proc.pid.t", 10, "lanner.proc_pid_t", SCHEMA_SAME);
	expect(&schema_ecs, "toupper(evt.type)", 0, "lanner.toupper_evt_type", SCHEMA_SAME);
}

static void test_words(void **state)
{
	struct buf out = {0};

	schema_append_word(&schema_ecs, "evt.id", &out);
	buf_append_char(&out, ' ');
	schema_append_word(&schema_otel, "drop.count", &out);
	buf_append_char(&out, ' ');
	schema_append_word(NULL, "drop.count", &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "event.id lanner.drop_count drop.count");
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),	  cmocka_unit_test(test_rows),
	cmocka_unit_test(test_arguments), cmocka_unit_test(test_rule),
	cmocka_unit_test(test_words),
};

UNIT_GROUP(tests);
