/* SPDX-License-Identifier: MIT */
/* Intervals of a view, and where its tables go. */
#include "agent/run/viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/viewer_print.h"
#include "output/redact/redact.h"
#include "util/clock.h"
#include "util/count.h"
#include "util/terminal.h"
#include "views/engine.h"

/* On a terminal. */
static const uint64_t refresh_ns = 1000000000;

/* The cursor at the first place, and what is behind it removed. */
static const char screen_home[] = "\033[H", screen_clear[] = "\033[H\033[2J",
		  line_rest[] = "\033[K\n", screen_rest[] = "\033[J";

enum { LINES_APART = 2 }; /* of a terminal: those that no row takes */

struct viewer {
	const struct options *options; /* borrowed */
	struct views_view *view; /* of the options */
	struct views_engine *engine; /* owned */
	struct viewer_style style;
	unsigned int widths[VIEWS_COLUMNS_MAX]; /* of the style */
	struct buf text; /* owned: a table for a terminal, before it is drawn */
	bool is_live, refreshes; /* tables take the place of each other */
	uint64_t interval_ns; /* 0: one table at the end */
	uint64_t first_ns, last_ns; /* of all events, or of those of an interval; 0: none yet */
	uint64_t begin_ns, due_ns; /* of the interval: monotonic, or the time of a file */
	uint64_t tables;
	uint64_t streamed; /* rows of a list that were printed as they came */
	uint64_t *rows; /* borrowed: counts those that are printed */
	uint64_t rows_hidden; /* of all tables */
	struct {
		uint64_t seen, counted, filtered, lost;
		uint64_t late; /* after the last table */
	} calls; /* that the kernel counted */
	bool lacks_descriptors; /* see viewer_lack_descriptors() */
	uint64_t strangers; /* events that moved bytes of a descriptor that is not known for that */
	struct views_losses losses; /* of all tables before */
};

/* Whether what is printed follows what was before, also on a terminal. */
static bool appends(const struct views_view *view)
{
	return view->kind == VIEWS_LIST || view->kind == VIEWS_HEATMAP || view->interval_ns;
}

/* A list shows its rows as they come, unless it is sorted. */
static bool is_stream(const struct viewer *viewer)
{
	return viewer->view->kind == VIEWS_LIST && !viewer->view->order_count;
}

static uint64_t choose_interval(const struct viewer *viewer)
{
	if (is_stream(viewer))
		return 0;
	if (viewer->options->interval_ns)
		return viewer->options->interval_ns;
	if (viewer->view->interval_ns)
		return viewer->view->interval_ns;
	return viewer->refreshes ? refresh_ns : 0;
}

int viewer_create(const struct viewer_config *config, struct viewer **viewer)
{
	const struct options *options = config->options;
	const struct views_engine_config counts = {
		.hider = {.arguments = config->redact ? redact_arguments : NULL,
			  .context = config->redact}};
	struct viewer *made = calloc(1, sizeof(*made));
	int r = made ? views_engine_create(options->view, &counts, &made->engine) : -ENOMEM;

	if (r) {
		free(made);
		return r;
	}
	made->options = options;
	made->view = options->view;
	made->rows = config->rows;
	made->is_live = !options->read;
	made->style = (struct viewer_style){
		.format = options->format ? options->format : &format_text,
		.redact = config->redact,
		.with_head = true,
	};
	if (made->style.format == &format_text && !options->wide)
		made->style.width = terminal_width(STDOUT_FILENO);
	made->refreshes = made->is_live && made->style.format == &format_text &&
			  isatty(STDOUT_FILENO) && !appends(options->view);
	made->interval_ns = choose_interval(made);
	made->style.with_times = made->interval_ns && !made->refreshes;
	made->style.is_series = made->style.with_times && !made->view->keys_count;
	made->style.widths = made->widths;
	*viewer = made;
	return 0;
}

void viewer_destroy(struct viewer *viewer)
{
	if (!viewer)
		return;
	views_engine_destroy(viewer->engine);
	buf_finish(&viewer->text);
	free(viewer);
}

