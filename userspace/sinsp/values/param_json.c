/* SPDX-License-Identifier: MIT */
/* Parameters as JSON values: one writer for each form. */
#include "sinsp/values/param_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/names.h"
#include "sinsp/values/param_form.h"
#include "sinsp/values/param_text.h"
#include "sinsp/values/text_value.h"
#include "util/json.h"

/* One parameter that is present, with what is needed to write it. */
struct json_param {
	struct param_json *json;
	const struct event_param *param;
	const struct param_desc *desc;
	const struct flag_name *set;
	int64_t value; /* of fixed-size types */
	struct clock *utc;
	/* How texts are written: json_append_string(), or in base64. */
	bool (*encode)(struct buf *out, const char *text, size_t len);
	bool *changed; /* set if a text was not UTF-8 */
};

typedef void writer(const struct json_param *p, struct buf *out);

struct param_json {
	const struct param_plans *plans; /* keys: ,"name": */
	enum text_bytes bytes; /* DOTS: buffers are written as strings */
	struct buf text; /* memory for the other forms */
};

/* The bits as the event has them. */
static uint64_t param_json_bits_of(const struct json_param *p)
{
	return value_bits((uint64_t)p->value, p->param->len);
}

static void param_json_write_signed(const struct json_param *p, struct buf *out)
{
	json_append_i64(out, p->value);
}

static void param_json_write_unsigned(const struct json_param *p, struct buf *out)
{
	json_append_u64(out, (uint64_t)p->value);
}

static void param_json_write_hex(const struct json_param *p, struct buf *out)
{
	json_append_hex(out, param_json_bits_of(p));
}

static void param_json_write_octal(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '"');
	if (p->value)
		buf_append_char(out, '0');
	buf_append_octal(out, param_json_bits_of(p));
	buf_append_char(out, '"');
}

static void param_json_append_text(const struct json_param *p, struct buf *out, const char *text,
				   size_t len)
{
	if (!p->encode(out, text, len))
		*p->changed = true;
}

/* Names are words: no escapes are needed. */
static void param_json_append_name(struct buf *out, const char *name)
{
	size_t len = strlen(name);
	char *to;

	if (!buf_reserve(out, len + 2))
		return;
	to = out->data + out->len;
	to[0] = '"';
	memcpy(to + 1, name, len);
	to[len + 1] = '"';
	out->len += len + 2;
}

static void append_comma(struct buf *out)
{
	if (out->len && out->data[out->len - 1] != '[')
		buf_append_char(out, ',');
}

static void param_json_append_flags(struct buf *out, const struct flag_name *set, uint64_t value)
{
	const char *name;

	buf_append_char(out, '[');
	while ((name = param_next_flag(&set, &value))) {
		append_comma(out);
		param_json_append_name(out, name);
	}
	if (value) {
		append_comma(out);
		json_append_hex(out, value);
	}
	buf_append_char(out, ']');
}

static void param_json_write_flags(const struct json_param *p, struct buf *out)
{
	param_json_append_flags(out, p->set, param_json_bits_of(p));
}

static void param_json_write_file_flags(const struct json_param *p, struct buf *out)
{
	param_json_append_flags(out, p->set, param_file_flags(param_json_bits_of(p)));
}

static void param_json_write_enum(const struct json_param *p, struct buf *out)
{
	uint64_t value = param_json_bits_of(p);
	const char *name = param_enum_name(p->set, value);

	if (name)
		param_json_append_name(out, name);
	else
		json_append_u64(out, value);
}

static void param_json_write_syscall(const struct json_param *p, struct buf *out)
{
	const char *name = syscall_name((unsigned int)p->value);

	if (name)
		param_json_append_name(out, name);
	else
		param_json_write_unsigned(p, out);
}

static void param_json_write_signal(const struct json_param *p, struct buf *out)
{
	const char *name = signal_name((unsigned int)p->value);

	if (name)
		param_json_append_name(out, name);
	else
		param_json_write_unsigned(p, out);
}

static void param_json_write_signal_set(const struct json_param *p, struct buf *out)
{
	uint64_t set = param_json_bits_of(p);

	buf_append_char(out, '[');
	for (unsigned int i = 0; i < 32; i++) {
		const char *name = signal_name(i + 1);

		if (!(set >> i & 1))
			continue;
		append_comma(out);
		if (name)
			param_json_append_name(out, name);
		else
			buf_append_u64(out, i + 1);
	}
	buf_append_char(out, ']');
}

static void write_duration(const struct json_param *p, struct buf *out)
{
	json_append_duration(out, (uint64_t)p->value);
}

static void param_json_write_time(const struct json_param *p, struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(p->utc, (uint64_t)p->value, text);
	buf_append_char(out, '"');
	buf_append(out, text, sizeof(text));
	buf_append_char(out, '"');
}

