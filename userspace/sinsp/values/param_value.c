/* SPDX-License-Identifier: MIT */
/* A function for each form of parameters. */
#include "sinsp/values/param_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/address.h"
#include "event/names.h"
#include "sinsp/values/param_form.h"
#include "sinsp/values/param_text.h"

struct param_values {
	const struct value_encoder *encoder;
	const struct param_plans *plans;
};

/* One parameter that is present. */
struct value_param {
	const struct value_encoder *encoder;
	const struct event_param *param;
	const struct param_desc *desc;
	const struct flag_name *set;
	int64_t value; /* of fixed-size types */
	struct clock *utc;
};

typedef void writer(const struct value_param *p, struct buf *out);

enum {
	SHORT_TEXT_BYTES = 512, /* longer addresses are corrupt */
	BITS_TEXT_BYTES = 1 << 14, /* every second one of 5000 CPUs */
};

static uint64_t param_value_bits_of(const struct value_param *p)
{
	return value_bits((uint64_t)p->value, p->param->len);
}

static void param_value_append_text(const struct value_param *p, const struct buf *text,
				    struct buf *out)
{
	p->encoder->text(out, text->data, text->len);
}

static void param_value_append_name(const struct value_encoder *encoder, const char *name,
				    struct buf *out)
{
	encoder->text(out, name, strlen(name));
}

static void param_value_write_signed(const struct value_param *p, struct buf *out)
{
	p->encoder->integer(out, p->value);
}

static void param_value_write_unsigned(const struct value_param *p, struct buf *out)
{
	p->encoder->natural(out, (uint64_t)p->value);
}

static void param_value_append_hex(const struct value_encoder *encoder, uint64_t value,
				   struct buf *out)
{
	char memory[24];
	struct buf text = buf_fixed(memory, sizeof(memory));

	BUF_LITERAL(&text, "0x");
	buf_append_hex_lower(&text, value);
	encoder->text(out, text.data, text.len);
}

static void param_value_write_hex(const struct value_param *p, struct buf *out)
{
	param_value_append_hex(p->encoder, param_value_bits_of(p), out);
}

static void param_value_write_octal(const struct value_param *p, struct buf *out)
{
	char memory[24];
	struct buf text = buf_fixed(memory, sizeof(memory));

	if (p->value)
		buf_append_char(&text, '0');
	buf_append_octal(&text, param_value_bits_of(p));
	param_value_append_text(p, &text, out);
}

static void param_value_append_flags(const struct value_param *p, uint64_t value, struct buf *out)
{
	const struct value_encoder *encoder = p->encoder;
	const struct flag_name *set = p->set;
	size_t list = encoder->list_begin(out);
	const char *name;

	while ((name = param_next_flag(&set, &value))) {
		encoder->item(out, list);
		param_value_append_name(encoder, name, out);
	}
	if (value) {
		encoder->item(out, list);
		param_value_append_hex(encoder, value, out);
	}
	encoder->list_end(out, list);
}

static void param_value_write_flags(const struct value_param *p, struct buf *out)
{
	param_value_append_flags(p, param_value_bits_of(p), out);
}

static void param_value_write_file_flags(const struct value_param *p, struct buf *out)
{
	param_value_append_flags(p, param_file_flags(param_value_bits_of(p)), out);
}

/* NULL: the number. */
static void append_named(const struct value_param *p, const char *name, uint64_t number,
			 struct buf *out)
{
	if (name)
		param_value_append_name(p->encoder, name, out);
	else
		p->encoder->natural(out, number);
}

static void param_value_write_enum(const struct value_param *p, struct buf *out)
{
	append_named(p, param_enum_name(p->set, param_value_bits_of(p)), param_value_bits_of(p),
		     out);
}

static void param_value_write_syscall(const struct value_param *p, struct buf *out)
{
	append_named(p, syscall_name((unsigned int)p->value), (uint64_t)p->value, out);
}

static void param_value_write_signal(const struct value_param *p, struct buf *out)
{
	append_named(p, signal_name((unsigned int)p->value), (uint64_t)p->value, out);
}

