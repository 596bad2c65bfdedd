/* SPDX-License-Identifier: MIT */
/*
 * Parameters as values for programs: a writer for each form of types.def, and the map of all. An
 * encoder's file includes this, with its name as ENCODER: what the encoder does is inlined here. It
 * may define faster or other ways to write numbers, texts, bytes and the keys of this file.
 */
#include <string.h>

#include "event/address.h"
#include "event/names.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/fields/param_value.h"

#ifndef WRITE_NUMBER
#define WRITE_NUMBER(p, way, out, number) ENCODER.way(out, number)
#endif
#ifndef WRITE_TEXT
#define WRITE_TEXT(p, out, from, len) ENCODER.text(out, from, len)
#define WRITE_BYTES(p, out, from, len) ENCODER.data(out, from, len)
#endif
#ifndef WRITE_KEY
#define WRITE_KEY(out, name) ENCODER.key(out, name, sizeof(name) - 1)
#endif

/* Longer addresses are corrupt. */
enum { ADDRESS_TEXT_BYTES = 512 };

static inline uint64_t param_write_bits_of(const struct encoder_param *p)
{
	return event_value_bits((uint64_t)p->value, p->param->len);
}

static void param_write_signed(struct encoder_param *p, struct buf *out)
{
	WRITE_NUMBER(p, integer, out, p->value);
}

static void param_write_unsigned(struct encoder_param *p, struct buf *out)
{
	WRITE_NUMBER(p, natural, out, (uint64_t)p->value);
}

static void param_write_duration(struct encoder_param *p, struct buf *out)
{
	WRITE_NUMBER(p, duration, out, (uint64_t)p->value);
}

static void param_write_0x(struct buf *out, uint64_t value)
{
	size_t plain = ENCODER.plain_begin(out);

	BUF_LITERAL(out, "0x");
	buf_append_hex_lower(out, value);
	ENCODER.plain_end(out, plain);
}

static void param_write_hex(struct encoder_param *p, struct buf *out)
{
	param_write_0x(out, param_write_bits_of(p));
}

static void param_write_octal(struct encoder_param *p, struct buf *out)
{
	size_t plain = ENCODER.plain_begin(out);

	if (p->value)
		buf_append_char(out, '0');
	buf_append_octal(out, param_write_bits_of(p));
	ENCODER.plain_end(out, plain);
}

static void param_write_names(struct encoder_param *p, uint64_t value, struct buf *out)
{
	const struct param_flag *set = p->set;
	size_t list = ENCODER.list_begin(out);
	const char *name;

	while ((name = param_next_flag(&set, &value))) {
		ENCODER.item(out);
		ENCODER.word(out, name, strlen(name));
	}
	if (value) {
		ENCODER.item(out);
		param_write_0x(out, value);
	}
	ENCODER.list_end(out, list);
}

static void param_write_flags(struct encoder_param *p, struct buf *out)
{
	param_write_names(p, param_write_bits_of(p), out);
}

static void param_write_file_flags(struct encoder_param *p, struct buf *out)
{
	param_write_names(p, param_file_flags(param_write_bits_of(p)), out);
}

/* Of users and groups: all bits set is no id, here and in user.loginuid. */
static void param_write_id(struct encoder_param *p, struct buf *out)
{
	if ((uint32_t)p->value == UINT32_MAX)
		WRITE_NUMBER(p, integer, out, -1);
	else
		WRITE_NUMBER(p, natural, out, (uint64_t)p->value);
}

/* The digits if it has no name: a parameter with names is always a text. */
static void param_write_named(struct encoder_param *p, const char *name, uint64_t number,
			      struct buf *out)
{
	size_t plain;

	if (name) {
		ENCODER.word(out, name, strlen(name));
		return;
	}
	plain = ENCODER.plain_begin(out);
	buf_append_u64(out, number);
	ENCODER.plain_end(out, plain);
}

static void param_write_enum(struct encoder_param *p, struct buf *out)
{
	uint64_t value = param_write_bits_of(p);

	if (p->set)
		param_write_named(p, param_enum_name(p->set, value), value, out);
	else
		WRITE_NUMBER(p, natural, out, value);
}

static void param_write_syscall(struct encoder_param *p, struct buf *out)
{
	param_write_named(p, syscall_name((unsigned int)p->value), (uint64_t)p->value, out);
}

static void param_write_signal(struct encoder_param *p, struct buf *out)
{
	param_write_named(p, event_signal_name((unsigned int)p->value), (uint64_t)p->value, out);
}

static void param_write_signal_set(struct encoder_param *p, struct buf *out)
{
	size_t list = ENCODER.list_begin(out);

	for (unsigned int i = 0; i < 32; i++) {
		if (!(param_write_bits_of(p) >> i & 1))
			continue;
		ENCODER.item(out);
		param_write_named(p, event_signal_name(i + 1), i + 1, out);
	}
	ENCODER.list_end(out, list);
}

static void param_write_time(struct encoder_param *p, struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(p->utc, (uint64_t)p->value, text);
	ENCODER.word(out, text, sizeof(text));
}

static void param_write_string(struct encoder_param *p, struct buf *out)
{
	const char *text = (const char *)p->param->data;

	WRITE_TEXT(p, out, text, strlen(text));
}

