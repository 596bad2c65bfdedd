/* SPDX-License-Identifier: MIT */
/* Lines of rules: in JSON keys and fields around the output, in text a head before it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinsp/format/formatter_impl.h"
#include "sinsp/format/match.h"
#include "unit.h"
#include "world.h"

static const char *const tags[] = {"a", "b\"c"};

static struct format_rule rule_of(const char *output)
{
	return (struct format_rule){.name = "One",
				    .priority = "Warning",
				    .tags = tags,
				    .tags_count = 2,
				    .output = output};
}

static int setup(void **state)
{
	struct drive *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "cat"};

	setenv("TZ", "UTC", 1);
	tzset();
	drive_create(world, NULL);
	world_process(world, &process);
	world_begin(world, EVENT_close, 100);
	frame_put_i64(&world->frame, close__res, -EBADF);
	frame_put_i64(&world->frame, close__fd, 7);
	world_end(world);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

/* Compares the line of an output, twice. fields: a list of further fields, or NULL. */
static void expect(struct drive *world, const struct output_format *format, const char *output,
		   const char *fields, const char *wanted)
{
	const struct format_rule rule = rule_of(output);
	const struct text_style style = {.coloured = true};
	struct formatter *formatter = NULL;
	struct match_line *line;
	struct buf out = {0};

	assert_int_equal(match_line_create(format, &rule, &style, &line, NULL), 0);
	if (fields)
		assert_int_equal(formatter_create_fields(format, fields, &formatter, NULL), 0);
	for (int i = 0; i < 2; i++) {
		buf_clear(&out);
		match_line_append(line, &world->event, formatter, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, wanted);
	}
	buf_finish(&out);
	formatter_destroy(formatter);
	match_line_destroy(line);
}

static void test_undecided(void **state)
{
	struct drive *world = *state;

	world->event.filter_unknown = true;
	expect(world, &format_text, "%evt.type", NULL,
	       "11:36:01.123456789: Warning Undecided, a value is truncated: close "
	       "marks=(filter_unknown)\n");
	world->event.filter_unknown = false;
}

#define KEYS "{\"rule\":\"One\",\"priority\":\"Warning\",\"tags\":[\"a\",\"b\\\"c\"],\"output\":"

static void test_json(void **state)
{
	expect(*state, &format_json, "%proc.name \"%fd.sport\"", "evt.type,fd.sport,proc.name",
	       KEYS "\"cat \\\"<NA>\\\"\",\"evt.type\":\"close\",\"proc.name\":\"cat\"}\n");
	/* No field has a value. */
	expect(*state, &format_json, "text", "fd.sport", KEYS "\"text\"}\n");
}

static void test_text(void **state)
{
	expect(*state, &format_text, "%proc.name %fd.sport", NULL,
	       "11:36:01.123456789: Warning cat <NA>\n");
	expect(*state, &format_text, "text", "proc.name,evt.type",
	       "11:36:01.123456789: Warning text cat close\n");
}

/* They end the line of a rule, behind its further fields. */
static void test_marks_in_text(void **state)
{
	struct drive *world = *state;

	world->event.ev.marks.is_faked = 1;
	expect(world, &format_text, "text", NULL,
	       "11:36:01.123456789: Warning text marks=(faked)\n");
	expect(world, &format_text, "text", "evt.type",
	       "11:36:01.123456789: Warning text close marks=(faked)\n");
}

/* The position is that in the output, whatever the format has before it. */
static void test_wrong_outputs(void **state)
{
	static const struct {
		const char *output;
		size_t position;
	} cases[] = {
		{"a %fd.nosuch", 3},
		{"%nosuch", 1},
		{"100%", 4},
	};
	const struct output_format *format;

	for (unsigned int f = 0; (format = output_format_get(f)); f++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			const struct format_rule rule = rule_of(cases[i].output);
			struct match_line *line = NULL;
			struct filter_error err = {0};

			assert_int_equal(match_line_create(format, &rule, &(struct text_style){0},
							   &line, &err),
					 -EINVAL);
			assert_null(line);
			assert_int_equal(err.position, cases[i].position);
			assert_true(err.text[0]);
		}
	}
}

static unsigned int needs_of(const struct output_format *format)
{
	const struct format_rule rule = rule_of("%fd.name");
	struct match_line *line;
	unsigned int needs;

	assert_int_equal(match_line_create(format, &rule, &(struct text_style){0}, &line, NULL), 0);
	needs = match_line_needs(line);
	match_line_destroy(line);
	return needs;
}

