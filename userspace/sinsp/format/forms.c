/* SPDX-License-Identifier: MIT */
/* Writers by form. They are chosen once for each column, and write with the formatter's encoder. */
#include "sinsp/format/forms.h"

#include <string.h>

#include "event/address.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/format/json.h"
#include "sinsp/format/text.h"
#include "sinsp/format/schema.h"
#include "sinsp/state/fd.h"
#include "sinsp/fields/param_value.h"

static void encode_boolean(struct formatter *formatter, const struct format_column *column,
			   const struct field_value *value, struct buf *out)
{
	formatter->encoder->boolean(out, value->u64);
}

static void encode_signed(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	formatter->encoder->integer(out, value->i64);
}

static void encode_unsigned(struct formatter *formatter, const struct format_column *column,
			    const struct field_value *value, struct buf *out)
{
	formatter->encoder->natural(out, value->u64);
}

static void encode_real(struct formatter *formatter, const struct format_column *column,
			const struct field_value *value, struct buf *out)
{
	formatter->encoder->real(out, value->f64);
}

static void encode_duration(struct formatter *formatter, const struct format_column *column,
			    const struct field_value *value, struct buf *out)
{
	formatter->encoder->duration(out, value->u64);
}

static void encode_hex(struct formatter *formatter, const struct format_column *column,
		       const struct field_value *value, struct buf *out)
{
	size_t plain = formatter->encoder->plain_begin(out);

	BUF_LITERAL(out, "0x");
	buf_append_hex_lower(out, event_value_bits(value->u64, param_type_size(column->type)));
	formatter->encoder->plain_end(out, plain);
}

static void encode_address(struct formatter *formatter, const struct format_column *column,
			   const struct field_value *value, struct buf *out)
{
	size_t plain = formatter->encoder->plain_begin(out);

	address_append_ip(out, value->ip.address, value->ip.len);
	formatter->encoder->plain_end(out, plain);
}

static void encode_time(struct formatter *formatter, struct clock *utc, uint64_t ns,
			struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(utc, ns, text);
	formatter->encoder->word(out, text, sizeof(text));
}

/* Other times than those of events: the clock of these is not disturbed. */
static void encode_moment(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	struct clock utc = {0};

	encode_time(formatter, &utc, value->u64, out);
}

static void encode_text(struct formatter *formatter, const struct format_column *column,
			const struct field_value *value, struct buf *out)
{
	formatter->encoder->text(out, value->bytes.data, value->bytes.len);
}

static format_value_writer *const by_type[JSON_FORMS_COUNT] = {
	[JSON_BOOLEAN] = encode_boolean,   [JSON_SIGNED] = encode_signed,
	[JSON_UNSIGNED] = encode_unsigned, [JSON_DOUBLE] = encode_real,
	[JSON_HEX] = encode_hex,	   [JSON_DURATION] = encode_duration,
	[JSON_MOMENT] = encode_moment,	   [JSON_ADDRESS] = encode_address,
	[JSON_TEXT] = encode_text,
};

/* Ids are keywords. */
static void encode_digits(struct formatter *formatter, const struct format_column *column,
			  const struct field_value *value, struct buf *out)
{
	size_t plain = formatter->encoder->plain_begin(out);

	if (param_type_is_signed(column->type))
		buf_append_i64(out, value->i64);
	else
		buf_append_u64(out, value->u64);
	formatter->encoder->plain_end(out, plain);
}

/* registry:5000/nginx:latest@sha256:... is registry:5000/nginx. */
static void encode_image(struct formatter *formatter, const struct format_column *column,
			 const struct field_value *value, struct buf *out)
{
	const char *name = value->bytes.data, *end = name + value->bytes.len;
	const char *digest = memchr(name, '@', value->bytes.len);
	const char *slash, *tag;

	if (digest)
		end = digest;
	slash = memrchr(name, '/', (size_t)(end - name));
	tag = memchr(slash ? slash : name, ':', (size_t)(end - (slash ? slash : name)));
	formatter->encoder->text(out, name, (size_t)((tag ? tag : end) - name));
}

