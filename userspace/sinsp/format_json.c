/* SPDX-License-Identifier: MIT */
/* Lines of JSON. Keys are quoted in advance, and each column has the writer for its type. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/format_kinds.h"
#include "sinsp/param_text.h"
#include "util/json.h"

static const char *const default_fields[] = {
	"evt.num",   "evt.time", "evt.type",  "evt.cpu",      "evt.res",      "evt.args",
	"proc.name", "proc.pid", "proc.ppid", "proc.exepath", "proc.cmdline", "thread.tid",
	"user.uid",  "fd.num",	 "fd.name",   NULL,
};

static void append_address(struct buf *out, const struct field_value *value)
{
	char memory[64];
	struct buf text = buf_fixed(memory, sizeof(memory));

	text_append_ip(&text, value->ip.address, value->ip.len);
	json_append_string(out, text.data, text.len);
}

static void append_bits(struct buf *out, enum param_format format, uint64_t bits)
{
	if (format == PF_HEX)
		json_append_hex(out, bits);
	else
		json_append_u64(out, bits);
}

static void append_signed(struct buf *out, const struct format_column *column, int64_t value)
{
	size_t size = param_type_size(column->type);

	if (column->format == PF_HEX)
		json_append_hex(out, size < 8 ? (uint64_t)value & ((UINT64_C(1) << 8 * size) - 1)
					      : (uint64_t)value);
	else
		json_append_i64(out, value);
}

/* Times are decimal even where they are too large for a number. */
static void append_time(struct buf *out, uint64_t ns)
{
	json_append_i64(out, (int64_t)ns);
}

static void append_value(struct buf *out, const struct format_column *column,
			 const struct field_value *value)
{
	switch (column->type) {
	case PT_BOOL:
		buf_append_string(out, value->u64 ? "true" : "false");
		break;
	case PT_DOUBLE:
		buf_printf(out, "%.15g", value->f64);
		break;
	case PT_IPADDR:
	case PT_IPNET:
		append_address(out, value);
		break;
	case PT_ABSTIME:
	case PT_RELTIME:
		append_time(out, value->u64);
		break;
	default:
		if (param_type_size(column->type) == 0)
			json_append_string(out, value->bytes.data, value->bytes.len);
		else if (param_type_is_signed(column->type))
			append_signed(out, column, value->i64);
		else
			append_bits(out, column->format, value->u64);
	}
}

static bool write_value(struct formatter *formatter, const struct format_column *column,
			const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *value;

	if (column_get(formatter, column, event, &value) < 1)
		return false;
	append_value(out, column, value);
	return true;
}

static bool write_list(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	const struct field_value *values;
	int n = column_get(formatter, column, event, &values);

	if (n < 0)
		return false;
	buf_append_char(out, '[');
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_append_char(out, ',');
		append_value(out, column, &values[i]);
	}
	buf_append_char(out, ']');
	return true;
}

static bool write_time(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(&formatter->scratch.utc, event->ev.ts_ns, text);
	buf_append_char(out, '"');
	buf_append(out, text, sizeof(text));
	buf_append_char(out, '"');
	return true;
}

/* Seconds as text have another form. */
static bool write_outputtime(struct formatter *formatter, const struct format_column *column,
			     const struct sinsp_event *event, struct buf *out)
{
	bool of_day = formatter->scratch.style.time == TEXT_TIME_OF_DAY;

	return (of_day ? write_time : write_value)(formatter, column, event, out);
}

static bool write_args(struct formatter *formatter, const struct format_column *column,
		       const struct sinsp_event *event, struct buf *out)
{
	param_json_append_all(formatter->params, event, &formatter->scratch.utc, out);
	return true;
}

static bool write_arg(struct formatter *formatter, const struct format_column *column,
		      const struct sinsp_event *event, struct buf *out)
{
	const struct event_desc *desc = event->ev.desc;
	int index = column->ref->param_of_event ? column->ref->param_of_event[desc->id]
						: column->ref->index;

	if (index < 0 || index >= desc->nparams ||
	    !event_param_present(&event->ev, (unsigned int)index))
		return false;
	param_json_append(formatter->params, event, (unsigned int)index, &formatter->scratch.utc,
			  out);
	return true;
}

/* Fields that JSON shows in another form than text. They need no state for that. */
static const struct {
	const char *name;
	column_writer *write;
} own_writers[] = {
	{"evt.time", write_time}, {"evt.outputtime", write_outputtime},
	{"evt.args", write_args}, {"evt.info", write_args},
	{"evt.arg", write_arg},	  {"evt.rawarg", write_arg},
};

static column_writer *writer_of(struct format_column *column)
{
	const char *name = column->ref ? column->ref->desc->name : "";

	for (size_t i = 0; i < sizeof(own_writers) / sizeof(own_writers[0]); i++) {
		if (strcmp(own_writers[i].name, name) != 0)
			continue;
		column->needs = NEEDS_NOTHING;
		return own_writers[i].write;
	}
	return column->list ? write_list : write_value;
}

static int json_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	struct buf key = {0};

	buf_append_char(&key, formatter->columns_count ? ',' : '{');
	json_append_string(&key, token->name.data, token->name.len);
	buf_append_char(&key, ':');
	if (!key.failed)
		column->before.data = arena_text(&formatter->arena, key.data, key.len);
	column->before.len = key.len;
	column->write = writer_of(column);
	buf_finish(&key);
	return column->before.data ? 0 : -ENOMEM;
}

static bool json_append(struct formatter *formatter, const struct sinsp_event *event,
			struct buf *out)
{
	size_t start = out->len;

	for (size_t i = 0; i < formatter->columns_count; i++) {
		const struct format_column *column = &formatter->columns[i];
		size_t before = out->len;

		buf_append(out, column->before.data, column->before.len);
		if (column->write(formatter, column, event, out))
			continue;
		if (formatter->missing == MISSING_DROPS_THE_LINE)
			return false;
		if (formatter->missing == MISSING_IS_SHOWN)
			BUF_LITERAL(out, "null");
		else
			out->len = before;
	}
	/* Columns before may have had no value: the first byte is the bracket, whoever wrote it. */
	if (out->len > start)
		out->data[start] = '{';
	else
		buf_append_char(out, '{');
	buf_append_char(out, '}');
	return true;
}

const struct format_kind format_json = {
	.default_fields = default_fields,
	.column_init = json_column_init,
	.append = json_append,
	.params = true,
	.keyed = true,
};
