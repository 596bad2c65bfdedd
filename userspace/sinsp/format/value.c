/* SPDX-License-Identifier: MIT */
/* Writers by the type of a field, for values without an event. */
#include "sinsp/format/value.h"

#include "event/address.h"
#include "sinsp/fields/encoder.h"
#include "sinsp/format/json.h"
#include "util/json.h"
#include "util/terminal.h"

void format_value_append_text(const struct field_ref *ref, const struct field_value *value,
			      struct buf *out)
{
	size_t start = out->len;

	switch (ref->type) {
	case PT_BOOL:
		buf_append_string(out, value->u64 ? "true" : "false");
		return;
	case PT_DOUBLE:
		buf_printf(out, "%.1f", value->f64);
		return;
	case PT_IPADDR:
		address_append_ip(out, value->ip.address, value->ip.len);
		return;
	default:
		break;
	}
	if (param_type_size(ref->type)) {
		text_append_number(out, ref->type, ref->desc->format, value->u64);
		return;
	}
	buf_append(out, value->bytes.data, value->bytes.len);
	if (!out->failed && out->len > start)
		terminal_mask(out->data + start, out->len - start);
}

static void append_json_boolean(const struct field_value *value, struct buf *out)
{
	encoder_json_exact.boolean(out, value->u64);
}

static void append_json_integer(const struct field_value *value, struct buf *out)
{
	encoder_json_exact.integer(out, value->i64);
}

static void append_json_natural(const struct field_value *value, struct buf *out)
{
	encoder_json_exact.natural(out, value->u64);
}

static void append_json_real(const struct field_value *value, struct buf *out)
{
	encoder_json_exact.real(out, value->f64);
}

static void append_json_hex(const struct field_value *value, struct buf *out)
{
	json_append_hex(out, value->u64);
}

static void append_json_duration(const struct field_value *value, struct buf *out)
{
	encoder_json_exact.duration(out, value->u64);
}

static void append_json_address(const struct field_value *value, struct buf *out)
{
	buf_append_char(out, '"');
	address_append_ip(out, value->ip.address, value->ip.len);
	buf_append_char(out, '"');
}

static void append_json_moment(const struct field_value *value, struct buf *out)
{
	buf_append_char(out, '"');
	buf_append_u64(out, value->u64);
	buf_append_char(out, '"');
}

static void append_json_text(const struct field_value *value, struct buf *out)
{
	json_append_string(out, value->bytes.data, value->bytes.len);
}

static void (*const json_writers[JSON_FORMS_COUNT])(const struct field_value *value,
						    struct buf *out) = {
	[JSON_BOOLEAN] = append_json_boolean,  [JSON_SIGNED] = append_json_integer,
	[JSON_UNSIGNED] = append_json_natural, [JSON_DOUBLE] = append_json_real,
	[JSON_HEX] = append_json_hex,	       [JSON_DURATION] = append_json_duration,
	[JSON_MOMENT] = append_json_moment,    [JSON_ADDRESS] = append_json_address,
	[JSON_TEXT] = append_json_text,
};

void format_value_append_json(const struct field_ref *ref, const struct field_value *value,
			      struct buf *out)
{
	json_writers[json_form_of_ref(ref)](value, out);
}
