/* SPDX-License-Identifier: MIT */
/* Creating formatters; their lines are written by the format. */
#include "sinsp/format/format.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/container.h"
#include "sinsp/format/formatter.h"
#include "sinsp/values/param_value.h"

static int add_fields(struct formatter *formatter, const char *const *fields, size_t n,
		      struct filter_error *err)
{
	int rc = format_reserve(formatter, n);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = format_add_field(formatter, (struct filter_text){fields[i], strlen(fields[i])},
				      fields[i], 0, err);
	return rc;
}

static int add_default(struct formatter *formatter, struct filter_error *err)
{
	const char *format = formatter->events->default_format;

	return format ? format_parse(formatter, format, err)
		      : format_parse_fields(formatter, "default", err);
}

static struct formatter *begin(const struct output_format *output)
{
	struct formatter *made = malloc(sizeof(*made));

	if (!made)
		return NULL;
	/* The scratch memory of a quarter of a MiB follows: not touched, it costs nothing. */
	memset(made, 0, offsetof(struct formatter, scratch.bytes));
	made->output = output;
	made->events = &output->events;
	made->schema = output->events.schema;
	made->encoder = output->events.encoder;
	return made;
}

static int add_head(struct formatter *made)
{
	struct format_column head = {0};
	int rc = made->events->head_init(made, &head);

	if (rc == 0)
		rc = format_prepend_column(made, &head);
	made->head_columns = 1;
	return rc;
}

/* Completes a formatter after its columns were added; `rc` is the result of that. */
static int finish(struct formatter *made, int rc, struct formatter **formatter)
{
	size_t nregs = 1;

	for (size_t i = 0; i < made->columns_count; i++)
		if (made->columns[i].operand.regs_end > nregs)
			nregs = made->columns[i].operand.regs_end;
	made->regs = arena_alloc(&made->arena, nregs * sizeof(made->regs[0]));
	if (rc == 0 && !made->regs)
		rc = -ENOMEM;
	if (rc == 0)
		rc = format_make_spans(made);
	if (rc == 0 && made->events->head_init)
		rc = add_head(made);
	if (rc == 0 && made->events->params)
		rc = param_json_create(&made->scratch.params);
	if (rc == 0 && made->encoder)
		rc = param_values_create(made->encoder, &made->values);
	if (rc) {
		formatter_destroy(made);
		return rc;
	}
	formatter_set_style(made, &(const struct text_style){0});
	*formatter = made;
	return 0;
}

int formatter_create(const struct output_format *output, const char *const *fields, size_t n,
		     struct formatter **formatter, struct error *err)
{
	struct formatter *made = begin(output);
	struct filter_error wrong = {.text = "out of memory"};
	int rc = -ENOMEM;

	if (made) {
		rc = fields ? add_fields(made, fields, n, &wrong) : add_default(made, &wrong);
		rc = finish(made, rc, formatter);
	}
	return rc ? error_set(err, rc, "%s", wrong.text) : 0;
}

int formatter_create_format(const struct output_format *output, const char *format,
			    struct formatter **formatter, struct filter_error *err)
{
	struct formatter *made = begin(output);

	return made ? finish(made, format_parse(made, format, err), formatter) : -ENOMEM;
}

int formatter_create_fields(const struct output_format *output, const char *list,
			    struct formatter **formatter, struct filter_error *err)
{
	struct formatter *made = begin(output);

	return made ? finish(made, format_parse_fields(made, list, err), formatter) : -ENOMEM;
}

void formatter_add_base64(struct formatter *formatter)
{
	formatter->scratch.base64 = true;
}

int formatter_set_id(struct formatter *formatter, const char *stream)
{
	const struct format_records *records = &formatter->output->records;
	struct format_column column = {0};
	int rc;

	if (!records->id_column_init)
		return 0;
	rc = records->id_column_init(formatter, &column, stream);
	return rc ? rc : format_prepend_column(formatter, &column);
}

void formatter_destroy(struct formatter *formatter)
{
	if (!formatter)
		return;
	operand_refs_finish(formatter->refs);
	formatter_destroy(formatter->body);
	kept_finish(&formatter->of_containers);
	kept_finish(&formatter->of_threads);
	thread_revisions_finish(&formatter->threads);
	buf_finish(&formatter->text);
	arena_finish(&formatter->arena);
	param_json_destroy(formatter->scratch.params);
	param_values_destroy(formatter->values);
	free(formatter);
}

static bool append_spans(struct formatter *formatter, const struct sinsp_event *event,
			 struct buf *out)
{
	const struct format_span *span = formatter->spans, *end = span;

	end += event_container(event) ? formatter->spans_count : formatter->host_spans;
	for (; span < end; span++)
		if (!(span->kind ? format_append_kept(formatter, span, event, out)
					 : formatter->events->append(formatter, span, event, out)))
			return false;
	return true;
}

static bool append(struct formatter *formatter, const struct sinsp_event *event, struct buf *out,
		   bool as_line)
{
	size_t start = out->len;
	bool printed;

	/* Formats use pointers into the buffer's memory, which a new one does not have. */
	if (!buf_reserve(out, 1))
		return true;
	printed = append_spans(formatter, event, out);
	if (printed) {
		formatter->events->end(formatter, out, start);
		if (as_line)
			format_delimit(formatter->events, out, start);
	}
	if (!printed || out->failed)
		out->len = start;
	return printed;
}

bool formatter_append(struct formatter *formatter, const struct sinsp_event *event, struct buf *out)
{
	return append(formatter, event, out, false);
}

bool formatter_write(struct formatter *formatter, const struct sinsp_event *event, struct buf *out)
{
	return append(formatter, event, out, true);
}

void formatter_set_style(struct formatter *formatter, const struct text_style *style)
{
	formatter->scratch.style = *style;
	if (formatter->events->style_set)
		formatter->events->style_set(formatter);
}

static unsigned int column_needs(const struct formatter *formatter,
				 const struct format_column *column)
{
	bool latency = column->operand.flags & FIELD_STYLED_TIME &&
		       formatter->scratch.style.time == TEXT_TIME_LATENCY;

	return column->needs | (latency ? NEEDS_ENTER_TIME : NEEDS_NOTHING);
}

unsigned int formatter_needs(const struct formatter *formatter)
{
	unsigned int needs = NEEDS_NOTHING;

	for (size_t i = 0; i < formatter->columns_count; i++)
		for (const struct format_column *column = &formatter->columns[i]; column;
		     column = column->otherwise)
			needs |= column_needs(formatter, column);
	return needs;
}
