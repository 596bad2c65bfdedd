/* SPDX-License-Identifier: MIT */
/* The tables of a view: when they are printed, and as what. */
#include "agent/run/viewer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/run/viewer_print.h"
#include "output/redact/redact.h"
#include "unit.h"
#include "util/clock.h"
#include "viewed.h"

#define OPENS "keys: [proc.name]\nvalues:\n- {name: n, aggregate: count, title: OPENS}\n"
#define SECOND UINT64_C(1000000000)

struct printing {
	struct options options;
	struct drive drive;
	struct viewer *viewer;
	struct line_writer writer;
	struct redact *redact;
	uint64_t rows;
	int reader; /* of the pipe that tables go to */
};

static void begin(struct printing *printing, const char *text, const struct options *options)
{
	struct viewer_config config = {&printing->options, NULL, &printing->rows};
	int ends[2];

	*printing = (struct printing){.options = *options};
	assert_int_equal(redact_create(NULL, 0, &printing->redact, NULL), 0);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	/* Has room for all that a test prints: nobody reads meanwhile. */
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0);
	printing->reader = ends[0];
	config.redact = printing->redact;
	printing->options.view = viewed_read(text);
	drive_create(&printing->drive, NULL);
	drive_exec(&printing->drive, 100, "sh");
	drive_exec(&printing->drive, 200, "cat");
	line_writer_init(&printing->writer, ends[1]);
	assert_int_equal(viewer_create(&config, &printing->viewer), 0);
}

/* What was written since the last time, with a NUL. */
static void read_written(struct printing *printing, char *got, size_t size)
{
	ssize_t n = read(printing->reader, got, size - 1);

	got[n > 0 ? n : 0] = '\0';
}

/* Fails unless that was written since the last time. */
static void expect(struct printing *printing, const char *text)
{
	char got[4096];

	read_written(printing, got, sizeof(got));
	assert_string_equal(got, text);
}

static void end(struct printing *printing)
{
	viewer_destroy(printing->viewer);
	views_view_destroy(printing->options.view);
	redact_destroy(printing->redact);
	close(printing->writer.fd);
	close(printing->reader);
	line_writer_finish(&printing->writer);
	drive_destroy(&printing->drive);
}

static void take(struct printing *printing, const struct state_event *event)
{
	assert_int_equal(
		viewer_note_time(printing->viewer, event->ev.ts_ns, &printing->writer, NULL), 0);
	assert_int_equal(viewer_take(printing->viewer, event, &printing->writer, NULL), 0);
}

static void step(struct printing *printing, uint64_t now_ns, bool idle)
{
	assert_int_equal(viewer_step(printing->viewer, now_ns, idle, &printing->writer, NULL), 0);
}

/* An open at a time of the file. */
static void open_at(struct printing *printing, int64_t tid, uint64_t ts_ns, const char *name)
{
	struct state_event *event;

	printing->drive.ts_ns = ts_ns;
	event = drive_open(&printing->drive, tid, 3, name, 0);
	take(printing, event);
}

static void expect_end(struct printing *printing, const char *text)
{
	assert_int_equal(viewer_end(printing->viewer, &printing->writer, NULL), 0);
	expect(printing, text);
}

