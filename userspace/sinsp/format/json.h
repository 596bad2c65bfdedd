/* SPDX-License-Identifier: MIT */
/* The JSON forms of fields, for code that lists or documents them. */
#ifndef SINSP_FORMAT_JSON_H
#define SINSP_FORMAT_JSON_H

#include "sinsp/fields/field.h"

/*
 * The form of a field's value: the name of a definition in proto/event.schema.json. A list field
 * has several such values.
 */
const char *format_json_form(const struct field_desc *desc);

#endif