static void note_losses(struct viewer *viewer)
{
	views_losses_add(&viewer->losses, views_engine_losses(viewer->engine));
}

static bool is_printed(const struct viewer *viewer)
{
	return !viewer->style.format->silent && !viewer->options->quiet;
}

/* Lines within the width and height, each of which ends by removing what was there. */
static void draw(const struct buf *text, const struct viewer_style *style, bool first,
		 struct buf *out)
{
	unsigned int lines = style->height;
	size_t at = 0;

	buf_append_string(out, first ? screen_clear : screen_home);
	while (at < text->len && lines--) {
		const char *line = text->data + at, *end = memchr(line, '\n', text->len - at);
		size_t len = end ? (size_t)(end + 1 - line) : text->len - at, start = out->len;

		buf_append(out, line, len);
		terminal_cut(out, start, style->width);
		if (!out->failed)
			out->len--;
		BUF_LITERAL(out, line_rest);
		at += len;
	}
	BUF_LITERAL(out, screen_rest);
}

/* An end for each row, for which the last lines stand: a head is one with the first row. */
static void end_rows(struct line_writer *writer, size_t start, uint64_t rows)
{
	const struct buf *buf = &writer->buf;
	uint64_t lines = 0;

	for (size_t at = start; at < buf->len; at++)
		lines += buf->data[at] == '\n';
	for (size_t at = start; at < buf->len; at++) {
		const size_t end = at + 1;

		if (buf->data[at] != '\n')
			continue;
		if (lines-- <= rows)
			buf_append(&writer->ends, &end, sizeof(end));
	}
}

static int print_rows(struct viewer *viewer, const struct views_rows *rows, uint64_t end_ns,
		      struct line_writer *writer, struct error *err)
{
	struct viewer_style *style = &viewer->style;
	struct buf *out = viewer->refreshes ? &viewer->text : &writer->buf;
	const struct viewer_table table = {viewer->view, viewer->engine, rows, end_ns};
	const uint64_t count = rows->count + (rows->crowd ? 1 : 0);
	size_t start = writer->buf.len;

	if (!is_printed(viewer))
		return 0;
	if (viewer->refreshes) {
		unsigned int height = terminal_height(STDOUT_FILENO);

		style->width = viewer->options->wide ? 0 : terminal_width(STDOUT_FILENO);
		style->height = height > LINES_APART ? height - LINES_APART : height;
		buf_clear(&viewer->text);
	}
	viewer_print_table(style, &table, out);
	if (viewer->refreshes)
		draw(out, style, viewer->tables == 0, &writer->buf);
	/* Of a stream of rows the head stands once. */
	if (style->format != &format_text || style->is_series || viewer->view->kind == VIEWS_LIST ||
	    viewer->view->kind == VIEWS_HEATMAP)
		style->with_head = false;
	end_rows(writer, start, count);
	*viewer->rows += count;
	/* Of a table someone waits for the end. */
	return is_stream(viewer) ? line_writer_flush_if_full(writer, err)
				 : line_writer_flush(writer, err);
}

/* Prints what was counted; then nothing is. span_ns: for rates; end_ns: since the epoch. */
static int print_table(struct viewer *viewer, uint64_t span_ns, uint64_t end_ns,
		       struct line_writer *writer, struct error *err)
{
	struct views_rows rows;
	int r;

	views_engine_rows(viewer->engine, viewer->view->limit, span_ns, &rows);
	r = print_rows(viewer, &rows, end_ns, writer, err);
	viewer->rows_hidden += rows.total - rows.count;
	viewer->tables++;
	note_losses(viewer);
	views_engine_clear(viewer->engine);
	return r;
}

static int print_stream(struct viewer *viewer, struct line_writer *writer, struct error *err)
{
	uint64_t limit = viewer->view->limit;
	struct views_rows rows;
	int r;

	if (viewer_has_ended(viewer))
		return 0;
	views_engine_rows(viewer->engine, limit ? (uint32_t)(limit - viewer->streamed) : 0, 0,
			  &rows);
	if (!rows.total)
		return 0;
	viewer->streamed += rows.count;
	r = print_rows(viewer, &rows, viewer->last_ns, writer, err);
	note_losses(viewer);
	views_engine_clear(viewer->engine);
	return r;
}

