/* SPDX-License-Identifier: MIT */
#include "formatted.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <time.h>

int formatted_setup(void **state)
{
	static const struct world_process cat = {
		.pid = 100,
		.ptid = 1,
		.comm = "cat",
		.exe = "/usr/bin/cat",
		.exepath = "/usr/bin/cat",
		.args = "-n\0-o\0out",
		.args_len = 10,
		.cwd = "/home/user",
	};
	struct drive *world;

	if (world_setup_process(state, &cat, NULL))
		return -1;
	world = *state;
	world_begin(world, EVENT_open, 100);
	frame_put_i64(&world->frame, open__fd, -ENOENT);
	frame_put_string(&world->frame, open__name, "/tmp/a");
	world_end(world);
	return 0;
}

int formatted_setup_write(void **state)
{
	static const struct world_process process = {
		.pid = 100, .ptid = 1, .comm = "c\x1b[1mt", .cwd = "/"};
	static const char data[] = "a\n\x1b[1mb";
	struct drive *world;

	setenv("TZ", "UTC", 1);
	tzset();
	if (world_setup_process(state, &process, NULL))
		return -1;
	world = *state;
	world_fd(world->event.thread, 5, SCAP_FD_FILE, "/tmp/\n\x1b[1m");
	formatted_write(world, 6, data, sizeof(data) - 1);
	return 0;
}

void formatted_write(struct drive *world, int64_t result, const char *data, size_t len)
{
	world_begin(world, EVENT_write, 100);
	frame_put_i64(&world->frame, write__res, result);
	frame_put_bytes(&world->frame, write__data, data, len);
	frame_put_i64(&world->frame, write__fd, 5);
	world_end(world);
}

struct formatter *formatted_create(const struct output_format *output, const char *format,
				   const struct text_style *style)
{
	struct formatter *formatter;
	struct filter_error err;

	if (formatter_create_format(output, format, &formatter, &err))
		fail_msg("%s: column %u: %s", format, err.column, err.text);
	formatter_set_style(formatter, style);
	return formatter;
}

void formatted_expect_line(struct drive *world, struct formatter *formatter, const char *line)
{
	struct buf out = {0};

	assert_true(formatter_append(formatter, &world->event, &out));
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, line);
	buf_finish(&out);
}

static void expect(struct drive *world, const struct output_format *output,
		   const struct text_style *style, const char *format, const char *line)
{
	struct formatter *formatter = formatted_create(output, format, style);

	formatted_expect_line(world, formatter, line);
	formatter_destroy(formatter);
}

void formatted_expect_text(struct drive *world, const char *format, const char *line)
{
	expect(world, &format_text, &(const struct text_style){0}, format, line);
}

void formatted_expect_json(struct drive *world, const char *format, const char *line)
{
	expect(world, &format_json, &(const struct text_style){0}, format, line);
}

void formatted_expect_style(struct drive *world, struct text_style style, const char *format,
			    const char *line)
{
	expect(world, &format_text, &style, format, line);
}

void formatted_expect_nothing(struct drive *world, const struct output_format *output,
			      const char *format)
{
	struct formatter *formatter =
		formatted_create(output, format, &(const struct text_style){0});
	struct buf out = {0};

	assert_false(formatter_append(formatter, &world->event, &out));
	assert_int_equal(out.len, 0);
	formatter_destroy(formatter);
	buf_finish(&out);
}
