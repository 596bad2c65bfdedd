/* SPDX-License-Identifier: MIT */
/* The parts of checks: fields, transformers, constants and lists. */
#include <errno.h>

#include "sinsp/filter/parser.h"
#include "sinsp/filter/unit.h"
#include "util/nearest.h"

static const char *const call_names[] = {
	[FILTER_TOLOWER] = "tolower",	[FILTER_TOUPPER] = "toupper", [FILTER_B64] = "b64",
	[FILTER_BASENAME] = "basename", [FILTER_LEN] = "len",	      [FILTER_JOIN] = "join",
	[FILTER_CONCAT] = "concat",	[FILTER_GETOPT] = "getopt",
};

const char *filter_call_name(enum filter_call_kind call)
{
	return call_names[call];
}

/* The current word, for messages: up to the next blank, of limited length. */
int parser_word_len(const struct parser *p)
{
	size_t n = strcspn(p->at, " \t\b\r\n\v\f()=,");

	if (n == 0)
		n = p->at[0] != '\0';
	return n < 40 ? (int)n : 40;
}

/* "expected ..., found ...", with the nearest valid word if there is one. */
int parser_fail_expected(struct parser *p, const char *what, const char *nearest)
{
	if (p->at[0] == '\0')
		return PARSER_FAIL(p, "expected %s, found the end", what);
	if (nearest)
		return PARSER_FAIL(p, "expected %s, found '%.*s'; did you mean '%s'?", what,
				   parser_word_len(p), p->at, nearest);
	return PARSER_FAIL(p, "expected %s, found '%.*s'", what, parser_word_len(p), p->at);
}

/* Increases the depth by `cost`; on success the caller must call parser_leave(). */
int parser_enter(struct parser *p, unsigned int cost)
{
	if (p->depth + cost > DEPTH_MAX)
		return PARSER_FAIL(p, "the expression is nested too deeply");
	p->depth += cost;
	return 0;
}

int parser_make_text(struct parser *p, const char *data, size_t len, struct filter_text *text)
{
	text->data = arena_text(p->arena, data, len);
	text->len = len;
	return text->data ? 0 : -ENOMEM;
}

