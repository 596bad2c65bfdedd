/* SPDX-License-Identifier: MIT */
/* The tables of a view: when they are printed, and as what. */
#include "agent/run/viewer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/viewer_print.h"
#include "unit.h"
#include "viewed.h"

#define OPENS "keys: [proc.name]\nvalues:\n- {name: n, aggregate: count, title: OPENS}\n"
#define SECOND UINT64_C(1000000000)

struct printing {
	struct options options;
	struct drive drive;
	struct viewer *viewer;
	struct line_writer writer;
};

static void begin(struct printing *printing, const char *text, const struct options *options)
{
	*printing = (struct printing){.options = *options};
	printing->options.view = viewed_read(text);
	drive_create(&printing->drive, NULL);
	drive_exec(&printing->drive, 100, "sh");
	drive_exec(&printing->drive, 200, "cat");
	line_writer_init(&printing->writer, -1);
	assert_int_equal(viewer_create(&printing->options, NULL, &printing->viewer), 0);
}

/* Fails unless that was printed since the last time. */
static void expect(struct printing *printing, const char *text)
{
	struct buf *buf = &printing->writer.buf;

	buf_append_char(buf, '\0');
	assert_false(buf->failed);
	assert_string_equal(buf->data, text);
	buf_clear(buf);
	buf_clear(&printing->writer.ends);
}

static void end(struct printing *printing)
{
	viewer_destroy(printing->viewer);
	views_view_destroy(printing->options.view);
	line_writer_finish(&printing->writer);
	drive_destroy(&printing->drive);
}

/* An open at a time of the file. */
static void open_at(struct printing *printing, int64_t tid, uint64_t ts_ns, const char *name)
{
	struct state_event *event;

	printing->drive.ts_ns = ts_ns;
	event = drive_open(&printing->drive, tid, 3, name, 0);
	viewer_note_time(printing->viewer, event->ev.ts_ns, &printing->writer);
	viewer_take(printing->viewer, event, &printing->writer);
}

/* What viewer_end() prints goes to a pipe. */
static void expect_end(struct printing *printing, const char *text)
{
	char got[4096];
	ssize_t n;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	printing->writer.fd = ends[1];
	assert_int_equal(viewer_end(printing->viewer, &printing->writer, NULL), 0);
	close(ends[1]);
	n = read(ends[0], got, sizeof(got) - 1);
	assert_true(n >= 0);
	got[n] = '\0';
	close(ends[0]);
	printing->writer.fd = -1;
	assert_string_equal(got, text);
}

static void prints_one_table_at_the_end(void **state)
{
	const struct options options = {.read = "f"};
	struct printing printing;

	begin(&printing, VIEW(OPENS), &options);
	for (unsigned int i = 0; i < 11; i++)
		open_at(&printing, 200, (100 + i) * SECOND, "/a");
	open_at(&printing, 100, 200 * SECOND, "/a");
	viewer_step(printing.viewer, SECOND, true, &printing.writer);
	expect(&printing, "");
	assert_int_equal(viewer_due_ns(printing.viewer), UINT64_MAX);
	expect_end(&printing, "OPENS  PROC.NAME\n   11  cat\n    1  sh\n");
	end(&printing);
}

static void prints_tables_by_the_time_of_a_file(void **state)
{
	const struct options options = {
		.read = "f", .interval_ns = SECOND, .tables = 2, .format = &format_json};
	struct printing printing;

	begin(&printing, VIEW(OPENS), &options);
	open_at(&printing, 100, 100 * SECOND, "/a");
	open_at(&printing, 100, 100 * SECOND + 1, "/a");
	expect(&printing, "");
	open_at(&printing, 200, 105 * SECOND + 5, "/a");
	expect(&printing, "{\"view.time\":\"1970-01-01T00:01:41.000000000Z\",\"proc.name\":\"sh\","
			  "\"n\":2}\n");
	assert_false(viewer_has_ended(printing.viewer));
	open_at(&printing, 100, 106 * SECOND, "/a");
	expect(&printing, "{\"view.time\":\"1970-01-01T00:01:46.000000000Z\",\"proc.name\":\"cat\","
			  "\"n\":1}\n");
	assert_true(viewer_has_ended(printing.viewer));
	expect_end(&printing, "");
	end(&printing);
}

/* Live, it is the time of the machine. */
static void prints_tables_every_so_often(void **state)
{
	const struct options options = {.interval_ns = 2 * SECOND, .format = &format_csv};
	struct printing printing;

	begin(&printing, VIEW(OPENS), &options);
	viewer_step(printing.viewer, SECOND, false, &printing.writer);
	assert_int_equal(viewer_due_ns(printing.viewer), 3 * SECOND);
	open_at(&printing, 100, 100 * SECOND, "/a");
	viewer_step(printing.viewer, 2 * SECOND, false, &printing.writer);
	expect(&printing, "");
	viewer_step(printing.viewer, 3 * SECOND, false, &printing.writer);
	assert_int_equal(strncmp(printing.writer.buf.data, "view.time,n,proc.name\n20", 24), 0);
	assert_non_null(strstr(printing.writer.buf.data, ",1,sh\n"));
	buf_clear(&printing.writer.buf);
	/* The head stands once. */
	viewer_step(printing.viewer, 5 * SECOND, false, &printing.writer);
	expect(&printing, "");
	end(&printing);
}

