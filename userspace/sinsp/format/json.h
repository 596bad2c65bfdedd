/* SPDX-License-Identifier: MIT */
/* What JSON makes of fields, for those who list or describe it. */
#ifndef SINSP_FORMAT_JSON_H
#define SINSP_FORMAT_JSON_H

#include "sinsp/fields/field.h"

/*
 * The form of a field's value: the name of a definition in proto/event.schema.json. A field that is
 * a list has several of them.
 */
const char *format_json_form(const struct field_desc *desc);

#endif
