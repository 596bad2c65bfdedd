/* SPDX-License-Identifier: MIT */
/* JSON in another schema: keys and forms are looked up once, when a column is prepared. */
#include "sinsp/format/json.h"

#include <string.h>

#include "sinsp/format/forms.h"
#include "util/json.h"

/* The bytes before a value: a comma, the key, a colon. */
static int keep_key(struct formatter *formatter, const struct buf *key, struct filter_text *before)
{
	struct buf text = {0};
	int rc;

	buf_append_char(&text, ',');
	json_append_string(&text, key->data, key->len);
	buf_append_char(&text, ':');
	rc = format_keep_text(formatter, &text, before);
	buf_finish(&text);
	return rc;
}

static int keep_elsewhere(struct formatter *formatter, struct format_column *column)
{
	struct buf key = {0};
	int rc;

	output_schema_key(formatter->schema, column->name.data, column->name.len, 0, &key);
	rc = keep_key(formatter, &key, &column->elsewhere);
	buf_finish(&key);
	return rc;
}

static size_t field_length(const struct format_column *column)
{
	return column->ref ? strlen(column->ref->desc->name) : 0;
}

int json_schema_column_init(struct formatter *formatter, struct format_column *column,
			    const struct format_token *token)
{
	const struct schema_head *head = formatter->head;
	enum schema_form form;
	struct buf key = {0};
	int rc;

	if (head) {
		form = head->form;
		buf_append_string(&key, head->key);
	} else {
		form = output_schema_key(formatter->schema, token->name.data, token->name.len,
					 field_length(column), &key);
	}
	column->word = head ? head->constant : NULL;
	form_choose(column, form);
	rc = keep_key(formatter, &key, &column->before);
	if (rc == 0 && form == SCHEMA_FILE)
		rc = keep_elsewhere(formatter, column);
	buf_finish(&key);
	return rc;
}

void json_schema_append_constant(struct buf *out, const char *key, const char *text)
{
	buf_append_char(out, ',');
	json_append_string(out, key, strlen(key));
	buf_append_char(out, ':');
	json_append_string(out, text, strlen(text));
}