/* evt.type as the name of an event. */
static void encode_event_name(struct formatter *formatter, const struct format_column *column,
			      const struct field_value *value, struct buf *out)
{
	buf_clear(&formatter->text);
	BUF_LITERAL(&formatter->text, "lanner.");
	buf_append(&formatter->text, value->bytes.data, value->bytes.len);
	if (formatter->text.failed)
		buf_fail(out);
	formatter->encoder->text(out, formatter->text.data, formatter->text.len);
}

static bool forms_is_text(const struct field_value *value, const char *word)
{
	return value->bytes.len == strlen(word) &&
	       memcmp(value->bytes.data, word, value->bytes.len) == 0;
}

static bool forms_write_value(struct formatter *formatter, const struct format_column *column,
			      const struct state_event *event, struct buf *out)
{
	const struct field_value *value;

	if (format_column_get(formatter, column, event, &value) < 1)
		return false;
	if (column->absent && forms_is_text(value, column->absent)) {
		formatter->left_out = true;
		return false;
	}
	column->append(formatter, column, value, out);
	return true;
}

static bool forms_write_list(struct formatter *formatter, const struct format_column *column,
			     const struct state_event *event, struct buf *out)
{
	const struct encoder *encoder = formatter->encoder;
	const struct field_value *values;
	int n = format_column_get(formatter, column, event, &values);
	size_t list;

	if (n < 0)
		return false;
	list = encoder->list_begin(out);
	for (int i = 0; i < n; i++) {
		encoder->item(out);
		column->append(formatter, column, &values[i], out);
	}
	encoder->list_end(out, list);
	return true;
}

static bool write_single(struct formatter *formatter, const struct format_column *column,
			 const struct state_event *event, struct buf *out)
{
	const struct encoder *encoder = formatter->encoder;
	size_t start = out->len, list = encoder->list_begin(out);

	encoder->item(out);
	if (!forms_write_value(formatter, column, event, out)) {
		out->len = start;
		return false;
	}
	encoder->list_end(out, list);
	return true;
}

static bool write_split(struct formatter *formatter, const struct format_column *column,
			const struct state_event *event, struct buf *out)
{
	const struct encoder *encoder = formatter->encoder;
	const struct field_value *value;
	const char *at, *end;
	size_t list;

	if (format_column_get(formatter, column, event, &value) < 1)
		return false;
	list = encoder->list_begin(out);
	at = value->bytes.data;
	end = at + value->bytes.len;
	while (at < end) {
		const char *blank = memchr(at, ' ', (size_t)(end - at));
		const char *word_end = blank ? blank : end;

		if (word_end > at) {
			encoder->item(out);
			encoder->text(out, at, (size_t)(word_end - at));
		}
		at = word_end + 1;
	}
	encoder->list_end(out, list);
	return true;
}

static bool write_argv(struct formatter *formatter, const struct format_column *column,
		       const struct state_event *event, struct buf *out)
{
	const struct encoder *encoder = formatter->encoder;
	const struct state_program *program = event->thread ? event->thread->program : NULL;
	const char *at, *end;
	size_t list;

	if (!program || !program->exe[0])
		return false;
	list = encoder->list_begin(out);
	encoder->item(out);
	encoder->text(out, program->exe, strlen(program->exe));
	at = program->args;
	end = at + program->args_len;
	while (at < end) {
		size_t len = strnlen(at, (size_t)(end - at));

		encoder->item(out);
		encoder->text(out, at, len);
		at += len + 1;
	}
	encoder->list_end(out, list);
	return true;
}

static bool forms_write_time(struct formatter *formatter, const struct format_column *column,
			     const struct state_event *event, struct buf *out)
{
	encode_time(formatter, &formatter->scratch.utc, state_wall_ns(event, event->ev.ts_ns), out);
	return true;
}