/* Tables of a file follow its time, from the first event on that is counted. */
static bool follows_file(const struct viewer *viewer)
{
	return viewer->interval_ns && !viewer->is_live;
}

int viewer_note_time(struct viewer *viewer, uint64_t ts_ns, struct line_writer *writer,
		     struct error *err)
{
	int r;

	/* Files that were merged may go back. */
	if (ts_ns > viewer->last_ns)
		viewer->last_ns = ts_ns;
	if (!viewer->first_ns || ts_ns < viewer->first_ns)
		viewer->first_ns = ts_ns;
	if (!follows_file(viewer) || !viewer->begin_ns || ts_ns < viewer->due_ns ||
	    viewer_has_ended(viewer))
		return 0;
	r = print_table(viewer, viewer->interval_ns, viewer->due_ns, writer, err);
	/* Intervals without any event have no table. */
	viewer->begin_ns = viewer->due_ns +
			   (ts_ns - viewer->due_ns) / viewer->interval_ns * viewer->interval_ns;
	viewer->due_ns = viewer->begin_ns + viewer->interval_ns;
	return r;
}

int viewer_take(struct viewer *viewer, const struct state_event *event, struct line_writer *writer,
		struct error *err)
{
	if (viewer_has_ended(viewer))
		return 0;
	if (follows_file(viewer) && !viewer->begin_ns) {
		viewer->begin_ns = event->ev.ts_ns;
		viewer->due_ns = viewer->begin_ns + viewer->interval_ns;
	}
	viewer->strangers += viewer->lacks_descriptors && event->has_fd && !event->fd &&
			     event->ev.desc->flags & (EF_READS_FROM_FD | EF_WRITES_TO_FD);
	views_engine_take(viewer->engine, event);
	return is_stream(viewer) && views_engine_is_full(viewer->engine)
		       ? print_stream(viewer, writer, err)
		       : 0;
}

void viewer_lack_descriptors(struct viewer *viewer)
{
	viewer->lacks_descriptors = true;
}

void viewer_take_calls(struct viewer *viewer, const struct state_event *event, bool passes,
		       const struct views_calls *calls)
{
	if (!event)
		viewer->calls.lost += calls->count;
	else if (!passes)
		viewer->calls.filtered += calls->count;
	else if (viewer_has_ended(viewer))
		viewer->calls.late += calls->count;
	else
		viewer->calls.counted += calls->count;
	if (passes && !viewer_has_ended(viewer))
		views_engine_take_calls(viewer->engine, event, calls);
}

void viewer_note_calls_seen(struct viewer *viewer, uint64_t seen)
{
	viewer->calls.seen = seen;
}

bool viewer_is_due(const struct viewer *viewer, uint64_t now_ns)
{
	return viewer->is_live && viewer->interval_ns && viewer->begin_ns &&
	       now_ns >= viewer->due_ns;
}

int viewer_step(struct viewer *viewer, uint64_t now_ns, bool idle, struct line_writer *writer,
		struct error *err)
{
	uint64_t begin_ns = viewer->begin_ns;
	int r = 0;

	if (is_stream(viewer))
		return idle || viewer->is_live ? print_stream(viewer, writer, err) : 0;
	if (!viewer->is_live || (begin_ns && (!viewer->interval_ns || now_ns < viewer->due_ns)))
		return 0;
	if (begin_ns)
		r = print_table(viewer, now_ns - begin_ns, clock_ns(CLOCK_REALTIME), writer, err);
	viewer->begin_ns = now_ns;
	viewer->due_ns = now_ns + viewer->interval_ns;
	return r;
}

uint64_t viewer_due_ns(const struct viewer *viewer)
{
	return viewer->is_live && viewer->interval_ns && viewer->due_ns ? viewer->due_ns
									: UINT64_MAX;
}

bool viewer_has_ended(const struct viewer *viewer)
{
	if (is_stream(viewer))
		return viewer->view->limit && viewer->streamed >= viewer->view->limit;
	return viewer->options->tables && viewer->tables >= viewer->options->tables;
}

