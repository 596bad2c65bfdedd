/* SPDX-License-Identifier: MIT */
/*
 * Formats to columns: text, and after each `%` a field or a transformer. Nothing marks its end: the
 * longest valid one is used (%evt.numx is evt.num and the text x).
 */
#include <errno.h>
#include <string.h>

#include "sinsp/expr/lex.h"
#include "sinsp/fields/field.h"
#include "sinsp/format/formatter.h"
#include "util/utf8.h"

enum {
	FORMAT_BYTES_MAX = 1 << 16,
	WIDTH_MAX = 1 << 12,
	NAME_MAX_BYTES = 128, /* names of fields are shorter, their argument included */
};

struct format_parser {
	struct formatter *formatter;
	const char *text, *at;
	struct filter_error *err;
};

#define FORMAT_FAIL(p, ...)                                                                        \
	filter_error_set((p)->err, (p)->text, (size_t)((p)->at - (p)->text), __VA_ARGS__)

static int make_text(struct format_parser *p, const char *data, size_t len,
		     struct filter_text *text)
{
	text->data = arena_text(&p->formatter->arena, data, len);
	text->len = len;
	return text->data ? 0 : -ENOMEM;
}

static int parse_width(struct format_parser *p, unsigned int *width)
{
	const char *start = p->at;

	*width = 0;
	for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
		*width = *width * 10 + (unsigned int)(*p->at - '0');
		if (*width <= WIDTH_MAX)
			continue;
		p->at = start;
		return FORMAT_FAIL(p, "a width is no more than %d", WIDTH_MAX);
	}
	if (*p->at == '\0' && p->at > start)
		return FORMAT_FAIL(p, "a format cannot end with a number after '%%'");
	return 0;
}

/* Adds the operand `expr`, which ends before `end`. */
static int add(struct format_parser *p, struct format_token *token, const struct filter_expr *expr,
	       size_t end, struct filter_error *err)
{
	size_t start = (size_t)(p->at - p->text);
	int rc = make_text(p, p->at, end - start, &token->name);

	token->expr = expr;
	if (rc == 0)
		rc = format_add_column(p->formatter, token, p->text, err);
	if (rc == 0)
		p->at = p->text + end;
	return rc;
}

/* A transformer that does not accept brackets: they are text. */
static int add_without_selector(struct format_parser *p, struct format_token *token,
				struct filter_expr *call)
{
	call->selector = (struct filter_text){0};
	return add(p, token, call, call->selector_position, NULL);
}

/* Adds the longest prefix of the current word that is a field. */
static int add_shorter_field(struct format_parser *p, struct format_token *token)
{
	size_t start = (size_t)(p->at - p->text);
	size_t n = filter_lex_field(p->at);

	if (n > NAME_MAX_BYTES)
		n = NAME_MAX_BYTES;
	for (; n > 0; n--) {
		struct filter_expr expr = {.kind = FILTER_EXPR_FIELD, .position = start};
		int rc = make_text(p, p->at, n, &expr.text);

		if (rc == 0)
			rc = add(p, token, &expr, start + n, NULL);
		if (rc != -EINVAL)
			return rc;
	}
	return -EINVAL;
}

static int parse_token(struct format_parser *p, struct filter_text before)
{
	struct format_token token = {.before = before};
	struct filter_expr *expr = NULL;
	size_t end = 0;
	int rc;

	p->at++; /* '%' */
	if (*p->at == '%')
		return FORMAT_FAIL(p, "'%%' begins a field, always: it cannot be printed itself");
	if (*p->at == '\0')
		return FORMAT_FAIL(p, "a format cannot end with '%%'");
	rc = parse_width(p, &token.width);
	if (rc)
		return rc;
	rc = filter_parse_operand(p->text, (size_t)(p->at - p->text), &p->formatter->arena, &expr,
				  &end, p->err);
	if (rc == 0)
		rc = add(p, &token, expr, end, p->err);
	if (rc != -EINVAL)
		return rc;
	if (expr && expr->kind == FILTER_EXPR_CALL && expr->selector.data)
		return add_without_selector(p, &token, expr);
	return add_shorter_field(p, &token);
}

static size_t count_tokens(const char *format)
{
	size_t n = 0;

	while ((format = strchr(format, '%'))) {
		format++;
		n++;
	}
	return n;
}

/* Names that are not UTF-8 could not be distinguished as keys. */
static int check_keys(struct format_parser *p)
{
	const char *at = p->text, *end = at + strlen(at);
	uint32_t code_point;
	size_t n;

	while (at < end && (n = utf8_decode(at, (size_t)(end - at), &code_point)))
		at += n;
	if (at == end)
		return 0;
	p->at = at;
	return FORMAT_FAIL(p, "a format for JSON is UTF-8: its fields are the keys");
}

int format_parse(struct formatter *formatter, const char *format, struct filter_error *err)
{
	struct format_parser parser = {formatter, format, format, err};
	struct format_parser *p = &parser;
	int rc;

	if (format[0] == '\0')
		return FORMAT_FAIL(p, "the format is empty");
	if (strlen(format) > FORMAT_BYTES_MAX)
		return FORMAT_FAIL(p, "a format has no more than %d bytes", FORMAT_BYTES_MAX);
	rc = formatter->events->keyed ? check_keys(p) : 0;
	if (rc)
		return rc;
	formatter->missing = format[0] == '*' ? MISSING_IS_SHOWN : MISSING_DROPS_THE_LINE;
	p->at += format[0] == '*';
	rc = format_reserve(formatter, count_tokens(format));
	while (rc == 0) {
		size_t n = strcspn(p->at, "%");
		struct filter_text text;

		rc = make_text(p, p->at, n, &text);
		p->at += n;
		formatter->after = text;
		if (rc || *p->at == '\0')
			break;
		rc = parse_token(p, text);
	}
	return rc;
}
