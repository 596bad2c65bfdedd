/* SPDX-License-Identifier: MIT */
/* A row of functions for each format. Names and arguments are those of others. */
#include "agent/run/viewer_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "event/names.h"
#include "output/redact/redact.h"
#include "util/count.h"
#include "util/json.h"
#include "util/terminal.h"

enum {
	GAP = 2,
	WIDTH_MAX = 60, /* of a column: a longer cell moves those behind it */
	SERIES_WIDTH_MIN = 10,
	TIME_COLUMNS = 9, /* "HH:MM:SS " */
	BAR_COLUMNS = 40,
	BAR_NUMBER_COLUMNS = 20,
	LINEAR_MARK = 10,
	HEATMAP_OCTAVES = 44, /* 1 ns to 5 hours, and all above in the last one */
	SECONDS_OF_DAY = 86400,
	NS_PER_S = 1000000000,
};

/* What a table is printed with. */
struct viewer_printer {
	const struct viewer_style *style;
	const struct viewer_table *table;
	struct buf hidden; /* owned: a text without its secrets */
	struct buf *out;
};

/* Values. */

/* Of a text, a copy without its secrets. */
static struct field_value without_secrets(struct viewer_printer *printer,
					  const struct field_ref *ref,
					  const struct field_value *value)
{
	struct field_value hidden = *value;

	if (!printer->style->redact || ref->type == PT_IPADDR || param_type_size(ref->type))
		return hidden;
	buf_clear(&printer->hidden);
	buf_append(&printer->hidden, value->bytes.data, value->bytes.len);
	buf_append_char(&printer->hidden, '\0');
	if (printer->hidden.failed) {
		buf_fail(printer->out);
		return hidden;
	}
	redact_text(printer->style->redact, printer->hidden.data, value->bytes.len);
	hidden.bytes.data = printer->hidden.data;
	return hidden;
}

/* Bytes as sysdig has them: base 1024, "12B", "1.50KB", "1.50M". */
static void append_bytes(struct buf *out, double bytes)
{
	static const char *const units[] = {"B", "KB", "M", "G", "T", "P"};
	const double base = 1024;
	size_t i = 0;

	while (fabs(bytes) >= base && i + 1 < COUNT(units)) {
		bytes /= base;
		i++;
	}
	buf_printf(out, i ? "%.2f%s" : "%.0f%s", bytes, units[i]);
}

static void append_plain(struct buf *out, double value)
{
	buf_printf(out, "%.2f", value);
}

static void append_duration(struct buf *out, double ns)
{
	if (ns < 0)
		buf_append_char(out, '-');
	text_append_duration(out, (uint64_t)fabs(ns));
}

static void append_percent(struct buf *out, double value)
{
	buf_printf(out, "%.2f%%", value);
}

static void append_share(struct buf *out, double ns)
{
	append_percent(out, 100 * ns / NS_PER_S);
}

static void append_seconds(struct buf *out, double ns)
{
	buf_printf(out, "%.2f", ns / NS_PER_S);
}

static void append_milliseconds(struct buf *out, double ns)
{
	buf_printf(out, "%.2f", ns / 1e6);
}

static void append_microseconds(struct buf *out, double ns)
{
	buf_printf(out, "%.3f", ns / 1e3);
}

static void append_kilobytes(struct buf *out, double bytes)
{
	buf_printf(out, "%.0f", floor(bytes / 1024));
}

static void append_descriptor(struct buf *out, double result)
{
	buf_printf(out, "%.0f", result < 0 ? -1 : result);
}

static void append_exit(struct buf *out, double status)
{
	enum { SIGNAL = 0x7f, CODE_SHIFT = 8, CODE = 0xff };
	unsigned int bits = (unsigned int)status, signal = bits & SIGNAL;
	const char *name = event_signal_name(signal);

	if (signal)
		buf_printf(out, "signal %u (%s)", signal, name ? name : "?");
	else if (bits >> CODE_SHIFT & CODE)
		buf_printf(out, "code %u", bits >> CODE_SHIFT & CODE);
	else
		buf_append_char(out, '0');
}

