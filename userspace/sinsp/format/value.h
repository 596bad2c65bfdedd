/* SPDX-License-Identifier: MIT */
/*
 * Values of fields that are kept longer than their event, as text and as JSON: in the forms that
 * lines of events have, but for fields whose JSON is made of the whole event (evt.time, evt.args):
 * of these it is their text. For tables made of many events.
 */
#ifndef SINSP_FORMAT_VALUE_H
#define SINSP_FORMAT_VALUE_H

#include <stdbool.h>

#include "sinsp/fields/field.h"
#include "util/buf.h"

/*
 * Appends a value as a text without control characters. The value need not be of an event: its
 * bytes have to be valid during the call.
 */
void format_value_append_text(const struct field_ref *ref, const struct field_value *value,
			      struct buf *out);

/* Appends a value as JSON: a number, true or false, or a string, by the type of the field. */
void format_value_append_json(const struct field_ref *ref, const struct field_value *value,
			      struct buf *out);

#endif