static void param_value_write_signal_set(const struct value_param *p, struct buf *out)
{
	size_t list = p->encoder->list_begin(out);

	for (unsigned int i = 0; i < 32; i++) {
		if (!(param_value_bits_of(p) >> i & 1))
			continue;
		p->encoder->item(out, list);
		append_named(p, signal_name(i + 1), i + 1, out);
	}
	p->encoder->list_end(out, list);
}

static void param_value_write_time(const struct value_param *p, struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(p->utc, (uint64_t)p->value, text);
	p->encoder->text(out, text, sizeof(text));
}

static void param_value_write_string(const struct value_param *p, struct buf *out)
{
	param_value_append_name(p->encoder, (const char *)p->param->data, out);
}

static void param_value_write_bytes(const struct value_param *p, struct buf *out)
{
	p->encoder->data(out, p->param->data, p->param->len);
}

static void param_value_write_list(const struct value_param *p, struct buf *out)
{
	const char *at = (const char *)p->param->data;
	const char *end = at + p->param->len;
	size_t list = p->encoder->list_begin(out);

	while (at < end) {
		size_t n = strnlen(at, (size_t)(end - at));

		p->encoder->item(out, list);
		p->encoder->text(out, at, n);
		at += n + 1;
	}
	p->encoder->list_end(out, list);
}

static void param_value_append_numbers(const struct value_param *p, enum param_type type,
				       struct buf *out)
{
	size_t list = p->encoder->list_begin(out);

	for (size_t n = 0; n < p->param->len / param_type_number_size(type); n++) {
		p->encoder->item(out, list);
		p->encoder->natural(out, event_param_number(p->param, type, n));
	}
	p->encoder->list_end(out, list);
}

static void param_value_write_numbers_32(const struct value_param *p, struct buf *out)
{
	param_value_append_numbers(p, PT_UINT32LIST, out);
}

static void param_value_write_numbers_64(const struct value_param *p, struct buf *out)
{
	param_value_append_numbers(p, PT_UINT64LIST, out);
}