static void prints_one_table_at_the_end(void **state)
{
	const struct options options = {.read = "f"};
	struct printing printing;

	begin(&printing, VIEW(OPENS), &options);
	for (unsigned int i = 0; i < 11; i++)
		open_at(&printing, 200, (100 + i) * SECOND, "/a");
	open_at(&printing, 100, 200 * SECOND, "/a");
	step(&printing, SECOND, true);
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
	char got[4096];

	begin(&printing, VIEW(OPENS), &options);
	step(&printing, SECOND, false);
	assert_int_equal(viewer_due_ns(printing.viewer), 3 * SECOND);
	open_at(&printing, 100, 100 * SECOND, "/a");
	step(&printing, 2 * SECOND, false);
	expect(&printing, "");
	step(&printing, 3 * SECOND, false);
	read_written(&printing, got, sizeof(got));
	assert_int_equal(strncmp(got, "view.time,n,proc.name\n20", 24), 0);
	assert_non_null(strstr(got, ",1,sh\n"));
	assert_int_equal(printing.rows, 1);
	/* The head stands once. */
	step(&printing, 5 * SECOND, false);
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
	step(&printing, 1, true);
	line_writer_flush(&printing.writer, NULL);
	expect(&printing, "PROC.NAME  F\ncat        /a\n");
	open_at(&printing, 100, SECOND, "/b\033");
	step(&printing, 2, true);
	line_writer_flush(&printing.writer, NULL);
	assert_int_equal(printing.rows, 2);
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

#define RATES "keys: [proc.name]\nvalues:\n- {name: r, aggregate: rate}\n"

/* From the first time of a file to its last one, in whatever order. */
static void has_rates_of_a_file(void **state)
{
	const struct options options = {.read = "f"};
	struct printing printing;

	begin(&printing, VIEW(RATES), &options);
	open_at(&printing, 100, 100 * SECOND, "/a");
	open_at(&printing, 100, 110 * SECOND, "/a");
	open_at(&printing, 100, 90 * SECOND, "/a");
	expect_end(&printing, "   R  PROC.NAME\n0.15  sh\n");
	end(&printing);
}

/* Live, of the time that was watched: the events of a filter may be those of its beginning. */
static void has_rates_of_what_was_watched(void **state)
{
	const struct options options = {.format = &format_text};
	struct printing printing;

	begin(&printing, VIEW(RATES), &options);
	step(&printing, clock_ns(CLOCK_MONOTONIC) - 1000 * SECOND, true);
	for (unsigned int i = 0; i < 500; i++)
		open_at(&printing, 100, 100 * SECOND + i, "/a");
	step(&printing, clock_ns(CLOCK_MONOTONIC), true);
	expect_end(&printing, "   R  PROC.NAME\n0.50  sh\n");
	end(&printing);
}

static void ends_a_list_at_its_limit(void **state)
{
	const struct options options = {.format = &format_text, .interval_ns = SECOND};
	struct printing printing;

	begin(&printing, VIEW("kind: list\nlimit: 3\nkeys: [{field: fs.path.name, title: F}]\n"),
	      &options);
	open_at(&printing, 200, SECOND, "/a");
	open_at(&printing, 200, SECOND, "/b");
	step(&printing, 1, true);
	assert_false(viewer_has_ended(printing.viewer));
	open_at(&printing, 200, 9 * SECOND, "/c");
	open_at(&printing, 200, 9 * SECOND, "/d");
	step(&printing, 2, true);
	assert_true(viewer_has_ended(printing.viewer));
	open_at(&printing, 200, 10 * SECOND, "/e");
	expect_end(&printing, "F\n/a\n/b\n/c\n");
	assert_int_equal(printing.rows, 3);
	end(&printing);
}

/* Also of what runs for less than the time from one table to the next. */
static void draws_the_last_table_on_a_terminal(void **state)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 80};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), before = dup(STDOUT_FILENO);
	const struct options options = {.format = &format_text};
	struct printing printing;
	char got[4096];

	assert_true(terminal >= 0 && before >= 0);
	ioctl(terminal, TIOCSWINSZ, &size);
	fflush(stdout);
	dup2(terminal, STDOUT_FILENO);
	begin(&printing, VIEW(OPENS), &options);
	step(&printing, clock_ns(CLOCK_MONOTONIC), true);
	open_at(&printing, 100, 100 * SECOND, "/a");
	assert_int_equal(viewer_end(printing.viewer, &printing.writer, NULL), 0);
	dup2(before, STDOUT_FILENO);
	close(before);
	close(terminal);
	read_written(&printing, got, sizeof(got));
	assert_non_null(strstr(got, "\033[H"));
	assert_non_null(strstr(got, "    1  sh"));
	end(&printing);
}

