/* SPDX-License-Identifier: MIT */
/* The forms of values in other schemas. */
#include <string.h>

#include "contained.h"
#include "formatted.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/format/forms.h"
#include "sinsp/format/schema.h"
#include "unit.h"

/* Compares what a field adds to the head of a record; "": nothing. */
static void expect(struct drive *world, const struct schema *schema, const char *field,
		   const char *member)
{
	const char *head_end =
		schema == &schema_ecs ? "\"host.os.type\":\"linux\"" : "\"os.type\":\"linux\"";
	const char *const fields[] = {field};
	struct formatter *formatter;
	struct buf out = {0}, wanted = {0};
	const char *end;

	assert_int_equal(formatter_create(&format_json, fields, 1, &formatter, NULL), 0);
	assert_int_equal(formatter_set_schema(formatter, schema), 0);
	assert_true(formatter_append(formatter, &world->event, &out));
	buf_append_char(&out, '\0');
	buf_printf(&wanted, "%s%s}", member[0] ? "," : "", member);
	buf_append_char(&wanted, '\0');
	end = strstr(out.data, head_end);
	assert_non_null(end);
	assert_string_equal(end + strlen(head_end), wanted.data);
	formatter_destroy(formatter);
	buf_finish(&wanted);
	buf_finish(&out);
}

/* The same in both. */
static void expect_both(struct drive *world, const char *field, const char *member)
{
	expect(world, &schema_otel, field, member);
	expect(world, &schema_ecs, field, member);
}

static void test_types(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0x1001);
	expect_both(world, "evt.failed", "\"lanner.evt_failed\":false");
	expect_both(world, "proc.pid", "\"process.pid\":100");
	expect_both(world, "proc.fdusage", "\"lanner.proc_fdusage\":0");
	expect_both(world, "evt.rawtime",
		    "\"lanner.evt_rawtime\":\"2026-11-21T11:36:01.123456789Z\"");
	expect_both(world, "evt.reltime.ns", "\"lanner.evt_reltime_ns\":7");
	expect_both(world, "fd.types", "\"lanner.fd_types\":[]");
	expect_both(world, "fd.sip", "");
	world->event.num = 1;
	expect(world, &schema_ecs, "evt.num", "\"event.sequence\":1");
}

/* Beyond 2^53 numbers are numbers, too. */
static void test_large_numbers(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_read, 100);
	frame_put_i64(&world->frame, read__res, INT64_MAX);
	world_end(world);
	expect_both(world, "evt.rawres", "\"lanner.evt_rawres\":9223372036854775807");
}

static void test_ids(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0);
	expect(world, &schema_ecs, "user.uid", "\"user.id\":\"0\"");
	expect(world, &schema_otel, "user.uid", "\"process.user.id\":0");
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/tmp/x"));
	state_fd_set_ino((struct state_fd *)world->event.fd, 77);
	expect_both(world, "fd.ino", "\"file.inode\":\"77\"");
	expect_both(world, "fd.dev", "\"lanner.fd_dev\":\"0x0\"");
}

static void test_words_for_nothing(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0);
	expect(world, &schema_ecs, "user.name", "\"user.name\":\"root\"");
	expect_both(world, "user.loginname", "");
	expect_both(world, "evt.res", "");
	world_openat(world, -13, "x", 0);
	expect(world, &schema_ecs, "evt.res", "\"error.code\":\"EACCES\"");
	expect(world, &schema_otel, "evt.res", "\"error.type\":\"EACCES\"");
}

static void test_lists(void **state)
{
	struct drive *world = *state;
	struct state_program *own = world_self(world)->program;
	struct state_program program = *own;

	program.exe = "cat";
	program.args = "-n";
	program.args_len = 3;

	world_openat(world, 3, "x", 0);
	world_self(world)->program = &program;
	expect(world, &schema_otel, "proc.cmdline", "\"process.command_args\":[\"cat\",\"-n\"]");
	expect(world, &schema_ecs, "proc.args", "\"process.args\":[\"cat\",\"-n\"]");
	world_self(world)->program = own;
	expect(world, &schema_ecs, "proc.args", "");
	world_self(world)->caps_effective = 1 << 21 | 1;
	expect(world, &schema_ecs, "thread.cap_effective",
	       "\"process.thread.capabilities.effective\":[\"CAP_CHOWN\",\"CAP_SYS_ADMIN\"]");
	world_self(world)->caps_effective = 0;
	expect(world, &schema_ecs, "thread.cap_effective",
	       "\"process.thread.capabilities.effective\":[]");
}