static void param_value_write_bits(const struct value_param *p, struct buf *out)
{
	char memory[BITS_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	text_append_bits(&text, p->param->data, p->param->len);
	param_value_append_text(p, &text, out);
}

static void param_value_write_ip(const struct value_param *p, struct buf *out)
{
	char memory[SHORT_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	text_append_ip(&text, p->param->data, p->param->len);
	param_value_append_text(p, &text, out);
}

static void param_value_write_sockaddr(const struct value_param *p, struct buf *out)
{
	char memory[SHORT_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	text_append_sockaddr(&text, p->param, NULL);
	param_value_append_text(p, &text, out);
}

static void param_value_write_socktuple(const struct value_param *p, struct buf *out)
{
	char memory[SHORT_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	text_append_socktuple(&text, p->param, NULL);
	param_value_append_text(p, &text, out);
}

static size_t begin_entry(const struct value_encoder *encoder, size_t map, const char *name,
			  struct buf *out)
{
	size_t entry;

	encoder->item(out, map);
	entry = out->len;
	encoder->key(out, name, strlen(name));
	return entry;
}

/* A list of maps: fd, events. */
static void param_value_write_fd_list(const struct value_param *p, struct buf *out)
{
	const struct value_encoder *encoder = p->encoder;
	size_t list = encoder->list_begin(out);

	for (unsigned int i = 0; i < event_fdlist_count(p->param); i++) {
		struct fdlist_entry waited = event_fdlist_entry(p->param, i);
		size_t map, entry;

		encoder->item(out, list);
		map = encoder->map_begin(out);
		entry = begin_entry(encoder, map, "fd", out);
		encoder->integer(out, waited.fd);
		encoder->entry_end(out, entry);
		entry = begin_entry(encoder, map, "events", out);
		param_value_append_flags(p, (uint16_t)waited.events, out);
		encoder->entry_end(out, entry);
		encoder->map_end(out, map);
	}
	encoder->list_end(out, list);
}

static writer *const writers[PARAM_FORMS_COUNT];

/* The value in the form of its kind; an empty string means no value. */
static void param_value_write_dyn(const struct value_param *p, struct buf *out)
{
	struct dyn_value value = event_dyn_value(p->desc, p->param);
	const struct param_desc desc = {
		.name = p->desc->name, .type = value.kind->type, .format = value.kind->format};
	struct value_param inner = *p;

	if (value.param.len == 0 && desc.type == PT_CHARBUF) {
		p->encoder->nothing(out);
		return;
	}
	inner.param = &value.param;
	inner.desc = &desc;
	inner.set = NULL;
	if (param_type_size(desc.type))
		inner.value = event_value_i64(desc.type, &value.param);
	writers[param_form_of_type(desc.type, desc.format)](&inner, out);
}

static writer *const writers[PARAM_FORMS_COUNT] = {
	[PARAM_SIGNED] = param_value_write_signed,
	[PARAM_UNSIGNED] = param_value_write_unsigned,
	[PARAM_HEX] = param_value_write_hex,
	[PARAM_OCTAL] = param_value_write_octal,
	[PARAM_FLAGS] = param_value_write_flags,
	[PARAM_FILE_FLAGS] = param_value_write_file_flags,
	[PARAM_ENUM] = param_value_write_enum,
	[PARAM_SYSCALL] = param_value_write_syscall,
	[PARAM_SIGNAL] = param_value_write_signal,
	[PARAM_SIGNAL_SET] = param_value_write_signal_set,
	[PARAM_DURATION] = param_value_write_unsigned,
	[PARAM_TIME] = param_value_write_time,
	[PARAM_STRING] = param_value_write_string,
	[PARAM_BYTES] = param_value_write_bytes,
	[PARAM_LIST] = param_value_write_list,
	[PARAM_NUMBERS_32] = param_value_write_numbers_32,
	[PARAM_NUMBERS_64] = param_value_write_numbers_64,
	[PARAM_BITS] = param_value_write_bits,
	[PARAM_IP] = param_value_write_ip,
	[PARAM_SOCKADDR] = param_value_write_sockaddr,
	[PARAM_SOCKTUPLE] = param_value_write_socktuple,
	[PARAM_FD_LIST] = param_value_write_fd_list,
	[PARAM_DYN] = param_value_write_dyn,
};

int param_values_create(const struct value_encoder *encoder, struct param_values **values)
{
	struct param_values *made = calloc(1, sizeof(*made));
	int rc = made ? param_plans_get(encoder->key, &made->plans) : -ENOMEM;

	if (rc) {
		param_values_destroy(made);
		return rc;
	}
	made->encoder = encoder;
	*values = made;
	return 0;
}

void param_values_destroy(struct param_values *values)
{
	free(values);
}

static void values_param_value_append(const struct param_values *values,
				      const struct param_plan *plan,
				      const struct sinsp_event *event, unsigned int index,
				      struct clock *utc, struct buf *out)
{
	struct value_param p = {
		.encoder = values->encoder,
		.param = &event->ev.params[index],
		.desc = &event->ev.desc->params[index],
		.set = plan->set,
		.utc = utc,
	};

	if (p.param->len == 0) {
		p.encoder->nothing(out);
		return;
	}
	if (plan->fixed_size)
		p.value = event_param_i64(&event->ev, index);
	writers[plan->kind](&p, out);
}

void param_value_append(const struct param_values *values, const struct sinsp_event *event,
			unsigned int index, struct clock *utc, struct buf *out)
{
	values_param_value_append(values, &values->plans->of[event->ev.desc->id][index], event,
				  index, utc, out);
}

void param_value_append_entry(const struct param_values *values, const struct sinsp_event *event,
			      unsigned int index, struct clock *utc, struct buf *out)
{
	const struct param_plan *plan = &values->plans->of[event->ev.desc->id][index];
	size_t entry = out->len;

	buf_append_chunk(out, plan->key, plan->key_len);
	values_param_value_append(values, plan, event, index, utc, out);
	values->encoder->entry_end(out, entry);
}

void param_value_append_all(const struct param_values *values, const struct sinsp_event *event,
			    struct clock *utc, struct buf *out)
{
	const struct value_encoder *encoder = values->encoder;
	size_t map = encoder->map_begin(out);

	for (unsigned int i = 0; i < event->ev.desc->nparams; i++) {
		if (!param_value_is_listed(event, i))
			continue;
		encoder->item(out, map);
		param_value_append_entry(values, event, i, utc, out);
	}
	encoder->map_end(out, map);
}