static void param_json_write_string(const struct json_param *p, struct buf *out)
{
	const char *text = (const char *)p->param->data;

	param_json_append_text(p, out, text, strlen(text));
}

static void param_json_write_bytes(const struct json_param *p, struct buf *out)
{
	if (p->json->bytes == TEXT_BYTES_DOTS)
		param_json_append_text(p, out, (const char *)p->param->data, p->param->len);
	else
		param_json_append_bytes(p->json, p->param->data, p->param->len, out);
}

static void param_json_write_list(const struct json_param *p, struct buf *out)
{
	const char *at = (const char *)p->param->data;
	const char *end = at + p->param->len;

	buf_append_char(out, '[');
	while (at < end) {
		size_t n = strnlen(at, (size_t)(end - at));

		append_comma(out);
		param_json_append_text(p, out, at, n);
		at += n + 1;
	}
	buf_append_char(out, ']');
}

static void param_json_append_numbers(struct buf *out, const struct event_param *param,
				      enum param_type type)
{
	buf_append_char(out, '[');
	for (size_t n = 0; n < param->len / param_type_number_size(type); n++) {
		append_comma(out);
		json_append_u64(out, event_param_number(param, type, n));
	}
	buf_append_char(out, ']');
}

static void param_json_write_numbers_32(const struct json_param *p, struct buf *out)
{
	param_json_append_numbers(out, p->param, PT_UINT32LIST);
}

static void param_json_write_numbers_64(const struct json_param *p, struct buf *out)
{
	param_json_append_numbers(out, p->param, PT_UINT64LIST);
}

/* As in text: digits, commas and hyphens, no escapes are needed. */
static void param_json_write_bits(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '"');
	text_append_bits(out, p->param->data, p->param->len);
	buf_append_char(out, '"');
}

/* Longer addresses are corrupt. */
enum { ADDRESS_TEXT_BYTES = 512 };

static void param_json_append_address(const struct json_param *p, struct buf *out,
				      void (*append)(struct buf *, const struct event_param *,
						     const struct services *))
{
	char memory[ADDRESS_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	append(&text, p->param, NULL);
	param_json_append_text(p, out, text.data, text.len);
}

/* Digits, dots and colons: no escapes are needed. */
static void param_json_write_ip(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '"');
	text_append_ip(out, p->param->data, p->param->len);
	buf_append_char(out, '"');
}

static void param_json_write_sockaddr(const struct json_param *p, struct buf *out)
{
	param_json_append_address(p, out, text_append_sockaddr);
}

static void param_json_write_socktuple(const struct json_param *p, struct buf *out)
{
	param_json_append_address(p, out, text_append_socktuple);
}

/* [{"fd":3,"events":["POLLIN"]}] */
static void param_json_write_fd_list(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '[');
	for (unsigned int i = 0; i < event_fdlist_count(p->param); i++) {
		struct fdlist_entry entry = event_fdlist_entry(p->param, i);

		append_comma(out);
		BUF_LITERAL(out, "{\"fd\":");
		json_append_i64(out, entry.fd);
		BUF_LITERAL(out, ",\"events\":");
		param_json_append_flags(out, p->set, (uint16_t)entry.events);
		buf_append_char(out, '}');
	}
	buf_append_char(out, ']');
}

static writer *const writers[PARAM_FORMS_COUNT];

/* The value in the form of its kind; an empty string means no value. */
static void param_json_write_dyn(const struct json_param *p, struct buf *out)
{
	struct dyn_value value = event_dyn_value(p->desc, p->param);
	const struct param_desc desc = {
		.name = p->desc->name, .type = value.kind->type, .format = value.kind->format};
	struct json_param inner = *p;

	inner.param = &value.param;
	inner.desc = &desc;
	inner.set = NULL;
	if (value.param.len == 0 && desc.type == PT_CHARBUF) {
		BUF_LITERAL(out, "null");
		return;
	}
	if (param_type_size(desc.type))
		inner.value = event_value_i64(desc.type, &value.param);
	writers[param_form_of_type(desc.type, desc.format)](&inner, out);
}