/* What prints nothing needs nothing. */
static void test_needs(void **state)
{
	assert_true(needs_of(&format_json) & NEEDS_EVENT_FD);
	assert_true(needs_of(&format_text) & NEEDS_EVENT_FD);
	assert_int_equal(needs_of(&format_none), NEEDS_NOTHING);
	match_line_destroy(NULL);
}

/* A line that does not fit is dropped as a whole. */
static void test_full_buffer(void **state)
{
	const struct format_rule rule = rule_of("%proc.name");
	struct drive *world = *state;
	struct match_line *line;
	char memory[16];
	struct buf out = buf_fixed(memory, sizeof(memory));

	assert_int_equal(
		match_line_create(&format_text, &rule, &(struct text_style){0}, &line, NULL), 0);
	buf_append_char(&out, 'x');
	match_line_append(line, &world->event, NULL, &out);
	assert_true(out.failed);
	assert_int_equal(out.len, 1);
	match_line_destroy(line);
}

/* Rules can be many, and few events match one: their lines take no memory between events. */
static void test_nothing_is_kept(void **state)
{
	const struct format_rule rule = rule_of("%container.id of %container.type");
	const struct text_style style = {0};
	struct drive *world = *state;
	struct match_line *line;
	struct buf out = {0};

	assert_int_equal(match_line_create(&format_text, &rule, &style, &line, NULL), 0);
	match_line_append(line, &world->event, NULL, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "host of host"));
	assert_null(line->output->of_containers.slots);
	assert_null(line->output->of_threads.slots);
	assert_null(line->output->threads.slots);
	buf_finish(&out);
	match_line_destroy(line);
}

/* A line that lacks the output of its rule is none. */
static void test_no_memory_for_the_output(void **state)
{
	static const struct output_format *const formats[] = {
		&format_json, &format_protobuf, &format_otlp_json, &format_otlp_proto};
	const struct format_rule rule = rule_of("%proc.name is here");
	const struct text_style style = {0};
	struct drive *world = *state;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct formatter *fields;
		struct match_line *line;
		struct buf out = {0};
		char memory[4];

		assert_int_equal(match_line_create(formats[i], &rule, &style, &line, NULL), 0);
		assert_int_equal(formatter_create(formats[i], NULL, 0, &fields, NULL), 0);
		line->text = buf_fixed(memory, sizeof(memory));
		match_line_append(line, &world->event, fields, &out);
		assert_true(out.failed);
		assert_int_equal(out.len, 0);
		buf_finish(&out);
		formatter_destroy(fields);
		match_line_destroy(line);
	}
}

static void hide_last(void *context, const char *program, char *strings, size_t len)
{
	if (len > 1)
		strings[len - 2] = '*';
}

/* Who shares a line with others hides what it does itself, argument by argument. */
static void test_hider(void **state)
{
	static const char args[] = "-p\0two words";
	const struct text_hider hider = {.arguments = hide_last}, none = {0};
	const struct format_rule rule = rule_of("%proc.args and %evt.arg.args");
	const struct text_style style = {0};
	struct world_process process = {
		.pid = 100, .ptid = 1, .comm = "cat", .args = args, .args_len = sizeof(args)};
	struct drive *world = *state;
	struct match_line *line;
	struct buf out = {0};

	world_process(world, &process);
	world_begin(world, EVENT_execve, 100);
	frame_put_bytes(&world->frame, execve__args, args, sizeof(args));
	world_end(world);
	assert_int_equal(match_line_create(&format_text, &rule, &style, &line, NULL), 0);
	match_line_set_hider(line, &hider);
	match_line_append(line, &world->event, NULL, &out);
	match_line_set_hider(line, &none);
	match_line_append(line, &world->event, NULL, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, " -p two word* and -p.two word*.\n"));
	assert_non_null(strstr(out.data, " -p two words and -p.two words.\n"));
	buf_finish(&out);
	match_line_destroy(line);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_undecided, setup, teardown),
	cmocka_unit_test_setup_teardown(test_json, setup, teardown),
	cmocka_unit_test_setup_teardown(test_hider, setup, teardown),
	cmocka_unit_test_setup_teardown(test_text, setup, teardown),
	cmocka_unit_test_setup_teardown(test_marks_in_text, setup, teardown),
	cmocka_unit_test(test_wrong_outputs),
	cmocka_unit_test(test_needs),
	cmocka_unit_test_setup_teardown(test_full_buffer, setup, teardown),
	cmocka_unit_test_setup_teardown(test_nothing_is_kept, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_memory_for_the_output, setup, teardown),
};

UNIT_GROUP(tests);
