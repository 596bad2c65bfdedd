/* SPDX-License-Identifier: MIT */
/* Views and engines for tests. */
#include "viewed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static int read_text(const char *text, struct views_view **view, struct yaml_report *report)
{
	const struct views_config config = {.checks = true};
	struct yaml_file file;
	int r;

	assert_int_equal(yaml_file_copy("v", text, strlen(text), &file, NULL), 0);
	r = views_view_read(&file, &config, view, report);
	yaml_file_finish(&file);
	return r;
}

struct views_view *viewed_read(const char *text)
{
	struct yaml_report report = {0};
	struct views_view *view = NULL;

	if (read_text(text, &view, &report))
		fail_msg("%s", report.count ? report.messages[0].text : "no message");
	yaml_report_finish(&report);
	return view;
}

void viewed_expect_messages(const char *text, const char *const *messages)
{
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	size_t n = 0;

	if (read_text(text, &view, &report) == 0)
		fail_msg("%s is right", text);
	for (; messages[n]; n++) {
		char place[32];
		size_t len;

		if (n == report.count)
			fail_msg("there is no message %s", messages[n]);
		snprintf(place, sizeof(place), "%u:%u ", report.messages[n].line,
			 report.messages[n].column);
		len = strlen(place);
		if (strncmp(messages[n], place, len) != 0 ||
		    !strstr(report.messages[n].text, messages[n] + len))
			fail_msg("%snot %s", report.messages[n].text, messages[n]);
	}
	if (n < report.count)
		fail_msg("%s", report.messages[n].text);
	yaml_report_finish(&report);
}

void viewed_create(struct viewed *viewed, const char *text, uint32_t groups_max, size_t bytes_max)
{
	const struct views_engine_config config = {.groups_max = groups_max,
						   .bytes_max = bytes_max};

	*viewed = (struct viewed){.view = viewed_read(text)};
	drive_create(&viewed->drive, NULL);
	drive_exec(&viewed->drive, 100, "sh");
	drive_exec(&viewed->drive, 200, "cat");
	assert_int_equal(views_engine_create(viewed->view, &config, &viewed->engine), 0);
}

void viewed_destroy(struct viewed *viewed)
{
	views_engine_destroy(viewed->engine);
	views_view_destroy(viewed->view);
	drive_destroy(&viewed->drive);
}

void viewed_open(struct viewed *viewed, int64_t tid, int64_t result, const char *name)
{
	views_engine_take(viewed->engine, drive_open(&viewed->drive, tid, result, name, 0));
}

void viewed_write(struct viewed *viewed, int64_t tid, int64_t bytes, uint64_t latency_ns)
{
	struct frame *frame = drive_begin(&viewed->drive, EVENT_write, tid);

	frame->latency_ns = latency_ns;
	frame_put_i64(frame, write__res, bytes);
	frame_put_i64(frame, write__fd, 1);
	views_engine_take(viewed->engine, drive_end(&viewed->drive));
}

static void append_key(const struct viewed *viewed, const struct views_group *group, unsigned int i,
		       struct buf *out)
{
	struct field_value value;

	if (views_group_key(viewed->engine, group, i, &value))
		format_value_append_text(&viewed->view->keys[i].field.ref, &value, out);
	else
		buf_append_char(out, '-');
	buf_append_char(out, ' ');
}

static void append_value(const struct viewed *viewed, const struct views_group *group,
			 unsigned int i, struct buf *out)
{
	struct views_result result;

	if (!views_group_value(viewed->engine, group, i, &result))
		buf_append_char(out, '-');
	else if (result.ref)
		format_value_append_text(result.ref, &result.field, out);
	else if (result.number == VIEWS_REAL)
		buf_printf(out, "%.2f", result.real);
	else
		buf_printf(out, "%" PRId64, result.integer);
	buf_append_char(out, ' ');
}

static void append_group(const struct viewed *viewed, const struct views_group *group,
			 struct buf *out)
{
	for (unsigned int i = 0; i < viewed->view->keys_count; i++)
		append_key(viewed, group, i, out);
	for (unsigned int i = 0; i < viewed->view->values_count; i++)
		append_value(viewed, group, i, out);
	out->data[out->len - 1] = '\n';
}

char *viewed_rows(struct viewed *viewed, uint32_t limit, uint64_t span_ns)
{
	struct views_rows rows;
	struct buf out = {0};

	views_engine_rows(viewed->engine, limit, span_ns, &rows);
	for (uint32_t i = 0; i < rows.count; i++)
		append_group(viewed, rows.list[i], &out);
	if (rows.crowd) {
		buf_append_string(&out, "crowd ");
		append_group(viewed, rows.crowd, &out);
	}
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

void viewed_expect(struct viewed *viewed, const char *rows)
{
	char *text = viewed_rows(viewed, 0, 0);

	assert_string_equal(text, rows);
	free(text);
}