static writer *const writers[PARAM_FORMS_COUNT] = {
	[PARAM_SIGNED] = param_json_write_signed,
	[PARAM_UNSIGNED] = param_json_write_unsigned,
	[PARAM_HEX] = param_json_write_hex,
	[PARAM_OCTAL] = param_json_write_octal,
	[PARAM_FLAGS] = param_json_write_flags,
	[PARAM_FILE_FLAGS] = param_json_write_file_flags,
	[PARAM_ENUM] = param_json_write_enum,
	[PARAM_SYSCALL] = param_json_write_syscall,
	[PARAM_SIGNAL] = param_json_write_signal,
	[PARAM_SIGNAL_SET] = param_json_write_signal_set,
	[PARAM_DURATION] = write_duration,
	[PARAM_TIME] = param_json_write_time,
	[PARAM_STRING] = param_json_write_string,
	[PARAM_BYTES] = param_json_write_bytes,
	[PARAM_LIST] = param_json_write_list,
	[PARAM_NUMBERS_32] = param_json_write_numbers_32,
	[PARAM_NUMBERS_64] = param_json_write_numbers_64,
	[PARAM_BITS] = param_json_write_bits,
	[PARAM_IP] = param_json_write_ip,
	[PARAM_SOCKADDR] = param_json_write_sockaddr,
	[PARAM_SOCKTUPLE] = param_json_write_socktuple,
	[PARAM_FD_LIST] = param_json_write_fd_list,
	[PARAM_DYN] = param_json_write_dyn,
};

static void param_json_append_key(struct buf *out, const char *name, size_t len)
{
	BUF_LITERAL(out, ",\"");
	buf_append(out, name, len);
	BUF_LITERAL(out, "\":");
}

int param_json_create(struct param_json **json)
{
	struct param_json *made = calloc(1, sizeof(*made));
	int rc = made ? param_plans_get(param_json_append_key, &made->plans) : -ENOMEM;

	if (rc == 0)
		*json = made;
	else
		param_json_destroy(made);
	return rc;
}

void param_json_destroy(struct param_json *json)
{
	if (!json)
		return;
	buf_finish(&json->text);
	free(json);
}

void param_json_set_bytes(struct param_json *json, enum text_bytes form)
{
	json->bytes = form;
}

void param_json_append_bytes(struct param_json *json, const uint8_t *data, size_t len,
			     struct buf *out)
{
	buf_clear(&json->text);
	text_append_bytes(&json->text, json->bytes, data, len);
	if (json->text.failed)
		buf_fail(out);
	else
		json_append_string(out, json->text.data, json->text.len);
}

/* What all parameters of an event have in common. */
static struct json_param begin_params(struct param_json *json, struct clock *utc,
				      bool (*encode)(struct buf *, const char *, size_t),
				      bool *changed)
{
	return (struct json_param){
		.json = json,
		.utc = utc,
		.encode = encode,
		.changed = changed,
	};
}

/* Writes a parameter that is present. */
static void write_param(struct json_param *p, const struct sinsp_event *event, unsigned int index,
			const struct param_plan *plan, struct buf *out)
{
	p->param = &event->ev.params[index];
	p->desc = &event->ev.desc->params[index];
	p->set = plan->set;
	if (plan->fixed_size)
		p->value = event_value_i64(p->desc->type, p->param);
	writers[plan->kind](p, out);
}

/* Writes one parameter that is present; returns whether a text of it was changed. */
static bool write_one(struct param_json *json, const struct sinsp_event *event, unsigned int index,
		      struct clock *utc, bool (*encode)(struct buf *, const char *, size_t),
		      struct buf *out)
{
	const struct param_plan *plans = json->plans->of[event->ev.desc->id];
	bool changed = false;
	struct json_param p = begin_params(json, utc, encode, &changed);

	write_param(&p, event, index, &plans[index], out);
	return changed;
}

bool param_json_append(struct param_json *json, const struct sinsp_event *event, unsigned int index,
		       struct clock *utc, struct buf *out)
{
	if (event->ev.params[index].len == 0) {
		BUF_LITERAL(out, "null");
		return false;
	}
	return write_one(json, event, index, utc, json_append_string, out);
}

static bool encode_base64(struct buf *out, const char *text, size_t len)
{
	json_append_base64(out, text, len);
	return true;
}

void param_json_append_base64(struct param_json *json, const struct sinsp_event *event,
			      unsigned int index, struct buf *out)
{
	write_one(json, event, index, NULL, encode_base64, out);
}

void param_json_append_all(struct param_json *json, const struct sinsp_event *event,
			   struct clock *utc, bool base64, struct buf *out)
{
	const struct param_plan *plan = json->plans->of[event->ev.desc->id];
	unsigned int nparams = event->ev.desc->nparams;
	bool changed = false;
	struct json_param p = begin_params(json, utc, json_append_string, &changed);
	size_t start = out->len;

	for (unsigned int i = 0; i < nparams; i++, plan++) {
		bool absent = event->ev.params[i].len == 0;

		/* Extensions are omitted if absent: readers do not expect them as null. */
		if (absent && event->ev.desc->params[i].extension)
			continue;
		buf_append_chunk(out, plan->key, plan->key_len);
		if (absent) {
			BUF_LITERAL(out, "null");
			continue;
		}
		write_param(&p, event, i, plan, out);
		if (changed && base64) {
			json_append_base64_key(out, plan->key, plan->key_len);
			param_json_append_base64(json, event, i, out);
		}
		changed = false;
	}
	json_end_object(out, start);
}