/* Numbers are digits also where JSON has a string, and names are cells as others. */
static void has_plain_cells_of_csv(void **state)
{
	const struct options options = {.read = "f", .format = &format_csv};
	struct printing printing;

	begin(&printing, VIEW("keys: [evt.rawtime]\nvalues: [{name: 'a,b', aggregate: count}]\n"),
	      &options);
	open_at(&printing, 100, UINT64_C(1795257299538784625), "/a");
	expect_end(&printing, "\"a,b\",evt.rawtime\n1,1795257299538784625\n");
	end(&printing);
}

/* An exec whose arguments have a password. */
static void hides_secrets_of_programs(void **state)
{
	static const char args[] = "-pS3cretX\0shop";
	const struct options options = {.read = "f", .format = &format_json};
	struct printing printing;
	struct frame *frame;
	char got[4096];

	begin(&printing,
	      VIEW("keys: [proc.cmdline, evt.arg.args]\nvalues:\n"
		   "- {name: n, aggregate: count, if: proc.cmdline contains S3cret}\n"
		   "- {name: last, aggregate: last, field: evt.args}\n"),
	      &options);
	frame = drive_begin(&printing.drive, EVENT_execve, 300);
	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, 300);
	frame_put_i64(frame, execve__pid, 300);
	frame_put_i64(frame, execve__ptid, 1);
	frame_put_string(frame, execve__exe, "mysql");
	frame_put_bytes(frame, execve__args, args, sizeof(args));
	frame_put_string(frame, execve__comm, "mysql");
	take(&printing, drive_end(&printing.drive));
	assert_int_equal(viewer_end(printing.viewer, &printing.writer, NULL), 0);
	read_written(&printing, got, sizeof(got));
	assert_non_null(strstr(got, "{\"proc.cmdline\":\"mysql -p"));
	assert_non_null(strstr(got, "\"n\":1,"));
	assert_null(strstr(got, "S3cretX"));
	end(&printing);
}

/* Before the end of a long list its reader has its first rows, and its end is noticed. */
static void writes_a_list_while_it_grows(void **state)
{
	const struct options options = {.read = "f", .format = &format_json};
	struct printing printing;
	char got[4096];

	begin(&printing, VIEW("kind: list\nkeys: [evt.num, fs.path.name]\n"), &options);
	for (unsigned int i = 0; i < 4000; i++)
		open_at(&printing, 100, (i + 1) * SECOND, "/a/long/name/of/a/file");
	read_written(&printing, got, sizeof(got));
	assert_int_equal(strncmp(got, "{\"evt.num\":", 11), 0);
	close(printing.reader);
	printing.reader = -1;
	signal(SIGPIPE, SIG_IGN);
	for (unsigned int i = 0; i < 4000 && !printing.writer.closed; i++)
		open_at(&printing, 100, (i + 1) * SECOND, "/a/long/name/of/a/file");
	assert_true(printing.writer.closed);
	/* Of the rows that were made, all that were not read are lost, and no more. */
	assert_true(printing.writer.lines_lost > 0 && printing.writer.lines_lost < printing.rows);
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
	/* A bar is no longer than a line. */
	expect_table(text, &(struct viewer_style){.format = &format_text, .width = 4},
		     "sh\n  S…\n"
		     "   …\n   …\n   …\n   …\n"
		     "   …\n   …\n   …\n   …\n"
		     "   …\n   …\n   …\n");
	buf_clear(&buf);
	buf_printf(&buf, "%skind: heatmap\n%s", VIEW(""), values);
	buf_append_char(&buf, '\0');
	expect_table(text, &(struct viewer_style){.format = &format_text},
		     "01:01:01 . .       .                                 | \n");
}

