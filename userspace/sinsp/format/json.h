/* SPDX-License-Identifier: MIT */
/* Parts of the format json: forms of values by the type of a field or of a transformer. */
#ifndef SINSP_FORMAT_JSON_H
#define SINSP_FORMAT_JSON_H

#include "sinsp/format/formatter_impl.h"

/* Parts of the format json that have files of their own. */

/* Of struct format_records; in json_records.c. */
int json_id_column_init(struct formatter *formatter, struct format_column *column,
			const char *stream);
void json_append_drop(const struct format_drop *drop, struct buf *out);
void json_append_end(const struct format_end *end, struct buf *out);
void json_mark_redelivered(const struct schema *schema, const char *record, size_t len,
			   struct buf *out);

/*
 * Columns in another schema, and constant texts, as column_init and append_constant of struct
 * format_events; in json_schema.c.
 */
int json_schema_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token);
void json_schema_append_constant(struct buf *out, const char *key, const char *text);

/* The JSON forms of values, by the type of a field or of a transformer. */

/* Forms of values. */
enum json_form {
	JSON_BOOLEAN,
	JSON_SIGNED,
	JSON_UNSIGNED,
	JSON_DOUBLE,
	JSON_HEX,
	JSON_DURATION,
	JSON_MOMENT,
	JSON_ADDRESS,
	JSON_TEXT,
	JSON_FORMS_COUNT,
};

/* The form of each value of a column. */
enum json_form json_form_of(const struct format_column *column);

/* The form of each value of a field, by its type and that of its argument. */
enum json_form json_form_of_ref(const struct field_ref *ref);

/*
 * The form of a field's value: the name of a definition in proto/event.schema.json. A list field
 * has several such values.
 */
const char *format_json_form(const struct field_desc *desc);

#endif