static bool write_ns(struct formatter *formatter, const struct format_column *column,
		     const struct state_event *event, struct buf *out)
{
	formatter->encoder->natural(out, state_wall_ns(event, event->ev.ts_ns));
	return true;
}

/* As the format text writes it. */
static bool write_text(struct formatter *formatter, const struct format_column *column,
		       const struct state_event *event, struct buf *out)
{
	buf_clear(&formatter->text);
	if (!text_append_column(formatter, column, event, &formatter->text))
		return false;
	if (formatter->text.failed)
		buf_fail(out);
	else
		formatter->encoder->text(out, formatter->text.data, formatter->text.len);
	return true;
}

static bool write_params(struct formatter *formatter, const struct format_column *column,
			 const struct state_event *event, struct buf *out)
{
	int index;

	if (!column->ref->has_arg) {
		param_value_append_all(formatter->values, event, &formatter->scratch.utc, false,
				       out);
		return true;
	}
	index = field_param_index(column->ref, event);
	if (index < 0)
		return false;
	param_value_append(formatter->values, event, (unsigned int)index, &formatter->scratch.utc,
			   out);
	return true;
}

static bool is_of_file(const struct state_event *event, const struct field_value *name)
{
	if (event->fd)
		return event->fd->type == SCAP_FD_FILE || event->fd->type == SCAP_FD_DIRECTORY;
	return name->bytes.len && name->bytes.data[0] == '/';
}

static bool forms_write_file(struct formatter *formatter, const struct format_column *column,
			     const struct state_event *event, struct buf *out)
{
	const struct field_value *value;

	if (format_column_get(formatter, column, event, &value) < 1)
		return false;
	if (!is_of_file(event, value) && !out->failed) {
		out->len -= column->before.len;
		buf_append(out, column->elsewhere.data, column->elsewhere.len);
	}
	column->append(formatter, column, value, out);
	return true;
}

static bool write_word(struct formatter *formatter, const char *word, struct buf *out)
{
	formatter->encoder->word(out, word, strlen(word));
	return true;
}

static bool write_outcome(struct formatter *formatter, const struct format_column *column,
			  const struct state_event *event, struct buf *out)
{
	int64_t result;

	if (!event_result(&event->ev, &result))
		return write_word(formatter, "unknown", out);
	return write_word(formatter, result < 0 ? "failure" : "success", out);
}

static bool write_words(struct formatter *formatter, const char *word, struct buf *out)
{
	size_t list = formatter->encoder->list_begin(out);

	formatter->encoder->item(out);
	write_word(formatter, word, out);
	formatter->encoder->list_end(out, list);
	return true;
}

static bool write_category(struct formatter *formatter, const struct format_column *column,
			   const struct state_event *event, struct buf *out)
{
	return write_words(formatter, schema_ecs_category(event->ev.desc->id), out);
}

static bool write_kind(struct formatter *formatter, const struct format_column *column,
		       const struct state_event *event, struct buf *out)
{
	return write_words(formatter, schema_ecs_type(event->ev.desc->id), out);
}

static bool write_event_kind(struct formatter *formatter, const struct format_column *column,
			     const struct state_event *event, struct buf *out)
{
	return write_word(formatter, formatter->in_match ? "alert" : "event", out);
}

static bool write_beside(struct formatter *formatter, const struct format_column *column,
			 const struct state_event *event, struct buf *out)
{
	const struct field_value *value;

	formatter->left_out = format_column_get(formatter, column, event, &value) < 1;
	return !formatter->left_out && write_word(formatter, column->word, out);
}

