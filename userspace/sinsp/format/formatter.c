/* SPDX-License-Identifier: MIT */
/* Creating formatters: by format, fields and schema; their lines are written by the format. */
#include "sinsp/format/formatter.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/container.h"
#include "sinsp/format/formatter_impl.h"
#include "sinsp/format/schema.h"
#include "sinsp/fields/param_value.h"

static int format_add_fields(struct formatter *formatter, const char *const *fields, size_t n,
			     struct filter_error *err)
{
	int r = format_reserve(formatter, n);

	for (size_t i = 0; i < n && r == 0; i++)
		r = format_add_field(formatter, (struct filter_text){fields[i], strlen(fields[i])},
				     fields[i], 0, err);
	return r;
}

static int format_add_default(struct formatter *formatter, struct filter_error *err)
{
	const char *format = formatter->events->default_format;

	formatter->with_marks = true;
	return format ? format_parse(formatter, format, err)
		      : format_parse_fields(formatter, "default", err);
}

static struct formatter *format_begin(const struct output_format *output)
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
	int r = made->events->head_init(made, &head);

	if (r == 0)
		r = format_prepend_column(made, &head);
	made->head_columns = 1;
	return r;
}

/* Values, and those of parameters among them, are written by this encoder. */
static int format_set_encoder(struct formatter *formatter, const struct encoder *encoder)
{
	param_values_destroy(formatter->values);
	formatter->encoder = encoder;
	formatter->values = NULL;
	formatter->scratch.params = NULL;
	if (param_values_create(encoder, &formatter->values))
		return -ENOMEM;
	formatter->scratch.params = formatter->values;
	return 0;
}

/* Completes a formatter after its columns were added; `rc` is the result of that. */
static int format_finish(struct formatter *made, int rc, struct formatter **formatter)
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
	if (rc == 0 && made->encoder)
		rc = format_set_encoder(made, made->encoder);
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
	struct formatter *made = format_begin(output);
	struct filter_error wrong = {.text = "out of memory"};
	int r = -ENOMEM;

	if (made) {
		r = fields ? format_add_fields(made, fields, n, &wrong)
			   : format_add_default(made, &wrong);
		r = format_finish(made, r, formatter);
	}
	return r ? error_set(err, r, "%s", wrong.text) : 0;
}

int formatter_create_format(const struct output_format *output, const char *format,
			    struct formatter **formatter, struct filter_error *err)
{
	struct formatter *made = format_begin(output);

	return made ? format_finish(made, format_parse(made, format, err), formatter) : -ENOMEM;
}

int formatter_create_fields(const struct output_format *output, const char *list,
			    struct formatter **formatter, struct filter_error *err)
{
	struct formatter *made = format_begin(output);

	return made ? format_finish(made, format_parse_fields(made, list, err), formatter)
		    : -ENOMEM;
}

void formatter_add_base64(struct formatter *formatter)
{
	formatter->scratch.base64 = true;
}

int formatter_set_id(struct formatter *formatter, const char *stream)
{
	const struct format_records *records = &formatter->output->records;
	struct format_column column = {0};
	int r;

	if (!records->id_column_init)
		return 0;
	r = records->id_column_init(formatter, &column, stream);
	return r ? r : format_prepend_column(formatter, &column);
}

void formatter_destroy(struct formatter *formatter)
{
	if (!formatter)
		return;
	operand_refs_finish(formatter->refs);
	formatter_destroy(formatter->body);
	span_cache_finish(&formatter->of_containers);
	span_cache_finish(&formatter->of_threads);
	thread_revisions_finish(&formatter->threads);
	buf_finish(&formatter->text);
	event_hider_finish(&formatter->event_hider);
	arena_finish(&formatter->arena);
	param_values_destroy(formatter->values);
	free(formatter);
}

static bool append_spans(struct formatter *formatter, const struct state_event *event,
			 struct buf *out)
{
	const struct format_span *span = formatter->spans, *end = span;

	end += container_of_event(event) ? formatter->spans_count : formatter->host_spans;
	for (; span < end; span++)
		if (!(span->kind ? format_append_cached(formatter, span, event, out)
				 : format_append_span(formatter, span, event, out)))
			return false;
	return true;
}

static bool format_append(struct formatter *formatter, const struct state_event *event,
			  struct buf *out, bool as_line)
{
	size_t start = out->len;
	bool printed;