static void test_parameters(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x\"", 0x1001);
	expect(world, &schema_otel, "evt.arg.flags",
	       "\"lanner.evt_arg_flags\":[\"O_RDONLY\",\"O_CLOEXEC\"]");
	expect(world, &schema_ecs, "evt.arg.flags",
	       "\"lanner.evt_arg_flags\":\"O_RDONLY|O_CLOEXEC\"");
	expect(world, &schema_ecs, "evt.arg.name", "\"lanner.evt_arg_name\":\"/home/user/x\\\"\"");
	expect(world, &schema_ecs, "evt.arg.res", "");
}

/* Descriptors of files have a path, others a name. */
static void test_files(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0);
	expect_both(world, "fd.name", "\"file.path\":\"/home/user/x\"");
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/tmp/x"));
	expect_both(world, "fd.name", "\"file.path\":\"/tmp/x\"");
	world_set_fd(world, 4, world_fd(world->event.thread, 4, SCAP_FD_IPV4, "a->b"));
	expect_both(world, "fd.name", "\"lanner.fd_name\":\"a->b\"");
}

static void test_sockets(void **state)
{
	struct drive *world = *state;

	world_read(world, 0);
	world_connection(world, "10.0.0.1", "10.0.0.2");
	expect(world, &schema_otel, "fd.sip", "\"server.address\":\"10.0.0.2\"");
	expect(world, &schema_ecs, "fd.sport", "\"destination.port\":443");
	expect_both(world, "fd.l4proto", "\"network.transport\":\"tcp\"");
}

static void test_containers(void **state)
{
	struct drive *world = *state;

	world_openat(world, 3, "x", 0);
	expect_both(world, "container.id", "\"container.id\":\"0123456789ab\"");
	expect_both(world, "container.image",
		    "\"container.image.name\":\"docker.io/library/nginx\"");
	expect(world, &schema_otel, "container.image.tag", "\"container.image.tags\":[\"1.25\"]");
	expect(world, &schema_ecs, "container.label[a.b/c]",
	       "\"container.labels.a_b_c\":\"with, comma\"");
	contained_set_group(world, "/user.slice");
	world_openat(world, 3, "x", 0);
	expect_both(world, "container.id", "");
	expect_both(world, "container.image.tag", "");
}

/* A port is no tag; a digest is no name. */
static void test_images(void **state)
{
	static const struct {
		const char *image, *name;
	} images[] = {
		{"nginx", "nginx"},
		{"nginx:1", "nginx"},
		{"host:5000/a/nginx", "host:5000/a/nginx"},
		{"host:5000/a/nginx:1@sha256:ab", "host:5000/a/nginx"},
		{"nginx@sha256:ab", "nginx"},
	};

	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		struct format_column column = {0};
		struct formatter *formatter =
			formatted_create(&format_json, "%evt.num", &(const struct text_style){0});
		struct field_value value = {.bytes = {images[i].image, strlen(images[i].image)}};
		struct buf out = {0};

		formatter->encoder = &encoder_json;
		form_choose(&column, SCHEMA_IMAGE);
		column.append(formatter, &column, &value, &out);
		assert_int_equal(out.len, strlen(images[i].name) + 2);
		assert_memory_equal(out.data + 1, images[i].name, out.len - 2);
		buf_finish(&out);
		formatter_destroy(formatter);
	}
}

static void test_outcomes(void **state)
{
	struct drive *world = *state;
	struct formatter *formatter =
		formatted_create(&format_json, "%evt.num", &(const struct text_style){0});
	struct buf out = {0};

	assert_int_equal(formatter_set_schema(formatter, &schema_ecs), 0);
	world_openat(world, -2, "x", 0);
	formatter_append(formatter, &world->event, &out);
	world_begin(world, EVENT_procexit, 100);
	world_end(world);
	formatter_append(formatter, &world->event, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\"event.outcome\":\"failure\""));
	assert_non_null(strstr(out.data, "\"event.type\":[\"end\"],\"event.action\":\"procexit\","
					 "\"event.outcome\":\"unknown\""));
	buf_finish(&out);
	formatter_destroy(formatter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_types),	   cmocka_unit_test(test_large_numbers),
	cmocka_unit_test(test_ids),	   cmocka_unit_test(test_words_for_nothing),
	cmocka_unit_test(test_lists),	   cmocka_unit_test(test_parameters),
	cmocka_unit_test(test_files),	   cmocka_unit_test(test_sockets),
	cmocka_unit_test(test_containers), cmocka_unit_test(test_images),
	cmocka_unit_test(test_outcomes),
};

UNIT_GROUP(tests, .setup = contained_setup, .teardown = world_teardown);
