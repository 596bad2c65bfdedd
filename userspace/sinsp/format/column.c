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

static bool has_column(const struct formatter *formatter, struct filter_text name)
{
	for (size_t i = 0; i < formatter->columns_count; i++) {
		const struct filter_text *other = &formatter->columns[i].name;

		if (other->len == name.len && memcmp(other->data, name.data, name.len) == 0)
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
	if (formatter->events->keyed && has_column(formatter, token->name))
		return 0;
	column.ref = operand->field;
	column.type = operand->type;
	column.format = column.ref ? column.ref->desc->format : PF_DEC;
	column.list = operand->list && !(column.ref && column.ref->has_arg);
	column.needs = operand->needs;
	rc = formatter->events->column_init(formatter, &column, token);
	if (rc == 0)
		formatter->columns[formatter->columns_count++] = column;
	return rc;
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