static void append_errno(struct buf *out, double result)
{
	buf_printf(out, "%.0f", result < 0 ? -result : 0);
}

static void (*const unit_writers[VIEWS_UNITS_COUNT])(struct buf *out, double value) = {
	[VIEWS_PLAIN] = append_plain,
	[VIEWS_BYTES] = append_bytes,
	[VIEWS_DURATION] = append_duration,
	[VIEWS_PERCENT] = append_percent,
	[VIEWS_SHARE] = append_share,
	[VIEWS_SECONDS] = append_seconds,
	[VIEWS_MILLISECONDS] = append_milliseconds,
	[VIEWS_MICROSECONDS] = append_microseconds,
	[VIEWS_KILOBYTES] = append_kilobytes,
	[VIEWS_EXIT] = append_exit,
	[VIEWS_DESCRIPTOR] = append_descriptor,
	[VIEWS_ERRNO] = append_errno,
};

/* A key that has a unit is a number. */
static void append_key_in_unit(const struct views_key *key, const struct field_value *value,
			       struct buf *out)
{
	unit_writers[key->unit](out, key->field.number == VIEWS_SIGNED ? (double)value->i64
				     : key->field.number == VIEWS_REAL ? value->f64
								       : (double)value->u64);
}

/* For people; of a column that is a key or a value. Returns false if there is none. */
static bool append_cell_text(struct viewer_printer *printer, const struct views_group *group,
			     const struct views_column *column, struct buf *out)
{
	const struct viewer_table *table = printer->table;
	const struct views_value *by = &table->view->values[column->index];
	const struct views_key *key = NULL;
	const struct field_ref *ref;
	struct views_result result;
	struct field_value value;

	if (!column->is_value) {
		key = &table->view->keys[column->index];
		if (!views_group_key(table->engine, group, column->index, &value)) {
			/* A call that failed made none. */
			if (key->unit == VIEWS_DESCRIPTOR)
				BUF_LITERAL(out, "-1");
			return key->unit == VIEWS_DESCRIPTOR;
		}
		ref = &key->field.ref;
	} else {
		if (!views_group_value(table->engine, group, column->index, &result))
			return false;
		ref = result.ref;
		value = result.field;
	}
	if (key && key->unit != VIEWS_PLAIN) {
		append_key_in_unit(key, &value, out);
	} else if (ref && ref->type == PT_RELTIME) {
		text_append_duration(out, value.u64);
	} else if (ref) {
		value = without_secrets(printer, ref, &value);
		format_value_append_text(ref, &value, out);
	} else if (result.number == VIEWS_REAL) {
		unit_writers[by->unit](out, result.real);
	} else if (by->unit == VIEWS_PLAIN) {
		buf_append_i64(out, result.integer);
	} else {
		unit_writers[by->unit](out, (double)result.integer);
	}
	return true;
}

static void append_real(struct buf *out, double value)
{
	/* As many digits as a number of 64 bits keeps; JSON has no other numbers. */
	if (isfinite(value))
		buf_printf(out, "%.15g", value);
	else
		BUF_LITERAL(out, "null");
}

/* As numbers and strings. Returns false if there is none. */
static bool append_cell_json(struct viewer_printer *printer, const struct views_group *group,
			     const struct views_column *column, struct buf *out)
{
	const struct viewer_table *table = printer->table;
	const struct field_ref *ref;
	struct views_result result;
	struct field_value value;

	if (!column->is_value) {
		if (!views_group_key(table->engine, group, column->index, &value))
			return false;
		ref = &table->view->keys[column->index].field.ref;
	} else {
		if (!views_group_value(table->engine, group, column->index, &result))
			return false;
		ref = result.ref;
		value = result.field;
	}
	if (ref) {
		value = without_secrets(printer, ref, &value);
		format_value_append_json(ref, &value, out);
	} else if (result.number == VIEWS_REAL) {
		append_real(out, result.real);
	} else {
		json_append_i64(out, result.integer);
	}
	return true;
}

