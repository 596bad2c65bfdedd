/* SPDX-License-Identifier: MIT */
/* Whole records in other schemas: what begins them, which columns there are. */
#include <string.h>

#include "contained.h"
#include "formatted.h"
#include "sinsp/fields/field.h"
#include "sinsp/format/schema.h"
#include "unit.h"
#include "util/version.h"

static void expect(struct drive *world, const struct schema *schema, const char *format,
		   const char *line)
{
	struct formatter *formatter =
		formatted_create(&format_json, format, &(const struct text_style){0});

	assert_int_equal(formatter_set_schema(formatter, schema), 0);
	formatted_expect_line(world, formatter, line);
	formatter_destroy(formatter);
}

#define ECS_FIELDS                                                                                 \
	"{\"@timestamp\":\"2026-11-21T11:36:01.123456789Z\",\"event.kind\":\"event\","             \
	"\"event.category\":[\"file\"],\"event.type\":[\"access\"],\"event.action\":\"openat\","   \
	"\"event.outcome\":\"success\",\"host.name\":\"box\",\"host.hostname\":\"box\","
#define ECS_HEAD                                                                                   \
	ECS_FIELDS "\"ecs.version\":\"9.0.0\",\"event.module\":\"lanner\","                        \
		   "\"event.dataset\":\"lanner.events\",\"agent.type\":\"lanner\","                \
		   "\"agent.version\":\"" LANNER_VERSION "\",\"host.os.type\":\"linux\""

#define OTEL_HEAD                                                                                  \
	"{\"timestamp\":\"2026-11-21T11:36:01.123456789Z\",\"event_name\":\"lanner.openat\","      \
	"\"host.name\":\"box\"," OTEL_CONSTANTS
#define OTEL_CONSTANTS                                                                             \
	"\"service.name\":\"lanner\",\"service.version\":\"" LANNER_VERSION                        \
	"\",\"os.type\":\"linux\""

static void test_heads(void **state)
{
	world_openat(*state, 3, "x", 0);
	expect(*state, &schema_ecs, "%proc.pid", ECS_HEAD ",\"process.pid\":100}");
	expect(*state, &schema_otel, "%proc.pid", OTEL_HEAD ",\"process.pid\":100}");
	expect(*state, &schema_native, "%proc.pid", "{\"proc.pid\":100}");
	expect(*state, NULL, "%proc.pid", "{\"proc.pid\":100}");
}

/* Fields with the same key are one column, the first; so are those of the head. */
static void test_keys_are_unique(void **state)
{
	world_openat(*state, 3, "x", 0);
	expect(*state, &schema_otel, "%evt.time %container.id %container.full_id %evt.type",
	       OTEL_HEAD ",\"container.id\":\"0123456789ab\"}");
}

#define LINE                                                                                       \
	"{\"log.record.uid\":\"f00-42\",\"timestamp\":\"2026-11-21T11:36:01.123456789Z\","         \
	"\"event_name\":\"lanner.openat\",\"host.name\":\"box\"," OTEL_CONSTANTS ","               \
	"\"lanner.evt_num\":42,"                                                                   \
	"\"cpu.logical_number\":3,\"lanner.evt_args\":{\"fd\":3,\"dirfd\":-100,\"name\":\"x\","    \
	"\"flags\":[],\"mode\":\"0755\",\"dev\":\"0xfd01\",\"ino\":1048576},\"thread.name\":"      \
	"\"cat\",\"process.pid\":100,\"process.parent_pid\":1,"                                    \
	"\"thread.id\":100,\"process.user.id\":0,\"file.path\":\"/home/user/x\""

/* If the first has no value, there may be one of another field. */
static void test_otherwise(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_mkdir, 100);
	frame_put_i64(&world->frame, mkdir__res, 0);
	frame_put_string(&world->frame, mkdir__path, "/tmp/x");
	world_end(world);
	for (int first = 0; first < 2; first++) {
		struct formatter *formatter = formatted_create(
			&format_json, first ? "*%fs.path.name %fd.name" : "*%fd.name %fs.path.name",
			&(const struct text_style){0});
		struct buf out = {0};

		assert_int_equal(formatter_set_schema(formatter, &schema_otel), 0);
		assert_true(formatter_append(formatter, &world->event, &out));
		buf_append_char(&out, '\0');
		assert_non_null(strstr(out.data, ",\"file.path\":\"/tmp/x\"}"));
		/* What it needs counts. */
		assert_true(formatter_needs(formatter) & NEEDS_EVENT_PATHS);
		formatter_destroy(formatter);
		buf_finish(&out);
	}
}

