/* SPDX-License-Identifier: MIT */
/* The JSON forms of values, by the type of a field or of a transformer. */
#ifndef SINSP_FORMAT_JSON_FORM_H
#define SINSP_FORMAT_JSON_FORM_H

#include "sinsp/format/formatter.h"

/* Forms of values. */
enum json_form {
	JSON_BOOLEAN,
	JSON_SIGNED,
	JSON_UNSIGNED,
	JSON_REAL,
	JSON_HEX,
	JSON_DURATION,
	JSON_MOMENT,
	JSON_ADDRESS,
	JSON_TEXT,
	JSON_FORMS_COUNT,
};

/* The form of each value of a column. */
enum json_form json_form_of(const struct format_column *column);

/*
 * The form of a field's value: the name of a definition in proto/event.schema.json. A list field
 * has several such values.
 */
const char *format_json_form(const struct field_desc *desc);

#endif
