/* SPDX-License-Identifier: MIT */
/* Making formatters; the lines themselves are made by the kind. */
#include "sinsp/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/format_kinds.h"

static const struct format_kind *const kinds[] = {
	[FORMATTER_JSON] = &format_json,
	[FORMATTER_TEXT] = &format_text,
};

static int add_column(struct formatter *formatter, const char *text, struct error *err)
{
	struct format_column *column = &formatter->columns[formatter->columns_count];
	bool first = formatter->columns_count == 0;
	const char *field = text;
	size_t len = strlen(text);
	int rc;

	if (formatter->kind->brackets && len > 2 && text[0] == '(' && text[len - 1] == ')') {
		field++;
		len -= 2;
	}
	rc = field_ref_init(&column->ref, field, len, err);
	if (rc)
		return rc;
	formatter->columns_count++;
	if (column->ref.desc->flags & FIELD_FILTER_ONLY)
		return error_set(err, -EINVAL, "field '%s' is for filters only",
				 column->ref.desc->name);
	column->needs = column->ref.desc->needs;
	rc = formatter->kind->column_init(column, text, first);
	return rc ? error_set(err, rc, "out of memory") : 0;
}

static int add_columns(struct formatter *formatter, const char *const *fields, size_t n,
		       struct error *err)
{
	int rc = 0;

	if (!fields) {
		fields = formatter->kind->default_fields;
		for (n = 0; fields[n]; n++)
			;
	}
	formatter->columns = calloc(n ? n : 1, sizeof(*formatter->columns));
	if (!formatter->columns)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_column(formatter, fields[i], err);
	return rc;
}

int formatter_create(enum formatter_kind kind, const char *const *fields, size_t n,
		     struct formatter **formatter, struct error *err)
{
	struct formatter *made = calloc(1, sizeof(*made));
	int rc;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->kind = kinds[kind];
	rc = add_columns(made, fields, n, err);
	if (rc == 0 && made->kind->params && param_json_create(&made->params))
		rc = error_set(err, -ENOMEM, "out of memory");
	if (rc == 0)
		*formatter = made;
	else
		formatter_destroy(made);
	return rc;
}

void formatter_destroy(struct formatter *formatter)
{
	if (!formatter)
		return;
	for (size_t i = 0; i < formatter->columns_count; i++) {
		field_ref_finish(&formatter->columns[i].ref);
		free(formatter->columns[i].before);
	}
	free(formatter->columns);
	param_json_destroy(formatter->params);
	free(formatter);
}

void formatter_write(struct formatter *formatter, const struct sinsp_event *event, struct buf *out)
{
	size_t start = out->len;

	formatter->kind->write(formatter, event, out);
	if (out->failed)
		out->len = start;
}

unsigned int formatter_needs(const struct formatter *formatter)
{
	unsigned int needs = NEEDS_NOTHING;

	for (size_t i = 0; i < formatter->columns_count; i++)
		needs |= formatter->columns[i].needs;
	return needs;
}