static void param_write_bytes(struct encoder_param *p, struct buf *out)
{
	WRITE_BYTES(p, out, p->param->data, p->param->len);
}

static void param_write_list(struct encoder_param *p, struct buf *out)
{
	const char *at = (const char *)p->param->data, *end = at + p->param->len;
	size_t list = ENCODER.list_begin(out);

	while (at < end) {
		size_t n = strnlen(at, (size_t)(end - at));

		ENCODER.item(out);
		WRITE_TEXT(p, out, at, n);
		at += n + 1;
	}
	ENCODER.list_end(out, list);
}

static void param_write_numbers(struct encoder_param *p, struct buf *out)
{
	enum param_type type = p->desc->type;
	size_t list = ENCODER.list_begin(out);

	for (size_t n = 0; n < p->param->len / param_type_number_size(type); n++) {
		ENCODER.item(out);
		WRITE_NUMBER(p, natural, out, event_param_number(p->param, type, n));
	}
	ENCODER.list_end(out, list);
}

static void param_write_bits(struct encoder_param *p, struct buf *out)
{
	size_t plain = ENCODER.plain_begin(out);

	param_append_bits(out, p->param->data, p->param->len);
	ENCODER.plain_end(out, plain);
}

static void param_write_ip(struct encoder_param *p, struct buf *out)
{
	size_t plain = ENCODER.plain_begin(out);

	address_append_ip(out, p->param->data, p->param->len);
	ENCODER.plain_end(out, plain);
}

static void param_write_sockaddr(struct encoder_param *p, struct buf *out)
{
	char memory[ADDRESS_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	address_append_sockaddr(&text, p->param, NULL);
	WRITE_TEXT(p, out, text.data, text.len);
}

static void param_write_socktuple(struct encoder_param *p, struct buf *out)
{
	char memory[ADDRESS_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	address_append_socktuple(&text, p->param, NULL);
	WRITE_TEXT(p, out, text.data, text.len);
}

/* A map: {"fd":3,"events":["POLLIN"]}. */
static void param_write_waited(struct encoder_param *p, struct fdlist_entry waited, struct buf *out)
{
	size_t map = ENCODER.map_begin(out), entry;

	ENCODER.item(out);
	entry = out->len;
	WRITE_KEY(out, "fd");
	WRITE_NUMBER(p, integer, out, waited.fd);
	ENCODER.entry_end(out, entry);
	ENCODER.item(out);
	entry = out->len;
	WRITE_KEY(out, "events");
	param_write_names(p, (uint16_t)waited.events, out);
	ENCODER.entry_end(out, entry);
	ENCODER.map_end(out, map);
}

static void param_write_fd_list(struct encoder_param *p, struct buf *out)
{
	size_t list = ENCODER.list_begin(out);

	for (unsigned int i = 0; i < event_fdlist_count(p->param); i++) {
		ENCODER.item(out);
		param_write_waited(p, event_fdlist_entry(p->param, i), out);
	}
	ENCODER.list_end(out, list);
}

/* The value in the form of its kind; an empty string means no value. */
static void param_write_dyn(struct encoder_param *p, struct buf *out)
{
	struct event_dyn value = event_dyn_value(p->desc, p->param);
	const struct param_desc desc = {
		.name = p->desc->name, .type = value.kind->type, .format = value.kind->format};
	struct encoder_param inner = *p;

	if (value.param.len == 0 && desc.type == PT_CHARBUF) {
		ENCODER.nothing(out);
		return;
	}
	inner.param = &value.param;
	inner.desc = &desc;
	inner.set = NULL;
	if (param_type_size(desc.type))
		inner.value = event_value_i64(desc.type, &value.param);
	ENCODER.params[param_form_of_type(desc.type, desc.format)](&inner, out);
	p->replaced = inner.replaced;
}

static encoder_param_writer *const param_writers[PARAM_FORMS_COUNT] = {
#define FORM(name, word, raw, resolved, absent, written) [PARAM_##name] = param_write_##written,
#include "event/types.def"
};

/* The last parameter again, with its texts in base64. */
static void param_write_base64(struct encoder_param *p, const struct param_plan *plan,
			       struct buf *out)
{
	ENCODER.base64_key(out, plan->key, plan->key_len);
	p->base64 = true;
	ENCODER.params[plan->kind](p, out);
	p->base64 = false;
}

static void param_write_all(struct encoder_param *p, const struct event *ev,
			    const struct param_plan *plan, bool base64, struct buf *out)
{
	const struct param_desc *desc = ev->desc->params, *end = desc + ev->desc->nparams;
	const struct event_param *param = ev->params;
	size_t map = ENCODER.map_begin(out);

	for (; desc < end; desc++, param++, plan++) {
		size_t entry = out->len + plan->separator_len;

		if (!param_is_listed(desc, param))
			continue;
		buf_append_chunk(out, plan->key, plan->key_len);
		encoder_param_write(p, param, desc, plan, &ENCODER, out);
		ENCODER.entry_end(out, entry);
		if (!ENCODER.base64_key || !p->replaced)
			continue;
		if (base64)
			param_write_base64(p, plan, out);
		p->replaced = false;
	}
	ENCODER.map_end(out, map);
}