/* "2026-11-30T00:00:00.000000000Z" */
static void append_time(struct buf *out, uint64_t ns)
{
	char text[CLOCK_RFC3339_BYTES];
	struct clock utc = {0};

	clock_rfc3339(&utc, ns, text);
	buf_append(out, text, sizeof(text));
}

static void append_time_of_day(struct buf *out, uint64_t ns)
{
	unsigned int seconds = (unsigned int)(ns / NS_PER_S % SECONDS_OF_DAY);

	buf_printf(out, "%02u:%02u:%02u ", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/* The i-th row; behind the last one that of all others, if there is one; NULL: no more. */
static const struct views_group *viewer_row(const struct viewer_table *table, uint32_t i)
{
	if (i < table->rows->count)
		return table->rows->list[i];
	return i == table->rows->count ? table->rows->crowd : NULL;
}

/* Text. */

static const char others[] = "(all others)";

struct columns {
	unsigned int *widths; /* those of the style */
	bool right[VIEWS_COLUMNS_MAX]; /* numbers stand below each other */
};

static bool is_number(const struct views_view *view, const struct views_column *column)
{
	const struct views_value *value = &view->values[column->index];

	if (column->is_value)
		return value->aggregate != VIEWS_LAST || value->field.number != VIEWS_NO_NUMBER;
	return view->keys[column->index].field.number != VIEWS_NO_NUMBER;
}

/* Appends the cells of a row, each with a NUL. */
static void append_row_cells(struct viewer_printer *printer, const struct views_group *group,
			     struct buf *cells)
{
	const struct views_view *view = printer->table->view;
	bool is_crowd = group == printer->table->rows->crowd, named = false;

	for (unsigned int i = 0; i < view->columns_count; i++) {
		const struct views_column *column = &view->columns[i];

		if (is_crowd && !column->is_value) {
			buf_append_string(cells, named ? "" : others);
			named = true;
		} else if (!append_cell_text(printer, group, column, cells)) {
			buf_append_string(cells, column->is_value ? "-" : "<NA>");
		}
		buf_append_char(cells, '\0');
	}
}

static void widen_columns(const struct views_view *view, const char *const *cells,
			  struct columns *columns)
{
	for (unsigned int i = 0; i < view->columns_count; i++) {
		unsigned int width = terminal_columns(cells[i], strlen(cells[i]));

		if (width > WIDTH_MAX)
			width = WIDTH_MAX;
		if (width > columns->widths[i])
			columns->widths[i] = width;
	}
}

static void append_blanks(struct buf *out, unsigned int n)
{
	while (n--)
		buf_append_char(out, ' ');
}

/* A line, which is cut to the width of the terminal. */
static void append_line(const struct viewer_printer *printer, const char *const *cells,
			const struct columns *columns, bool is_title)
{
	const struct views_view *view = printer->table->view;
	struct buf *out = printer->out;
	size_t start = out->len;

	if (printer->style->is_series && is_title)
		append_blanks(out, TIME_COLUMNS);
	else if (printer->style->is_series)
		append_time_of_day(out, printer->table->end_ns);
	for (unsigned int i = 0; i < view->columns_count; i++) {
		unsigned int width = terminal_columns(cells[i], strlen(cells[i]));
		unsigned int blanks = width < columns->widths[i] ? columns->widths[i] - width : 0;

		if (columns->right[i])
			append_blanks(out, blanks);
		buf_append_string(out, cells[i]);
		if (i + 1 == view->columns_count)
			break;
		append_blanks(out, (columns->right[i] ? 0 : blanks) + GAP);
	}
	buf_append_char(out, '\n');
	terminal_cut(out, start, printer->style->width);
}

static const char *next_cells(const struct views_view *view, const char *at, const char **cells)
{
	for (unsigned int i = 0; i < view->columns_count; i++) {
		cells[i] = at;
		at += strlen(at) + 1;
	}
	return at;
}

/* What the table is, and of when. */
static void append_head(const struct viewer_printer *printer)
{
	const struct viewer_table *table = printer->table;
	size_t start = printer->out->len;

	if (printer->style->is_series || (!printer->style->height && !printer->style->with_times))
		return;
	if (printer->style->height)
		buf_printf(printer->out, "%s  ", table->view->title);
	if (table->end_ns)
		append_time(printer->out, table->end_ns);
	buf_append_char(printer->out, '\n');
	terminal_cut(printer->out, start, printer->style->width);
}

static void append_hidden_count(const struct viewer_printer *printer, uint32_t shown)
{
	const struct views_rows *rows = printer->table->rows;

	if (printer->style->height && rows->total > shown)
		buf_printf(printer->out, "(%" PRIu64 " more)\n", rows->total - shown);
}

static void text_table(struct viewer_printer *printer)
{
	const struct views_view *view = printer->table->view;
	const char *titles[VIEWS_COLUMNS_MAX], *cells[VIEWS_COLUMNS_MAX], *at;
	struct columns columns = {.widths = printer->style->widths};
	const struct views_group *group;
	struct buf texts = {0};
	uint32_t n = 0, height = printer->style->height;

	for (unsigned int i = 0; i < view->columns_count; i++) {
		titles[i] = views_column_title(view, &view->columns[i]);
		columns.right[i] = is_number(view, &view->columns[i]);
	}
	widen_columns(view, titles, &columns);
	for (unsigned int i = 0; i < view->columns_count && printer->style->is_series; i++)
		if (columns.widths[i] < SERIES_WIDTH_MIN)
			columns.widths[i] = SERIES_WIDTH_MIN;
	while ((!height || n + 2 < height) && (group = viewer_row(printer->table, n))) {
		append_row_cells(printer, group, &texts);
		n++;
	}
	at = texts.data;
	for (uint32_t i = 0; i < n && !texts.failed; i++) {
		at = next_cells(view, at, cells);
		widen_columns(view, cells, &columns);
	}
	if (printer->style->with_head) {
		append_head(printer);
		append_line(printer, titles, &columns, true);
	}
	at = texts.data;
	for (uint32_t i = 0; i < n && !texts.failed; i++) {
		at = next_cells(view, at, cells);
		append_line(printer, cells, &columns, false);
	}
	append_hidden_count(printer, n);
	if (texts.failed)
		buf_fail(printer->out);
	buf_finish(&texts);
}

/* The keys of a group on a line, "cat, 42"; nothing without keys. */
static void append_keys(struct viewer_printer *printer, const struct views_group *group)
{
	const struct views_view *view = printer->table->view;

	for (uint8_t i = 0; i < view->keys_count; i++) {
		const struct views_column column = {.index = i};

		if (i)
			BUF_LITERAL(printer->out, ", ");
		if (group == printer->table->rows->crowd)
			buf_append_string(printer->out, others);
		else if (!append_cell_text(printer, group, &column, printer->out))
			BUF_LITERAL(printer->out, "<NA>");
	}
}

/* A bucket of the value that a view of buckets has. */
static struct views_bucket bucket_at(const struct viewer_printer *printer,
				     const struct views_sketch *sketch, unsigned int i)
{
	return views_bucket_of(&printer->table->view->values[0], sketch, i);
}

/* The first and, behind the last, the one that has values; false: none has. */
static bool find_buckets(const struct viewer_printer *printer, const struct views_sketch *sketch,
			 unsigned int *from, unsigned int *to, uint64_t *most)
{
	const unsigned int all = views_buckets_count(&printer->table->view->values[0]);

	*from = all;
	*to = 0;
	*most = 0;
	for (unsigned int i = 0; i < all; i++) {
		uint64_t count = bucket_at(printer, sketch, i).count;

		if (!count)
			continue;
		if (*from == all)
			*from = i;
		*to = i + 1;
		*most = count > *most ? count : *most;
	}
	return *to;
}

static void append_bar(struct viewer_printer *printer, const struct views_bucket *bucket,
		       uint64_t most)
{
	unsigned int bar = (unsigned int)((double)bucket->count * BAR_COLUMNS / (double)most);
	struct buf *out = printer->out;
	size_t start = out->len;

	buf_printf(out, "%*s%*" PRIu64 " -> ", GAP, "", BAR_NUMBER_COLUMNS, bucket->from);
	if (bucket->is_outside && bucket->to == UINT64_MAX)
		buf_printf(out, "%-*s", BAR_NUMBER_COLUMNS, "...");
	else
		buf_printf(out, "%-*" PRIu64, BAR_NUMBER_COLUMNS, bucket->to);
	buf_printf(out, " : %-9" PRIu64 "|", bucket->count);
	for (unsigned int i = 0; i < BAR_COLUMNS; i++)
		buf_append_char(out, i < bar ? '*' : ' ');
	BUF_LITERAL(out, "|\n");
	terminal_cut(out, start, printer->style->width);
}

/* As bcc has them, with bars as long as the largest count allows. */
static void append_bars(struct viewer_printer *printer, const struct views_sketch *sketch,
			const char *title)
{
	size_t start = printer->out->len;
	unsigned int from, to;
	uint64_t most;

	if (!find_buckets(printer, sketch, &from, &to, &most))
		return;
	buf_printf(printer->out, "%*s%-*s : count     distribution\n", GAP, "",
		   2 * BAR_NUMBER_COLUMNS + 4, title);
	terminal_cut(printer->out, start, printer->style->width);
	for (unsigned int i = from; i < to; i++) {
		const struct views_bucket bucket = bucket_at(printer, sketch, i);

		append_bar(printer, &bucket, most);
	}
}

static void text_histogram(struct viewer_printer *printer)
{
	const struct views_view *view = printer->table->view;
	const struct views_group *group;

	append_head(printer);
	for (uint32_t i = 0; (group = viewer_row(printer->table, i)); i++) {
		struct views_result result;

		if (!views_group_value(printer->table->engine, group, 0, &result))
			continue;
		append_keys(printer, group);
		if (view->keys_count)
			buf_append_char(printer->out, '\n');
		append_bars(printer, result.sketch, view->values[0].title);
	}
}

/* A sign for each power of ten that a count reaches. */
static char heat_of(uint64_t count)
{
	static const char signs[] = " .:*#";
	size_t i = 0;

	while (count && i + 2 < sizeof(signs)) {
		count /= 10;
		i++;
	}
	return signs[i];
}

/* Where the powers are that people have names for: those of time, of all else multiples of 1024. */
static const struct mark {
	unsigned int power;
	const char *of_time, *of_others;
} marks[] = {
	{0, "1ns", "1"}, {10, "1us", "1K"}, {20, "1ms", "1M"}, {30, "1s", "1G"}, {40, "18m", "1T"}};

/* Where each tenth bucket of one width begins; not where a longer number is in the way. */
static void append_linear_marks(const struct views_value *value, struct buf *out)
{
	const unsigned int last = views_buckets_count(value) - 1;
	const size_t start = out->len;

	for (unsigned int i = 0; i < last; i += LINEAR_MARK) {
		if (i && start + i <= out->len)
			continue;
		append_blanks(out, (unsigned int)(start + i - out->len));
		buf_append_u64(out, value->scale.min + i * value->scale.width);
	}
}

static void append_scale(struct viewer_printer *printer)
{
	const struct views_value *value = &printer->table->view->values[0];
	bool is_time = value->unit == VIEWS_DURATION || value->field.ref.type == PT_RELTIME;
	struct buf *out = printer->out;
	size_t start;

	buf_printf(out, "%s: . from 1, : from 10, * from 100, # from 1000\n", value->title);
	buf_printf(out, "%8s ", "");
	start = out->len;
	if (value->scale.width)
		append_linear_marks(value, out);
	for (size_t i = 0; i < COUNT(marks) && !value->scale.width; i++) {
		append_blanks(out, (unsigned int)(start + marks[i].power - out->len));
		buf_append_string(out, is_time ? marks[i].of_time : marks[i].of_others);
	}
	buf_append_char(out, '\n');
}

/* A sign for each bucket. The last one of powers of two has all that is above it, too. */
static void append_heat(struct viewer_printer *printer, const struct views_sketch *sketch)
{
	const struct views_value *value = &printer->table->view->values[0];
	const unsigned int all = views_buckets_count(value);
	uint64_t count, above = 0;

	for (unsigned int i = HEATMAP_OCTAVES; i < all && !value->scale.width; i++)
		above += bucket_at(printer, sketch, i).count;
	for (unsigned int i = 0; i < (value->scale.width ? all : HEATMAP_OCTAVES); i++) {
		const struct views_bucket bucket = bucket_at(printer, sketch, i);

		count = bucket.count + (i + 1 == HEATMAP_OCTAVES ? above : 0);
		if (!bucket.is_outside)
			buf_append_char(printer->out, heat_of(count));
	}
}

static void text_heatmap(struct viewer_printer *printer)
{
	const struct views_group *group;

	if (printer->style->with_head)
		append_scale(printer);
	for (uint32_t i = 0; (group = viewer_row(printer->table, i)); i++) {
		struct views_result result;

		if (!views_group_value(printer->table->engine, group, 0, &result))
			continue;
		append_time_of_day(printer->out, printer->table->end_ns);
		append_heat(printer, result.sketch);
		BUF_LITERAL(printer->out, "| ");
		append_keys(printer, group);
		buf_append_char(printer->out, '\n');
	}
}

/* JSON. */

static void json_key(struct buf *out, const char *name)
{
	buf_append_char(out, ',');
	json_append_string(out, name, strlen(name));
	buf_append_char(out, ':');
}

static void json_cell(struct viewer_printer *printer, const struct views_group *group,
		      const struct views_column *column)
{
	json_key(printer->out, views_column_name(printer->table->view, column));
	if (!append_cell_json(printer, group, column, printer->out))
		BUF_LITERAL(printer->out, "null");
}

/* An array of the buckets that have values. */
static void json_buckets(struct viewer_printer *printer, const struct views_group *group)
{
	struct buf *out = printer->out;
	struct views_result result;
	const struct views_value *value = &printer->table->view->values[0];
	const char *separator = "";

	json_key(out, value->name);
	buf_append_char(out, '[');
	if (views_group_value(printer->table->engine, group, 0, &result))
		for (unsigned int i = 0; i < views_buckets_count(value); i++) {
			const struct views_bucket bucket = bucket_at(printer, result.sketch, i);

			if (!bucket.count)
				continue;
			buf_printf(out, "%s{\"from\":", separator);
			json_append_u64(out, bucket.from);
			BUF_LITERAL(out, ",\"to\":");
			json_append_u64(out, bucket.to);
			BUF_LITERAL(out, ",\"count\":");
			json_append_u64(out, bucket.count);
			buf_append_char(out, '}');
			separator = ",";
		}
	buf_append_char(out, ']');
}

static bool has_buckets(const struct views_view *view)
{
	return view->kind == VIEWS_HISTOGRAM || view->kind == VIEWS_HEATMAP;
}

static void json_table(struct viewer_printer *printer)
{
	const struct viewer_table *table = printer->table;
	const struct views_view *view = table->view;
	const struct views_group *group;
	struct buf *out = printer->out;

	for (uint32_t n = 0; (group = viewer_row(table, n)); n++) {
		size_t start = out->len;

		if (printer->style->with_times && table->end_ns) {
			json_key(out, "view.time");
			buf_append_char(out, '"');
			append_time(out, table->end_ns);
			buf_append_char(out, '"');
		}
		if (group == table->rows->crowd) {
			json_key(out, "view.others");
			BUF_LITERAL(out, "true");
		}
		for (uint8_t i = 0; i < view->keys_count; i++)
			json_cell(printer, group, &(struct views_column){.index = i});
		if (has_buckets(view))
			json_buckets(printer, group);
		for (uint8_t i = 0; i < view->values_count && !has_buckets(view); i++)
			json_cell(printer, group, &(struct views_column){true, i, false});
		json_end_object(out, start);
		buf_append_char(out, '\n');
	}
}

/* CSV: names as in JSON, numbers as they are. */

static void csv_titles(struct viewer_printer *printer)
{
	const struct views_view *view = printer->table->view;
	struct buf *out = printer->out;

	if (printer->style->with_times)
		BUF_LITERAL(out, "view.time,");
	for (unsigned int i = 0; i < view->columns_count; i++) {
		const char *name = views_column_name(view, &view->columns[i]);

		if (i)
			buf_append_char(out, ',');
		if (view->columns[i].is_value && has_buckets(view))
			BUF_LITERAL(out, "from,to,count");
		else
			csv_append_cell(out, name, strlen(name));
	}
	buf_append_char(out, '\n');
}

/* In JSON a number that others would round is a string. */
static bool append_cell_digits(struct viewer_printer *printer, const struct views_group *group,
			       const struct views_column *column, struct buf *out)
{
	if (!append_cell_json(printer, group, column, out))
		return false;
	if (!out->failed && out->len >= 2 && out->data[0] == '"') {
		out->len -= 2;
		memmove(out->data, out->data + 1, out->len);
	}
	return true;
}

/* Numbers as their digits; texts as they are, but for what controls a terminal. */
static void csv_cell(struct viewer_printer *printer, const struct views_group *group,
		     const struct views_column *column)
{
	const struct views_view *view = printer->table->view;
	struct buf text = {0};

	if (group == printer->table->rows->crowd && !column->is_value)
		buf_append_string(&text, others);
	else if (is_number(view, column) && !append_cell_digits(printer, group, column, &text))
		buf_clear(&text);
	else if (!is_number(view, column))
		append_cell_text(printer, group, column, &text);
	csv_append_cell(printer->out, text.data ? text.data : "", text.len);
	if (text.failed)
		buf_fail(printer->out);
	buf_finish(&text);
}

/* A line of a group; with buckets one of them. */
static void csv_line(struct viewer_printer *printer, const struct views_group *group,
		     const struct views_bucket *bucket)
{
	const struct views_view *view = printer->table->view;
	struct buf *out = printer->out;

	if (printer->style->with_times) {
		if (printer->table->end_ns)
			append_time(out, printer->table->end_ns);
		buf_append_char(out, ',');
	}
	for (unsigned int i = 0; i < view->columns_count; i++) {
		if (i)
			buf_append_char(out, ',');
		if (view->columns[i].is_value && has_buckets(view))
			buf_printf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, bucket->from,
				   bucket->to, bucket->count);
		else
			csv_cell(printer, group, &view->columns[i]);
	}
	buf_append_char(out, '\n');
}

static void csv_table(struct viewer_printer *printer)
{
	const struct viewer_table *table = printer->table;
	const struct views_group *group;
	struct views_result result;

	if (printer->style->with_head)
		csv_titles(printer);
	for (uint32_t i = 0; (group = viewer_row(table, i)); i++) {
		if (!has_buckets(table->view)) {
			csv_line(printer, group, NULL);
			continue;
		}
		if (!views_group_value(table->engine, group, 0, &result))
			continue;
		for (unsigned int n = 0; n < views_buckets_count(&table->view->values[0]); n++) {
			const struct views_bucket bucket = bucket_at(printer, result.sketch, n);

			if (bucket.count)
				csv_line(printer, group, &bucket);
		}
	}
}

typedef void table_printer(struct viewer_printer *printer);

/* By format and kind. */
static const struct viewer_form {
	const struct output_format *format;
	table_printer *kinds[VIEWS_KINDS_COUNT];
} viewer_forms[] = {
	{&format_text, {text_table, text_table, text_histogram, text_heatmap}},
	{&format_json, {json_table, json_table, json_table, json_table}},
	{&format_csv, {csv_table, csv_table, csv_table, csv_table}},
};

static const struct viewer_form *find_form(const struct output_format *format)
{
	for (size_t i = 0; i < COUNT(viewer_forms); i++)
		if (viewer_forms[i].format == format)
			return &viewer_forms[i];
	return NULL;
}

void viewer_print_table(const struct viewer_style *style, const struct viewer_table *table,
			struct buf *out)
{
	struct viewer_printer printer = {.style = style, .table = table, .out = out};
	const struct viewer_form *form = find_form(style->format);

	if (form)
		form->kinds[table->view->kind](&printer);
	buf_finish(&printer.hidden);
}