/* The account of what came without events. */
static void append_calls(const struct viewer *viewer, struct buf *out)
{
	const uint64_t known = viewer->calls.counted + viewer->calls.filtered + viewer->calls.late +
			       viewer->calls.lost;

	if (!viewer->calls.seen && !known)
		return;
	buf_printf(out,
		   "agent: %s: counted by the kernel, without events: seen %" PRIu64
		   " = counted %" PRIu64,
		   viewer->view->name, viewer->calls.seen, viewer->calls.counted);
	if (viewer->calls.filtered)
		buf_printf(out, " + filtered %" PRIu64, viewer->calls.filtered);
	if (viewer->calls.late)
		buf_printf(out, " + after the last table %" PRIu64, viewer->calls.late);
	buf_printf(out, " + lost %" PRIu64, viewer->calls.lost);
	if (viewer->calls.seen != known)
		buf_printf(out, " + unaccounted %" PRId64, (int64_t)(viewer->calls.seen - known));
	buf_append_char(out, '\n');
}

/* What tables lack, each with why. */
static void append_losses(const struct viewer *viewer, struct buf *out)
{
	const struct views_losses *losses = &viewer->losses;
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{losses->crowded,
		 "events are in the row of all others: there were more groups than "
		 "a view keeps"},
		{losses->forgotten, "events are in no row: there was no memory for them"},
		{losses->without_key, "events are in no row: a key has no value"},
		{losses->cut, "texts are too long, and only their beginning is kept"},
		{losses->saturated, "values are missing in sums, which would exceed 2^63"},
		{losses->unsketched,
		 "values are missing in percentiles or histograms: there was no "
		 "memory for them"},
		{losses->undistinguished,
		 "values may be missing in numbers of different ones: there were too many"},
		{losses->merged,
		 "calls are in no row: the kernel had no room to tell them apart; --no-pushdown "
		 "makes events of them"},
		{losses->shared,
		 "calls are in no row: their users have their share of the kernel's room; "
		 "--no-pushdown makes events of them"},
	};

	append_calls(viewer, out);
	if (viewer->strangers)
		buf_printf(out,
			   "agent: %s: %" PRIu64 " calls that the kernel could not count may have "
			   "moved bytes of files or the network that are not in the table; "
			   "--no-pushdown follows all descriptors\n",
			   viewer->view->name, viewer->strangers);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].count)
			buf_printf(out, "agent: %s: %" PRIu64 " %s\n", viewer->view->name,
				   rows[i].count, rows[i].what);
	if (viewer->rows_hidden && !viewer->refreshes)
		buf_printf(out, "agent: %s: %" PRIu64 " more rows (%s)\n", viewer->view->name,
			   viewer->rows_hidden,
			   viewer->view->limit ? "--limit" : "there was no room for them");
}

/* The time that the last table is of: live all that was watched, also without events. */
static uint64_t last_span_ns(const struct viewer *viewer)
{
	if (viewer->is_live && viewer->begin_ns)
		return clock_ns(CLOCK_MONOTONIC) - viewer->begin_ns;
	return viewer->last_ns - (viewer->interval_ns ? viewer->begin_ns : viewer->first_ns);
}

/* On a terminal a table without rows would take the place of one that has some. */
static bool has_rows(const struct viewer *viewer)
{
	struct views_rows rows;

	views_engine_rows(viewer->engine, 1, 0, &rows);
	return rows.total || rows.crowd;
}

int viewer_end(struct viewer *viewer, struct line_writer *writer, struct error *err)
{
	struct buf text = {0};
	int r = 0;

	if (is_stream(viewer))
		r = print_stream(viewer, writer, err);
	else if (!viewer_has_ended(viewer) && (!viewer->refreshes || has_rows(viewer)))
		r = print_table(viewer, last_span_ns(viewer), viewer->last_ns, writer, err);
	else
		note_losses(viewer);
	append_losses(viewer, &text);
	terminal_print(stderr, &text);
	buf_finish(&text);
	return r ? r : line_writer_flush(writer, err);
}