	/* Formats use pointers into the buffer's memory, which a new one does not have. */
	if (!buf_reserve(out, 1))
		return true;
	event = event_hider_apply(&formatter->event_hider, &formatter->scratch.style.hider, event);
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

bool formatter_append(struct formatter *formatter, const struct state_event *event, struct buf *out)
{
	return format_append(formatter, event, out, false);
}

bool formatter_write(struct formatter *formatter, const struct state_event *event, struct buf *out)
{
	return format_append(formatter, event, out, true);
}

void formatter_set_style(struct formatter *formatter, const struct text_style *style)
{
	formatter->scratch.style = *style;
	format_make_spans(formatter);
	if (formatter->events->style_set)
		formatter->events->style_set(formatter);
}

void formatter_set_hider(struct formatter *formatter, const struct text_hider *hider)
{
	formatter->scratch.style.hider = *hider;
	format_make_spans(formatter);
	if (formatter->body)
		formatter_set_hider(formatter->body, hider);
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

/* Gives a formatter another schema: what begins each record, and other keys and values. */

static size_t count_heads(const struct schema *schema)
{
	size_t n = 0;

	while (schema->heads[n].key)
		n++;
	return n;
}

static size_t count_companions(const struct schema *schema)
{
	const struct schema_companion *companion = schema->companions;
	size_t n = 0;

	for (; companion && companion->field; companion++)
		n++;
	return n;
}

static int formatter_add_field(struct formatter *formatter, const struct schema_head *head)
{
	const struct filter_text name = {head->field, strlen(head->field)};
	struct filter_error unused;
	int r;

	formatter->head = head;
	r = format_add_field(formatter, name, head->field, 0, &unused);
	formatter->head = NULL;
	return r;
}

static const char *text_of(const struct formatter *formatter, const struct schema_head *head)
{
	if (!head->machine)
		return head->constant;
	return formatter->machine ? formatter->machine->parts[head->machine] : "";
}

static bool write_nothing(struct formatter *formatter, const struct format_column *column,
			  const struct state_event *event, struct buf *out)
{
	return true;
}

/* All constant texts are what stands before the value of one column, which has none. */
static int format_add_constants(struct formatter *formatter, const struct schema_head *head)
{
	struct format_column column = {.write = write_nothing};
	struct buf text = {0};
	int r;

	for (; head->key; head++)
		if (!head->field && *text_of(formatter, head))
			formatter->events->append_constant(&text, head->key,
							   text_of(formatter, head));
	r = format_keep_text(formatter, &text, &column.before);
	if (r == 0 && text.len)
		formatter->columns[formatter->columns_count++] = column;
	buf_finish(&text);
	return r;
}

static int add_heads(struct formatter *formatter)
{
	int r = 0;

	for (const struct schema_head *head = formatter->schema->heads; head->key && r == 0; head++)
		if (head->field)
			r = formatter_add_field(formatter, head);
	return r ? r : format_add_constants(formatter, formatter->schema->heads);
}

/* Adds what is said beside a field. */
static int add_companions(struct formatter *formatter, const struct format_column *column)
{
	const struct schema_companion *companion = formatter->schema->companions;
	int r = 0;

	for (; column->ref && companion && companion->field && r == 0; companion++)
		if (strcmp(companion->field, column->ref->desc->name) == 0)
			r = formatter_add_field(
				formatter,
				&(struct schema_head){companion->key, companion->field,
						      companion->constant, SCHEMA_BESIDE});
	return r;
}

static int add_again(struct formatter *formatter, const struct format_column *column)
{
	const struct format_token token = {.before = column->before, .name = column->name};
	struct format_column again = *column;
	int r = formatter->events->column_init(formatter, &again, &token);

	return r ? r : format_place_column(formatter, &again);
}

/* Of alerts the rule's output has the fields: the number is what tells them apart. */
static bool format_is_of_schema(const struct schema *schema, const struct format_column *column)
{
	return !schema->fields || (column->ref && strcmp(column->ref->desc->name, "evt.num") == 0);
}

void formatter_set_machine(struct formatter *formatter, const struct schema_identity *machine)
{
	formatter->machine = machine;
}

int formatter_set_schema(struct formatter *formatter, const struct schema *schema)
{
	const struct format_column *columns = formatter->columns;
	size_t count = formatter->columns_count;
	size_t for_all = count - formatter->container_columns, for_all_now;
	int r;

	if (!schema || !schema->renames || !formatter->events->append_constant)
		return 0;
	formatter->schema = schema;
	formatter->columns_count = 0;
	r = format_set_encoder(formatter, formatter->events->schema_encoder);
	if (r == 0)
		r = format_reserve(formatter,
				   count_heads(schema) + count + count_companions(schema));
	if (r == 0)
		r = add_heads(formatter);
	for_all_now = formatter->columns_count;
	for (size_t i = 0; i < count && r == 0; i++) {
		if (!format_is_of_schema(schema, &columns[i]))
			continue;
		r = add_again(formatter, &columns[i]);
		if (r == 0)
			r = add_companions(formatter, &columns[i]);
		if (i < for_all)
			for_all_now = formatter->columns_count;
	}
	if (r)
		return r;
	formatter->container_columns = formatter->columns_count - for_all_now;
	formatter_set_style(formatter, &formatter->scratch.style);
	return format_make_spans(formatter);
}
