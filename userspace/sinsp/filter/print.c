/* SPDX-License-Identifier: MIT */
/*
 * From tree to canonical text. Only a text that parses unquoted to itself is printed without
 * quotes.
 */
#include "sinsp/filter/lex.h"
#include "sinsp/filter/tree.h"

static const char *const quantifier_names[] = {
	[FILTER_ANY_OF] = "anyof ",
	[FILTER_ALL_OF] = "allof ",
	[FILTER_ONE_OF] = "oneof ",
};

static void print_quoted(const struct filter_text *text, struct buf *out)
{
	buf_append_char(out, '"');
	for (size_t i = 0; i < text->len; i++) {
		unsigned char c = (unsigned char)text->data[i];

		/*
		 * A backslash is printed as its code: before the closing quote it would escape
		 * that.
		 */
		if (c < 0x20 || c == 0x7f || c == '\\')
			buf_printf(out, "\\x%02x", c);
		else if (c == '"')
			BUF_LITERAL(out, "\\\"");
		else
			buf_append_char(out, (char)c);
	}
	buf_append_char(out, '"');
}

/*
 * The parser accepts control characters other than white space without quotes; for readers they are
 * quoted.
 */
static bool print_is_plain(const struct filter_text *text)
{
	for (size_t i = 0; i < text->len; i++)
		if ((unsigned char)text->data[i] < 0x20 || text->data[i] == '\\')
			return false;
	return text->len && filter_lex_bare(text->data) == text->len;
}

static void print_value(const struct filter_expr *value, struct buf *out)
{
	if (print_is_plain(&value->text))
		buf_append(out, value->text.data, value->text.len);
	else
		print_quoted(&value->text, out);
}

static void print_arg(const struct filter_expr *arg, struct buf *out);

static void print_args(const struct filter_expr *first, struct buf *out)
{
	buf_append_char(out, '(');
	for (const struct filter_expr *arg = first; arg; arg = arg->next) {
		if (arg != first)
			buf_append_char(out, ',');
		print_arg(arg, out);
	}
	buf_append_char(out, ')');
}

/* An argument of a transformer, or a field or transformer on the left. */
static void print_arg(const struct filter_expr *arg, struct buf *out)
{
	switch (arg->kind) {
	case FILTER_EXPR_FIELD:
		buf_append(out, arg->text.data, arg->text.len);
		return;
	case FILTER_EXPR_LIST:
		print_args(arg->first, out);
		return;
	case FILTER_EXPR_TEXT:
		if (filter_lex_number(arg->text.data) == arg->text.len && arg->text.len)
			buf_append(out, arg->text.data, arg->text.len);
		else
			print_quoted(&arg->text, out);
		return;
	case FILTER_EXPR_CALL:
		buf_append_string(out, filter_call_name(arg->call));
		print_args(arg->first, out);
		if (arg->selector.data) {
			buf_append_char(out, '[');
			print_quoted(&arg->selector, out);
			buf_append_char(out, ']');
		}
		return;
	}
}

static void print_right(const struct filter_expr *right, struct buf *out)
{
	switch (right->kind) {
	case FILTER_EXPR_TEXT:
		print_value(right, out);
		return;
	case FILTER_EXPR_LIST:
		buf_append_char(out, '(');
		for (const struct filter_expr *value = right->first; value; value = value->next) {
			if (value != right->first)
				BUF_LITERAL(out, ", ");
			print_value(value, out);
		}
		buf_append_char(out, ')');
		return;
	case FILTER_EXPR_FIELD:
		buf_printf(out, "val(%s)", right->text.data);
		return;
	case FILTER_EXPR_CALL:
		print_arg(right, out);
		return;
	}
}

static void print_check(const struct filter_node *check, struct buf *out)
{
	print_arg(check->left, out);
	buf_printf(out, " %s", filter_op_name(check->op));
	if (!check->right)
		return;
	buf_append_char(out, ' ');
	if (check->quantifier)
		buf_append_string(out, quantifier_names[check->quantifier]);
	print_right(check->right, out);
}

static void print_joined(const struct filter_node *node, const char *word, struct buf *out)
{
	buf_append_char(out, '(');
	for (const struct filter_node *child = node->first; child; child = child->next) {
		if (child != node->first)
			buf_append_string(out, word);
		filter_print(child, out);
	}
	buf_append_char(out, ')');
}

void filter_print(const struct filter_node *node, struct buf *out)
{
	bool nested;

	switch (node->kind) {
	case FILTER_NODE_AND:
		print_joined(node, " and ", out);
		return;
	case FILTER_NODE_OR:
		print_joined(node, " or ", out);
		return;
	case FILTER_NODE_NOT:
		/* "not not" would be parsed as nothing. */
		nested = node->first->kind == FILTER_NODE_NOT;
		buf_append_string(out, nested ? "not (" : "not ");
		filter_print(node->first, out);
		buf_append_string(out, nested ? ")" : "");
		return;
	case FILTER_NODE_CHECK:
		print_check(node, out);
		return;
	case FILTER_NODE_NAME:
	case FILTER_NODE_SHARED:
		buf_append(out, node->name.data, node->name.len);
		return;
	}
}