/* NULL: by the type of the values. */
static const struct form {
	format_column_writer *write;
	format_value_writer *append;
	const char *absent;
} forms[SCHEMA_FORMS_COUNT] = {
	[SCHEMA_STRING] = {.append = encode_digits},
	[SCHEMA_TEXT] = {.write = write_text, .append = text_append_value},
	[SCHEMA_TIME] = {.write = forms_write_time},
	[SCHEMA_NS] = {.write = write_ns},
	[SCHEMA_MOMENT] = {.append = encode_unsigned},
	[SCHEMA_LIST] = {.write = write_single},
	[SCHEMA_SPLIT] = {.write = write_split},
	[SCHEMA_ARGV] = {.write = write_argv},
	[SCHEMA_PARAMS] = {.write = write_params},
	[SCHEMA_KNOWN] = {.absent = "<NA>"},
	[SCHEMA_ERROR] = {.absent = "SUCCESS"},
	[SCHEMA_CONTAINER] = {.absent = "host"},
	[SCHEMA_IMAGE] = {.append = encode_image},
	[SCHEMA_FILE] = {.write = forms_write_file},
	[SCHEMA_EVENT_NAME] = {.append = encode_event_name},
	[SCHEMA_OUTCOME] = {.write = write_outcome},
	[SCHEMA_CATEGORY] = {.write = write_category},
	[SCHEMA_KIND] = {.write = write_kind},
	[SCHEMA_EVENT_KIND] = {.write = write_event_kind},
	[SCHEMA_BESIDE] = {.write = write_beside},
};

/* Of a closed set: our own, with no byte that needs care. */
static void encode_word(struct formatter *formatter, const struct format_column *column,
			const struct field_value *value, struct buf *out)
{
	formatter->encoder->word(out, value->bytes.data, value->bytes.len);
}

format_value_writer *form_value_writer(const struct format_column *column)
{
	return format_column_has_words(column) ? encode_word : by_type[json_form_of(column)];
}

void form_choose(struct format_column *column, enum schema_form form)
{
	const struct form *chosen = &forms[form];

	column->write = chosen->write  ? chosen->write
			: column->list ? forms_write_list
				       : forms_write_value;
	column->append = chosen->append ? chosen->append : form_value_writer(column);
	column->absent = chosen->absent;
	column->json = NULL;
	column->needs = column->operand.needs & (form == SCHEMA_PARAMS ? NEEDS_VALUES : ~0U);
}

/* Forms by type; their names are those of the definitions in proto/event.schema.json. */

static const char *const names[JSON_FORMS_COUNT] = {
	[JSON_BOOLEAN] = "boolean", [JSON_SIGNED] = "signed",	[JSON_UNSIGNED] = "unsigned",
	[JSON_DOUBLE] = "real",	    [JSON_HEX] = "hex",		[JSON_DURATION] = "duration",
	[JSON_MOMENT] = "moment",   [JSON_ADDRESS] = "address", [JSON_TEXT] = "text",
};

static enum json_form form_of_type(enum param_type type, enum param_format format)
{
	switch (type) {
	case PT_BOOL:
		return JSON_BOOLEAN;
	case PT_DOUBLE:
		return JSON_DOUBLE;
	case PT_IPADDR:
	case PT_IPNET:
		return JSON_ADDRESS;
	case PT_ABSTIME:
	case PT_RELTIME:
		return JSON_DURATION;
	default:
		if (param_type_size(type) == 0)
			return JSON_TEXT;
		if (format == PF_HEX)
			return JSON_HEX;
		return param_type_is_signed(type) ? JSON_SIGNED : JSON_UNSIGNED;
	}
}

static enum json_form form_of_field(const struct field_desc *desc)
{
	return desc->moment ? JSON_MOMENT : form_of_type(desc->type, desc->format);
}

const char *format_json_form(const struct field_desc *desc)
{
	return desc->json ? desc->json->form : names[form_of_field(desc)];
}

enum json_form json_form_of_ref(const struct field_ref *ref)
{
	return ref->desc->moment ? JSON_MOMENT : form_of_type(ref->type, ref->desc->format);
}

enum json_form json_form_of(const struct format_column *column)
{
	return column->ref ? form_of_field(column->ref->desc)
			   : form_of_type(column->type, column->format);
}