static int make_expr(struct parser *p, enum filter_expr_kind kind, struct filter_expr **expr)
{
	struct filter_expr *made = arena_alloc(p->arena, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->kind = kind;
	made->position = parser_position(p);
	*expr = made;
	return 0;
}

/* A constant of the next `len` bytes, unchanged. */
static int parse_plain(struct parser *p, size_t len, struct filter_expr **expr)
{
	int rc = make_expr(p, FILTER_EXPR_TEXT, expr);

	if (rc == 0)
		rc = parser_make_text(p, p->at, len, &(*expr)->text);
	if (rc == 0)
		p->at += len;
	return rc;
}

/* The next `len` bytes are a quoted string. */
static int parse_quoted(struct parser *p, size_t len, struct filter_expr **expr)
{
	const char *wrong;
	size_t at = 0;
	char *bytes = arena_alloc(p->arena, len);
	int rc = make_expr(p, FILTER_EXPR_TEXT, expr);

	if (rc || !bytes)
		return -ENOMEM;
	wrong = filter_lex_unquote(p->at, len, bytes, &(*expr)->text.len, &at);
	if (wrong) {
		p->at += 1 + at;
		return PARSER_FAIL(p, "%s", wrong);
	}
	bytes[(*expr)->text.len] = '\0';
	(*expr)->text.data = bytes;
	p->at += len;
	return 0;
}

/* The length of the bracketed argument, "[" and "]" included. */
static int lex_brackets(struct parser *p, const char *open, size_t *len)
{
	size_t n = filter_lex_quoted(open + 1);

	if (n == 0)
		n = filter_lex_bare_arg(open + 1);
	p->at = open + 1;
	if (n == 0)
		return parser_fail_expected(p, "an argument", NULL);
	p->at += n;
	if (p->at[0] != ']')
		return parser_fail_expected(p, "']'", NULL);
	*len = n + 2;
	return 0;
}

/* The next `len` bytes are the name of a field. */
int parser_field(struct parser *p, size_t len, struct filter_expr **expr)
{
	const char *name = p->at;
	size_t brackets = 0;
	int rc = make_expr(p, FILTER_EXPR_FIELD, expr);

	if (rc == 0 && name[len] == '[')
		rc = lex_brackets(p, name + len, &brackets);
	if (rc == 0)
		rc = parser_make_text(p, name, len + brackets, &(*expr)->text);
	if (rc == 0)
		p->at = name + len + brackets;
	return rc;
}

/* The transformer whose name and "(" come next, or -1. */
int parser_lex_call(const struct parser *p)
{
	for (size_t i = 0; i < COUNT(call_names); i++)
		if (parser_starts_with(p, call_names[i]) && p->at[strlen(call_names[i])] == '(')
			return (int)i;
	return -1;
}

/* A word of `n` bytes before "(" that is no transformer. */
int parser_fail_call(struct parser *p, size_t n)
{
	struct nearest nearest;

	nearest_init(&nearest, p->at, n);
	for (size_t i = 0; i < COUNT(call_names); i++)
		nearest_offer(&nearest, call_names[i]);
	return parser_fail_expected(p, "a transformer", nearest.word);
}

/* Elements up to ")"; "(" has been read. `element` parses one. */
static int parse_elements(struct parser *p,
			  int (*element)(struct parser *p, struct filter_expr **expr),
			  struct filter_expr **link)
{
	for (;;) {
		int rc;

		parser_skip_blank(p);
		rc = element(p, link);
		if (rc)
			return rc;
		link = &(*link)->next;
		parser_skip_blank(p);
		if (parser_accept(p, ")"))
			return 0;
		if (!parser_accept(p, ","))
			return parser_fail_expected(p, "',' or ')'", NULL);
	}
}

static int parse_list(struct parser *p, int (*element)(struct parser *p, struct filter_expr **expr),
		      struct filter_expr **expr)
{
	int rc = make_expr(p, FILTER_EXPR_LIST, expr);

	if (rc)
		return rc;
	p->at++; /* "(" */
	parser_skip_blank(p);
	return parser_accept(p, ")") ? 0 : parse_elements(p, element, &(*expr)->first);
}

static int parse_call_item(struct parser *p, struct filter_expr **expr)
{
	int call = parser_lex_call(p);
	size_t n = filter_lex_identifier(p->at);

	if (call >= 0)
		return parser_call(p, call, expr);
	if (n && p->at[n] == '(')
		return parser_fail_call(p, n);
	if ((n = filter_lex_field(p->at)))
		return parser_field(p, n, expr);
	if ((n = filter_lex_number(p->at)))
		return parse_plain(p, n, expr);
	if ((n = filter_lex_quoted(p->at)))
		return parse_quoted(p, n, expr);
	return parser_fail_expected(p, "a field, a quoted text, a number or a transformer", NULL);
}

static int parse_call_arg(struct parser *p, struct filter_expr **expr)
{
	int rc = parser_enter(p, 1);

	if (rc)
		return rc;
	rc = p->at[0] == '(' ? parse_list(p, parse_call_item, expr) : parse_call_item(p, expr);
	parser_leave(p, 1);
	return rc;
}

static int parse_selector(struct parser *p, struct filter_text *selector)
{
	const char *open = p->at;
	struct filter_expr *quoted;
	size_t len, n;
	int rc = lex_brackets(p, open, &len);

	if (rc)
		return rc;
	p->at = open + 1;
	n = filter_lex_quoted(p->at);
	if (!n) {
		p->at = open + len;
		return parser_make_text(p, open + 1, len - 2, selector);
	}
	rc = parse_quoted(p, n, &quoted);
	if (rc)
		return rc;
	*selector = quoted->text;
	p->at = open + len;
	return 0;
}

int parser_call(struct parser *p, int call, struct filter_expr **expr)
{
	int rc = parser_enter(p, DEPTH_CALL);

	if (rc)
		return rc;
	rc = make_expr(p, FILTER_EXPR_CALL, expr);
	if (rc)
		return rc;
	(*expr)->call = (enum filter_call_kind)call;
	p->at += strlen(call_names[call]) + 1;
	rc = parse_elements(p, parse_call_arg, &(*expr)->first);
	(*expr)->selector_position = parser_position(p);
	if (rc == 0 && p->at[0] == '[')
		rc = parse_selector(p, &(*expr)->selector);
	parser_leave(p, DEPTH_CALL);
	return rc;
}

static int parse_val(struct parser *p, struct filter_expr **expr)
{
	size_t n;
	int rc;

	parser_skip_blank(p);
	n = filter_lex_field(p->at);
	if (!n)
		return parser_fail_expected(p, "a field in val()", NULL);
	rc = parser_field(p, n, expr);
	parser_skip_blank(p);
	if (rc == 0 && !parser_accept(p, ")"))
		rc = parser_fail_expected(p, "')'", NULL);
	return rc;
}

/* A value taken from the event; `expr` stays NULL if there is none here. */
int parser_right_field(struct parser *p, struct filter_expr **expr)
{
	int call = parser_lex_call(p);
	int rc;

	if (call < 0 && !parser_starts_with(p, "val("))
		return 0;
	rc = parser_enter(p, 2);
	if (rc)
		return rc;
	rc = call >= 0 ? parser_call(p, call, expr) : (p->at += 4, parse_val(p, expr));
	parser_leave(p, 2);
	return rc;
}

/* The length of the unit after a number of `n` bytes; "and" or "or" may follow instead. */
static int lex_unit(struct parser *p, size_t n, size_t *len)
{
	const char *word = p->at + n;

	*len = filter_lex_identifier(word);
	if (strncmp(word, "and", 3) == 0 || strncmp(word, "or", 2) == 0)
		*len = 0;
	if (*len == 0 || filter_unit_is_known(word, *len))
		return 0;
	p->at = word;
	return PARSER_FAIL(p, "unknown unit '%.*s'; there are %s", parser_word_len(p), word,
			   filter_unit_words);
}

int parser_number(struct parser *p, struct filter_expr **expr)
{
	size_t n = filter_lex_number(p->at), unit;
	int rc;

	if (!n)
		return parser_fail_expected(p, "a number", NULL);
	rc = lex_unit(p, n, &unit);
	return rc ? rc : parse_plain(p, n + unit, expr);
}

int parser_value(struct parser *p, struct filter_expr **expr)
{
	size_t n = filter_lex_quoted(p->at);

	if (n)
		return parse_quoted(p, n, expr);
	n = filter_lex_bare(p->at);
	if (n)
		return parse_plain(p, n, expr);
	if (p->at[0] == '"' || p->at[0] == '\'')
		return PARSER_FAIL(p, "expected a text, found a quote that has no end");
	if (p->at[0] == '(')
		return PARSER_FAIL(p, "expected a value, found '('; before a list stands 'in', or "
				      "one of 'anyof', 'allof' and 'oneof'");
	return parser_fail_expected(p, "a value", NULL);
}

/* A list, or an identifier, which is a list of itself. */
int parser_list_or_name(struct parser *p, struct filter_expr **expr)
{
	size_t n = filter_lex_identifier(p->at);
	int rc;

	if (p->at[0] == '(')
		return parse_list(p, parser_value, expr);
	if (!n)
		return parser_fail_expected(p, "a list", NULL);
	rc = make_expr(p, FILTER_EXPR_LIST, expr);
	return rc ? rc : parse_plain(p, n, &(*expr)->first);
}