static void prints_lists_as_they_grow(void **state)
{
	const struct options options = {.format = &format_text};
	struct printing printing;

	begin(&printing, VIEW("kind: list\nkeys: [proc.name, {field: fs.path.name, title: F}]\n"),
	      &options);
	open_at(&printing, 200, SECOND, "/a");
	viewer_step(printing.viewer, 1, true, &printing.writer);
	expect(&printing, "PROC.NAME  F\ncat        /a\n");
	open_at(&printing, 100, SECOND, "/b\033");
	viewer_step(printing.viewer, 2, true, &printing.writer);
	expect(&printing, "sh         /b.\n");
	expect_end(&printing, "");
	end(&printing);
}

static void prints_the_crowd_and_nothing_for_none(void **state)
{
	const struct options options = {.read = "f"};
	const struct options json = {.read = "f", .format = &format_json};
	static const char text[] =
		VIEW("groups: 1\nkeys: [fs.path.name]\nvalues:\n- {name: n, aggregate: count}\n"
		     "- {name: m, aggregate: max, field: evt.latency, unit: ns}\n");
	struct printing printing;

	begin(&printing, text, &options);
	open_at(&printing, 100, SECOND, "/a");
	open_at(&printing, 100, SECOND, "/b");
	expect_end(&printing, "N  M  FS.PATH.NAME\n1  -  /a\n1  -  (all others)\n");
	end(&printing);
	begin(&printing, text, &json);
	open_at(&printing, 100, SECOND, "/a");
	open_at(&printing, 100, SECOND, "/b");
	expect_end(&printing, "{\"fs.path.name\":\"/a\",\"n\":1,\"m\":null}\n"
			      "{\"view.others\":true,\"fs.path.name\":null,\"n\":1,\"m\":null}\n");
	end(&printing);
}

/* Counts writes of these sizes, and prints them in a format. */
static void expect_table(const char *text, const struct viewer_style *how, const char *expected)
{
	static const int64_t sizes[] = {0, 1, 5, 5, 1500};
	unsigned int widths[VIEWS_COLUMNS_MAX] = {0};
	struct viewer_style style = *how;
	struct views_rows rows;
	struct viewed viewed;
	struct buf out = {0};

	viewed_create(&viewed, text, 0, 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		viewed_write(&viewed, 100, sizes[i], 2000);
	views_engine_rows(viewed.engine, 0, SECOND, &rows);
	style.widths = widths;
	viewer_print_table(&style,
			   &(struct viewer_table){viewed.view, viewed.engine, &rows, 3661 * SECOND},
			   &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
	viewed_destroy(&viewed);
}

static void has_units(void **state)
{
	static const char text[] =
		VIEW("values:\n- {name: b, aggregate: sum, field: evt.rawres, unit: bytes}\n"
		     "- {name: t, aggregate: mean, field: evt.latency, unit: ns}\n"
		     "- {name: s, aggregate: rate, field: evt.latency, unit: share}\n"
		     "- {name: p, aggregate: max, field: evt.rawres, unit: percent}\n"
		     "- {name: r, aggregate: rate}\n");

	expect_table(text, &(struct viewer_style){.format = &format_text},
		     "1.48KB  2us  0.00%  1500.00%  5.00\n");
	expect_table(text, &(struct viewer_style){.format = &format_json},
		     "{\"b\":1511,\"t\":2000,\"s\":10000,\"p\":1500,\"r\":5}\n");
	expect_table(text,
		     &(struct viewer_style){
			     .format = &format_text, .is_series = true, .with_head = true},
		     "                  B           T           S           P           R\n"
		     "01:01:01     1.48KB         2us       0.00%    1500.00%        5.00\n");
	expect_table(text, &(struct viewer_style){.format = &format_none}, "");
}

static void shows_buckets(void **state)
{
	static const char values[] =
		"values: [{name: s, aggregate: histogram, field: evt.rawres}]\n";
	char text[512];
	struct buf buf = buf_fixed(text, sizeof(text));

	buf_printf(&buf, "%skind: histogram\nkeys: [proc.name]\n%s", VIEW(""), values);
	buf_append_char(&buf, '\0');
	expect_table(
		text, &(struct viewer_style){.format = &format_json},
		"{\"proc.name\":\"sh\",\"s\":[{\"from\":0,\"to\":1,\"count\":2},"
		"{\"from\":4,\"to\":7,\"count\":2},{\"from\":1024,\"to\":2047,\"count\":1}]}\n");
	expect_table(text, &(struct viewer_style){.format = &format_csv, .with_head = true},
		     "from,to,count,proc.name\n0,1,2,sh\n4,7,2,sh\n1024,2047,1,sh\n");
	buf_clear(&buf);
	buf_printf(&buf, "%skind: heatmap\n%s", VIEW(""), values);
	buf_append_char(&buf, '\0');
	expect_table(text, &(struct viewer_style){.format = &format_text},
		     "01:01:01 . .       .                                 | \n");
}

/* A terminal gets what fits into it. */
static void keeps_within_a_terminal(void **state)
{
	static const char text[] =
		VIEW("keys: [evt.rawres]\nvalues: [{name: n, aggregate: count}]\n");

	expect_table(text,
		     &(struct viewer_style){
			     .format = &format_text, .with_head = true, .width = 6, .height = 4},
		     "t  19…\nN  EV…\n2    …\n1    …\n(2 more)\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(prints_one_table_at_the_end),
	cmocka_unit_test(prints_tables_by_the_time_of_a_file),
	cmocka_unit_test(prints_tables_every_so_often),
	cmocka_unit_test(prints_lists_as_they_grow),
	cmocka_unit_test(prints_the_crowd_and_nothing_for_none),
	cmocka_unit_test(has_units),
	cmocka_unit_test(shows_buckets),
	cmocka_unit_test(keeps_within_a_terminal),
};

UNIT_GROUP(tests);
