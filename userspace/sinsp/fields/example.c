/* SPDX-License-Identifier: MIT */
/*
 * Examples of filters, for `agent fields`. Rows have an example of their own where the type does
 * not suffice.
 */
#include "sinsp/fields/field.h"

static const char *const arguments[] = {
	[FIELD_ARG_INDEX] = "[1]",	   [FIELD_ARG_KEY] = "[app]",
	[FIELD_ARG_LABEL] = "[app]",
	[FIELD_ARG_KEY_OR_INDEX] = "[1]",  [FIELD_ARG_NUMBER] = "[1]",
	[FIELD_ARG_PARAM] = ".res",	   [FIELD_ARG_PARAM_NAME] = ".res",
	[FIELD_ARG_EVENT] = ".openat",	   [FIELD_ARG_WORD] = ".cpu",
};

static const char *comparison(const struct field_desc *desc)
{
	if (desc->moment)
		return ">1700000000000000000";
	switch (desc->type) {
	case PT_BOOL:
		return "=true";
	case PT_PORT:
		return "=443";
	case PT_IPADDR:
		return "=127.0.0.1";
	case PT_IPNET:
		return "=10.0.0.0/8";
	case PT_RELTIME:
	case PT_ABSTIME:
		return ">1s";
	default:
		return param_type_size(desc->type) ? ">100" : " exists";
	}
}

void field_append_example(const struct field_desc *desc, struct buf *out)
{
	buf_append_string(out, desc->name);
	if (desc->example) {
		buf_append_string(out, desc->example);
		return;
	}
	if (desc->flags & FIELD_ARG_REQUIRED)
		buf_append_string(out, arguments[desc->arg]);
	buf_append_string(out, comparison(desc));
}
