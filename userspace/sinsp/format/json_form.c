/* SPDX-License-Identifier: MIT */
/* Forms by type; their names are those of the definitions in proto/event.schema.json. */
#include "sinsp/format/json_form.h"

static const char *const names[JSON_FORMS_COUNT] = {
	[JSON_BOOLEAN] = "boolean", [JSON_SIGNED] = "signed",	[JSON_UNSIGNED] = "unsigned",
	[JSON_REAL] = "real",	    [JSON_HEX] = "hex",		[JSON_DURATION] = "duration",
	[JSON_MOMENT] = "moment",   [JSON_ADDRESS] = "address", [JSON_TEXT] = "text",
};

static enum json_form form_of_type(enum param_type type, enum param_format format)
{
	switch (type) {
	case PT_BOOL:
		return JSON_BOOLEAN;
	case PT_DOUBLE:
		return JSON_REAL;
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

enum json_form json_form_of(const struct format_column *column)
{
	return column->ref ? form_of_field(column->ref->desc)
			   : form_of_type(column->type, column->format);
}
