/* SPDX-License-Identifier: MIT */
/* Columns: a bound operand, and its writer for the format. */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/format/formatter.h"

int format_reserve(struct formatter *formatter, size_t n)
{
	formatter->columns = arena_alloc(&formatter->arena, n * sizeof(*formatter->columns));
	return formatter->columns ? 0 : -ENOMEM;
}

int column_evaluate(struct formatter *formatter, const struct format_column *column,
		    const struct sinsp_event *event)
{
	return operand_get(&column->operand, event, formatter->regs, &formatter->scratch);
}

static bool is_same(struct filter_text a, struct filter_text b)
{
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static struct format_column *find_key(const struct formatter *formatter, struct filter_text key)
{
	for (size_t i = 0; i < formatter->columns_count; i++)
		if (is_same(formatter->columns[i].before, key))
			return &formatter->columns[i];
	return NULL;
}

static int chain(struct formatter *formatter, struct format_column *first,
		 const struct format_column *column)
{
	struct format_column *copy;

	if (is_same(first->name, column->name) ||
	    column_is_of_container(first) != column_is_of_container(column))
		return 0;
	copy = arena_alloc(&formatter->arena, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *column;
	copy->otherwise = first->otherwise;
	first->otherwise = copy;
	return 0;
}

int format_place_column(struct formatter *formatter, const struct format_column *column)
{
	struct format_column *same =
		formatter->events->keyed ? find_key(formatter, column->before) : NULL;

	if (same)
		return formatter->schema ? chain(formatter, same, column) : 0;
	formatter->columns[formatter->columns_count++] = *column;
	return 0;
}

bool column_write_otherwise(struct formatter *formatter, const struct format_column *column,
			    const struct sinsp_event *event, struct buf *out, size_t at)
{
	while ((column = column->otherwise) && !out->failed) {
		out->len = at;
		if (column->write(formatter, column, event, out))
			return true;
	}
	return false;
}

int format_add_column(struct formatter *formatter, const struct format_token *token,
		      const char *text, struct filter_error *err)
{
	const struct operand_binder binder = {&formatter->arena, &formatter->refs, text, err};
	struct format_column column = {.name = token->name, .width = token->width};
	struct filter_operand *operand = &column.operand;
	int rc = operand_bind(&binder, token->expr, 0, operand);

	if (rc)
		return rc;
	if (operand->flags & FIELD_FILTER_ONLY)
		return filter_error_set(err, text, token->expr->position,
					"'%.60s' is for filters only", token->name.data);
	column.ref = operand->field;
	column.type = operand->type;
	column.format = column.ref ? column.ref->desc->format : PF_DEC;
	column.list = operand->list && !(column.ref && column.ref->has_arg);
	column.needs = operand->needs;
	rc = formatter->events->column_init(formatter, &column, token);
	if (rc == FORMAT_COLUMN_UNNEEDED)
		return 0;
	return rc ? rc : format_place_column(formatter, &column);
}

int format_add_field(struct formatter *formatter, struct filter_text name, const char *text,
		     size_t position, struct filter_error *err)
{
	struct filter_expr expr = {.kind = FILTER_EXPR_FIELD, .position = position, .text = name};
	struct format_token token = {.expr = &expr};

	expr.text.data = arena_text(&formatter->arena, name.data, name.len);
	if (!expr.text.data)
		return -ENOMEM;
	token.name = expr.text;
	if (formatter->columns_count)
		token.before = (struct filter_text){" ", 1};
	return format_add_column(formatter, &token, text, err);
}

int format_prepend_column(struct formatter *formatter, const struct format_column *column)
{
	size_t count = formatter->columns_count, heads = formatter->head_columns;
	struct format_column *columns =
		arena_alloc(&formatter->arena, (count + 1) * sizeof(*columns));

	if (!columns)
		return -ENOMEM;
	memcpy(columns, formatter->columns, heads * sizeof(*columns));
	columns[heads] = *column;
	memcpy(columns + heads + 1, formatter->columns + heads, (count - heads) * sizeof(*columns));
	formatter->columns = columns;
	formatter->columns_count++;
	return format_make_spans(formatter);
}

int format_keep_text(struct formatter *formatter, const struct buf *text, struct filter_text *kept)
{
	char *memory = text->failed ? NULL : arena_alloc(&formatter->arena, text->len + BUF_CHUNK);

	if (!memory)
		return -ENOMEM;
	if (text->len)
		memcpy(memory, text->data, text->len);
	*kept = (struct filter_text){memory, text->len};
	return 0;
}