/* Those below and above are counted, too; a heat map has none for them. */
static void shows_buckets_of_one_width(void **state)
{
	static const char values[] = "values: [{name: s, aggregate: histogram, field: evt.rawres, "
				     "min: 1, max: 41, width: 4}]\n";
	char text[512];
	struct buf buf = buf_fixed(text, sizeof(text));

	buf_printf(&buf, "%skind: histogram\n%s", VIEW(""), values);
	buf_append_char(&buf, '\0');
	expect_table(text, &(struct viewer_style){.format = &format_json},
		     "{\"s\":[{\"from\":0,\"to\":0,\"count\":1},"
		     "{\"from\":1,\"to\":4,\"count\":1},{\"from\":5,\"to\":8,\"count\":2},"
		     "{\"from\":41,\"to\":\"0xffffffffffffffff\",\"count\":1}]}\n");
	expect_table(text, &(struct viewer_style){.format = &format_csv},
		     "0,0,1\n1,4,1\n5,8,2\n41,18446744073709551615,1\n");
	buf_clear(&buf);
	buf_printf(&buf, "%skind: heatmap\n%s", VIEW(""), values);
	buf_append_char(&buf, '\0');
	expect_table(text, &(struct viewer_style){.format = &format_text, .with_head = true},
		     "S: . from 1, : from 10, * from 100, # from 1000\n"
		     "         1         41\n"
		     "01:01:01 ..        | \n");
	/* A number that is longer than ten buckets has the place of the next one. */
	buf_clear(&buf);
	buf_printf(&buf,
		   "%skind: heatmap\nvalues: [{name: s, aggregate: histogram, field: "
		   "evt.rawres, min: 100000000000, max: 125000000000, width: 1000000000}]\n",
		   VIEW(""));
	buf_append_char(&buf, '\0');
	expect_table(text, &(struct viewer_style){.format = &format_text, .with_head = true},
		     "S: . from 1, : from 10, * from 100, # from 1000\n"
		     "         100000000000        120000000000\n"
		     "01:01:01                          | \n");
}

/* The scale is that of the unit, and no value is beyond it. */
static void has_a_scale_of_its_unit(void **state)
{
	static const char *const units[] = {"none", "ns"};
	static const char *const scales[] = {
		"         1         1K        1M        1G        1T\n",
		"         1ns       1us       1ms       1s        18m\n"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const struct options options = {.read = "f"};
		struct printing printing;
		char text[512], got[4096];

		snprintf(text, sizeof(text),
			 "name: v\ntitle: t\nkind: heatmap\nvalues: [{name: s, aggregate: "
			 "histogram, "
			 "field: evt.rawres, unit: %s}]\n",
			 units[i]);
		begin(&printing, text, &options);
		take(&printing, drive_open(&printing.drive, 100, INT64_MAX, "/a", 0));
		assert_int_equal(viewer_end(printing.viewer, &printing.writer, NULL), 0);
		read_written(&printing, got, sizeof(got));
		assert_non_null(strstr(got, scales[i]));
		assert_non_null(strstr(got, "   .| \n"));
		end(&printing);
	}
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
	cmocka_unit_test(has_rates_of_a_file),
	cmocka_unit_test(has_rates_of_what_was_watched),
	cmocka_unit_test(ends_a_list_at_its_limit),
	cmocka_unit_test(draws_the_last_table_on_a_terminal),
	cmocka_unit_test(has_plain_cells_of_csv),
	cmocka_unit_test(hides_secrets_of_programs),
	cmocka_unit_test(writes_a_list_while_it_grows),
	cmocka_unit_test(has_units),
	cmocka_unit_test(shows_buckets),
	cmocka_unit_test(shows_buckets_of_one_width),
	cmocka_unit_test(has_a_scale_of_its_unit),
	cmocka_unit_test(keeps_within_a_terminal),
};

UNIT_GROUP(tests);