/* Columns of events of containers stay those. */
static void test_container_columns(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter;

	world_openat(world, 3, "x", 0);
	world->event.num = 42;
	assert_int_equal(formatter_create_fields(&format_json, "default", &formatter, NULL), 0);
	assert_int_equal(formatter_set_schema(formatter, &schema_otel), 0);
	assert_int_equal(formatter_set_id(formatter, "f00"), 0);
	formatted_expect_line(world, formatter,
			      LINE
			      ",\"container.id\":\"0123456789ab\",\"container.name\":\"web\","
			      "\"container.image.name\":\"docker.io/library/nginx\","
			      "\"k8s.namespace.name\":\"shop\",\"k8s.pod.name\":\"web-5c4f\"}");
	contained_set_group(world, "/user.slice");
	formatted_expect_line(world, formatter, LINE "}");
	expect(world, &schema_ecs, "*%k8s.pod.name %proc.pid",
	       ECS_HEAD ",\"orchestrator.resource.name\":null,\"process.pid\":100}");
	expect(world, &schema_ecs, "*%k8s.pod.ip %proc.pid",
	       ECS_HEAD ",\"orchestrator.resource.ip\":null,\"process.pid\":100}");
	contained_set_group(world, "/docker/" CONTAINER_ID);
	formatter_destroy(formatter);
}

/* Beside the name of a pod there is what it is. */
static void test_companions(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0);
	expect(world, &schema_ecs, "*%k8s.pod.name %proc.pid",
	       ECS_HEAD ",\"orchestrator.resource.name\":\"web-5c4f\","
			"\"orchestrator.type\":\"kubernetes\",\"orchestrator.resource.type\":"
			"\"pod\",\"process.pid\":100}");
	expect(world, &schema_ecs, "%proc.pid", ECS_HEAD ",\"process.pid\":100}");
}

/* What is known of the machine; nothing is said of what is not. */
static void test_machine(void **state)
{
	static const struct schema_identity machine = {
		.parts = {[IDENTITY_MACHINE] = "x86_64",
			  [IDENTITY_ARCHITECTURE] = "amd64",
			  [IDENTITY_KERNEL] = "6.1.0",
			  [IDENTITY_BOOT_ID] = "b"},
	};
	static const struct {
		const struct schema *schema;
		const char *line;
	} rows[] = {
		{&schema_ecs, ECS_HEAD ",\"host.os.kernel\":\"6.1.0\",\"host.architecture\":"
				       "\"x86_64\",\"host.boot.id\":\"b\",\"process.pid\":100}"},
		{&schema_otel, OTEL_HEAD ",\"host.arch\":\"amd64\",\"os.version\":\"6.1.0\","
					 "\"process.pid\":100}"},
	};

	world_openat(*state, 3, "x", 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct formatter *formatter =
			formatted_create(&format_json, "%proc.pid", &(const struct text_style){0});

		formatter_set_machine(formatter, &machine);
		assert_int_equal(formatter_set_schema(formatter, rows[i].schema), 0);
		formatted_expect_line(*state, formatter, rows[i].line);
		formatter_destroy(formatter);
	}
}

/* What a schema leaves out drops no line, and is not null. */
static void test_left_out(void **state)
{
	world_openat(*state, 3, "x", 0);
	expect(*state, &schema_otel, "%evt.res %proc.pid", OTEL_HEAD ",\"process.pid\":100}");
	expect(*state, &schema_otel, "*%evt.res %fd.sip", OTEL_HEAD ",\"server.address\":null}");
	world_openat(*state, -2, "x", 0);
	expect(*state, &schema_otel, "%evt.res", OTEL_HEAD ",\"error.type\":\"ENOENT\"}");
}

/* Text has no schemas. */
static void test_text(void **state)
{
	struct formatter *formatter =
		formatted_create(&format_text, "%proc.pid", &(const struct text_style){0});

	world_openat(*state, 3, "x", 0);
	assert_false(output_format_has_schemas(&format_text));
	assert_true(output_format_has_schemas(&format_json));
	assert_int_equal(formatter_set_schema(formatter, &schema_ecs), 0);
	formatted_expect_line(*state, formatter, "100");
	formatter_destroy(formatter);
}

static void test_needs(void **state)
{
	struct formatter *formatter =
		formatted_create(&format_json, "%evt.args", &(const struct text_style){0});

	assert_int_equal(formatter_needs(formatter),
			 NEEDS_ARGUMENTS | NEEDS_EVENT_ENVIRONMENT);
	assert_int_equal(formatter_set_schema(formatter, &schema_otel), 0);
	assert_int_equal(formatter_needs(formatter),
			 NEEDS_ARGUMENTS | NEEDS_EVENT_ENVIRONMENT);
	formatter_destroy(formatter);
	formatter = formatted_create(&format_json, "%evt.args", &(const struct text_style){0});
	assert_int_equal(formatter_set_schema(formatter, &schema_ecs), 0);
	/* The text of the parameters has names of descriptors. */
	assert_true(formatter_needs(formatter) & NEEDS_EVENT_FDS);
	formatter_destroy(formatter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_heads),
	cmocka_unit_test(test_keys_are_unique),
	cmocka_unit_test(test_otherwise),
	cmocka_unit_test(test_companions),
	cmocka_unit_test(test_machine),
	cmocka_unit_test(test_left_out),
	cmocka_unit_test(test_container_columns),
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_needs),
};

UNIT_GROUP(tests, .setup = contained_setup, .teardown = world_teardown);
