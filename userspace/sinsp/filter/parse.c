/* SPDX-License-Identifier: MIT */
/* From text to tree: recursive descent, one function for each rule of the grammar. */
#include <errno.h>

#include "sinsp/fields/field.h"
#include "sinsp/filter/parser.h"
#include "sinsp/filter/operand.h"
#include "util/nearest.h"

/* The parts of checks: fields, transformers, constants and lists. */

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
	int r = make_expr(p, FILTER_EXPR_TEXT, expr);

	if (r == 0)
		r = parser_make_text(p, p->at, len, &(*expr)->text);
	if (r == 0)
		p->at += len;
	return r;
}

/* The next `len` bytes are a quoted string. */
static int parse_quoted(struct parser *p, size_t len, struct filter_expr **expr)
{
	const char *wrong;
	size_t at = 0;
	char *bytes = arena_alloc(p->arena, len);
	int r = make_expr(p, FILTER_EXPR_TEXT, expr);

	if (r || !bytes)
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
	int r = make_expr(p, FILTER_EXPR_FIELD, expr);

	if (r == 0 && name[len] == '[')
		r = lex_brackets(p, name + len, &brackets);
	if (r == 0)
		r = parser_make_text(p, name, len + brackets, &(*expr)->text);
	if (r == 0)
		p->at = name + len + brackets;
	return r;
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
		int r;

		parser_skip_blank(p);
		r = element(p, link);
		if (r)
			return r;
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
	int r = make_expr(p, FILTER_EXPR_LIST, expr);

	if (r)
		return r;
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
	int r = parser_enter(p, 1);

	if (r)
		return r;
	r = p->at[0] == '(' ? parse_list(p, parse_call_item, expr) : parse_call_item(p, expr);
	parser_leave(p, 1);
	return r;
}

static int parse_selector(struct parser *p, struct filter_text *selector)
{
	const char *open = p->at;
	struct filter_expr *quoted;
	size_t len, n;
	int r = lex_brackets(p, open, &len);

	if (r)
		return r;
	p->at = open + 1;
	n = filter_lex_quoted(p->at);
	if (!n) {
		p->at = open + len;
		return parser_make_text(p, open + 1, len - 2, selector);
	}
	r = parse_quoted(p, n, &quoted);
	if (r)
		return r;
	*selector = quoted->text;
	p->at = open + len;
	return 0;
}

int parser_call(struct parser *p, int call, struct filter_expr **expr)
{
	int r = parser_enter(p, DEPTH_CALL);

	if (r)
		return r;
	r = make_expr(p, FILTER_EXPR_CALL, expr);
	if (r)
		return r;
	(*expr)->call = (enum filter_call_kind)call;
	p->at += strlen(call_names[call]) + 1;
	r = parse_elements(p, parse_call_arg, &(*expr)->first);
	(*expr)->selector_position = parser_position(p);
	if (r == 0 && p->at[0] == '[')
		r = parse_selector(p, &(*expr)->selector);
	parser_leave(p, DEPTH_CALL);
	return r;
}

static int parse_val(struct parser *p, struct filter_expr **expr)
{
	size_t n;
	int r;

	parser_skip_blank(p);
	n = filter_lex_field(p->at);
	if (!n)
		return parser_fail_expected(p, "a field in val()", NULL);
	r = parser_field(p, n, expr);
	parser_skip_blank(p);
	if (r == 0 && !parser_accept(p, ")"))
		r = parser_fail_expected(p, "')'", NULL);
	return r;
}

/* A value taken from the event; `expr` stays NULL if there is none here. */
int parser_right_field(struct parser *p, struct filter_expr **expr)
{
	int call = parser_lex_call(p);
	int r;

	if (call < 0 && !parser_starts_with(p, "val("))
		return 0;
	r = parser_enter(p, 2);
	if (r)
		return r;
	r = call >= 0 ? parser_call(p, call, expr) : (p->at += 4, parse_val(p, expr));
	parser_leave(p, 2);
	return r;
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
	int r;

	if (!n)
		return parser_fail_expected(p, "a number", NULL);
	r = lex_unit(p, n, &unit);
	return r ? r : parse_plain(p, n + unit, expr);
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
	int r;

	if (p->at[0] == '(')
		return parse_list(p, parser_value, expr);
	if (!n)
		return parser_fail_expected(p, "a list", NULL);
	r = make_expr(p, FILTER_EXPR_LIST, expr);
	return r ? r : parse_plain(p, n, &(*expr)->first);
}

/*
 * From text to tree: recursive descent, one function for each rule of the grammar. Words are
 * matched as prefixes: only the rules decide where one ends. The meaning of words is not known
 * here.
 */

static const char *const op_names[] = {
	[FILTER_EXISTS] = "exists",
	[FILTER_EQ] = "=",
	[FILTER_NE] = "!=",
	[FILTER_LT] = "<",
	[FILTER_LE] = "<=",
	[FILTER_GT] = ">",
	[FILTER_GE] = ">=",
	[FILTER_IN] = "in",
	[FILTER_INTERSECTS] = "intersects",
	[FILTER_PMATCH] = "pmatch",
	[FILTER_GLOB] = "glob",
	[FILTER_IGLOB] = "iglob",
	[FILTER_CONTAINS] = "contains",
	[FILTER_ICONTAINS] = "icontains",
	[FILTER_BCONTAINS] = "bcontains",
	[FILTER_STARTSWITH] = "startswith",
	[FILTER_BSTARTSWITH] = "bstartswith",
	[FILTER_ENDSWITH] = "endswith",
	[FILTER_REGEX] = "regex",
};

/* What may follow an operator. */
enum operand { NOTHING, A_NUMBER, A_TEXT, A_LIST };

/* Operators in the order in which they are tried: a longer one before its prefix. */
static const struct {
	const char *word;
	enum filter_op op;
	enum operand operand;
	bool blank; /* must follow */
} ops[] = {
	{"exists", FILTER_EXISTS, NOTHING, false},
	{"<=", FILTER_LE, A_NUMBER, false},
	{"<", FILTER_LT, A_NUMBER, false},
	{">=", FILTER_GE, A_NUMBER, false},
	{">", FILTER_GT, A_NUMBER, false},
	{"==", FILTER_EQ, A_TEXT, false},
	{"=", FILTER_EQ, A_TEXT, false},
	{"!=", FILTER_NE, A_TEXT, false},
	{"glob", FILTER_GLOB, A_TEXT, true},
	{"iglob", FILTER_IGLOB, A_TEXT, true},
	{"contains", FILTER_CONTAINS, A_TEXT, true},
	{"icontains", FILTER_ICONTAINS, A_TEXT, true},
	{"bcontains", FILTER_BCONTAINS, A_TEXT, true},
	{"startswith", FILTER_STARTSWITH, A_TEXT, true},
	{"bstartswith", FILTER_BSTARTSWITH, A_TEXT, true},
	{"endswith", FILTER_ENDSWITH, A_TEXT, true},
	{"regex", FILTER_REGEX, A_TEXT, true},
	{"intersects", FILTER_INTERSECTS, A_LIST, false},
	{"in", FILTER_IN, A_LIST, false},
	{"pmatch", FILTER_PMATCH, A_LIST, false},
};

static const struct {
	const char *word;
	enum filter_quantifier quantifier;
} quantifiers[] = {
	{"oneof", FILTER_ONE_OF},
	{"anyof", FILTER_ANY_OF},
	{"allof", FILTER_ALL_OF},
};

const char *filter_op_name(enum filter_op op)
{
	return op_names[op];
}

static int parse_make_node(struct parser *p, enum filter_node_kind kind, size_t at,
			   struct filter_node **node)
{
	struct filter_node *made = arena_alloc(p->arena, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->kind = kind;
	made->position = at;
	*node = made;
	return 0;
}

static bool parse_is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* "oneof", "anyof" or "allof" before a list; as plain text it is not consumed. */
static enum filter_quantifier accept_quantifier(struct parser *p)
{
	for (size_t i = 0; i < COUNT(quantifiers); i++) {
		const char *list = p->at + strlen(quantifiers[i].word);
		size_t blank, n;

		if (!parser_starts_with(p, quantifiers[i].word))
			continue;
		blank = filter_lex_blank(list);
		if (!blank)
			continue;
		list += blank;
		n = filter_lex_identifier(list);
		if (list[0] != '(' &&
		    (n == 0 || parse_is_word(list, n, "and") || parse_is_word(list, n, "or") ||
		     parse_is_word(list, n, "not")))
			continue;
		p->at = list;
		return quantifiers[i].quantifier;
	}
	return FILTER_NO_QUANTIFIER;
}

/*
 * A value followed by "(" is an error: perhaps a modifier was intended, or lacks the blank before
 * it.
 */
static int check_no_quantifier(struct parser *p, const char *value, size_t len)
{
	struct nearest nearest;

	if (p->at[filter_lex_blank(p->at)] != '(')
		return 0;
	nearest_init(&nearest, value, len);
	for (size_t i = 0; i < COUNT(quantifiers); i++)
		nearest_offer(&nearest, quantifiers[i].word);
	if (!nearest.word)
		return 0;
	p->at = value;
	if (nearest.distance == 0)
		return PARSER_FAIL(p, "a blank is missing before '%.*s'", (int)len, value);
	return parser_fail_expected(p, "a modifier with a blank before it", nearest.word);
}

static int parse_text(struct parser *p, struct filter_node *check)
{
	const char *value = p->at;
	int r = parser_value(p, &check->right);

	return r ? r : check_no_quantifier(p, value, (size_t)(p->at - value));
}

static int parse_operand(struct parser *p, enum operand operand, bool blank_before,
			 struct filter_node *check)
{
	int r;

	if (operand == A_TEXT && blank_before) {
		check->quantifier = accept_quantifier(p);
		if (check->quantifier)
			return parser_list_or_name(p, &check->right);
	}
	r = parser_right_field(p, &check->right);
	if (r || check->right)
		return r;
	if (operand == A_LIST)
		return parser_list_or_name(p, &check->right);
	return operand == A_NUMBER ? parser_number(p, &check->right) : parse_text(p, check);
}

/* No operator begins here. */
static int fail_op(struct parser *p)
{
	static const char expected[] = "an operator";
	size_t n = filter_lex_identifier(p->at);
	struct nearest nearest;

	if (parse_is_word(p->at, n, "not"))
		return PARSER_FAIL(p, "expected %s, found 'not': it stands before the field",
				   expected);
	/* A sign is equally near to every operator. */
	if (n == 0)
		return parser_fail_expected(p, expected, NULL);
	nearest_init(&nearest, p->at, (size_t)parser_word_len(p));
	for (size_t i = 0; i < COUNT(ops); i++) {
		if (parse_is_word(p->at, n, ops[i].word)) {
			p->at += n;
			return parser_fail_expected(p, "a blank and a value", NULL);
		}
		nearest_offer(&nearest, ops[i].word);
	}
	return parser_fail_expected(p, expected, nearest.word);
}

static int parse_condition(struct parser *p, struct filter_node *check)
{
	parser_skip_blank(p);
	check->op_position = parser_position(p);
	for (size_t i = 0; i < COUNT(ops); i++) {
		const char *behind = p->at + strlen(ops[i].word);
		size_t blank;
		int r;

		if (!parser_starts_with(p, ops[i].word))
			continue;
		blank = filter_lex_blank(behind);
		if (ops[i].blank && !blank)
			continue;
		p->at = behind;
		check->op = ops[i].op;
		if (ops[i].operand == NOTHING)
			return 0;
		p->at += blank;
		r = parser_enter(p, 2);
		if (r)
			return r;
		r = parse_operand(p, ops[i].operand, blank > 0, check);
		parser_leave(p, 2);
		return r;
	}
	return fail_op(p);
}

/* Whether the following text (after blanks) can follow a complete check. */
static bool check_may_end(const struct parser *p)
{
	const char *next = p->at + filter_lex_blank(p->at);

	return *next == '\0' || *next == ')' || strncmp(next, "and", 3) == 0 ||
	       strncmp(next, "or", 2) == 0;
}

/* Reports a wrong word at the beginning of a check, with the one probably intended. */
static int fail_check(struct parser *p, size_t n)
{
	static const char not [] = "not";
	struct nearest nearest;

	if (p->at[n] == '(')
		return parser_fail_call(p, n);
	nearest_init(&nearest, p->at, n);
	nearest_offer(&nearest, not );
	if (!nearest.word)
		nearest.word = field_nearest(p->at, (size_t)parser_word_len(p));
	return parser_fail_expected(p, "a field", nearest.word);
}

/* Reports text that cannot follow a complete check. */
static int fail_joint(struct parser *p, const char *expected)
{
	static const struct {
		const char *word, *meant;
	} words[] = {{"and", "and"}, {"or", "or"}, {"&&", "and"}, {"||", "or"}, {"&", "and"}};
	const char *meant = NULL;
	struct nearest nearest;

	/* A single sign such as ')' is near to '&', but was probably not intended as one. */
	if (!filter_lex_identifier(p->at) && !strchr("&|", p->at[0]))
		return parser_fail_expected(p, expected, NULL);
	nearest_init(&nearest, p->at, (size_t)parser_word_len(p));
	for (size_t i = 0; i < COUNT(words); i++) {
		nearest_offer(&nearest, words[i].word);
		if (nearest.word == words[i].word)
			meant = words[i].meant;
	}
	return parser_fail_expected(p, expected, meant);
}

/* What can begin a check, for messages. */
static const char a_check[] = "a field, a transformer, 'not' or '('";

/* A single identifier; usually a misspelt field. */
static int parse_name(struct parser *p, struct filter_node **node)
{
	size_t n = filter_lex_identifier(p->at);
	int r;

	if (!n)
		return parser_fail_expected(p, a_check, p->at[0] == '!' ? "not" : NULL);
	r = parser_enter(p, 1);
	if (r)
		return r;
	parser_leave(p, 1);
	p->at += n;
	if (!check_may_end(p)) {
		p->at -= n;
		return fail_check(p, n);
	}
	r = parse_make_node(p, FILTER_NODE_NAME, parser_position(p) - n, node);
	return r ? r : parser_make_text(p, p->at - n, n, &(*node)->name);
}

static int parse_paren(struct parser *p, struct filter_node **node);

static int parse_left(struct parser *p, struct filter_expr **left)
{
	size_t n = filter_lex_field(p->at);
	int call = parser_lex_call(p);
	int r;

	if (!n)
		return parser_call(p, call, left);
	r = parser_enter(p, DEPTH_FIELD);
	if (r)
		return r;
	r = parser_field(p, n, left);
	parser_leave(p, DEPTH_FIELD);
	return r;
}

static int parse_comparison(struct parser *p, struct filter_node **node)
{
	int r = parse_make_node(p, FILTER_NODE_CHECK, parser_position(p), node);

	if (r == 0)
		r = parse_left(p, &(*node)->left);
	if (r == 0)
		r = parser_enter(p, 1);
	if (r)
		return r;
	r = parse_condition(p, *node);
	parser_leave(p, 1);
	return r;
}

static int parse_check(struct parser *p, struct filter_node **node)
{
	int r = parser_enter(p, 1);

	if (r)
		return r;
	parser_skip_blank(p);
	if (parser_accept(p, "("))
		r = parse_paren(p, node);
	else if (filter_lex_field(p->at) || parser_lex_call(p) >= 0)
		r = parse_comparison(p, node);
	else
		r = parse_name(p, node);
	parser_leave(p, 1);
	return r;
}

static int parse_not(struct parser *p, struct filter_node **node)
{
	struct filter_node *inverted = NULL;
	size_t start;
	bool negated = false;
	int r = parser_enter(p, 1);

	if (r)
		return r;
	parser_skip_blank(p);
	start = parser_position(p);
	while (parser_starts_with(p, "not") && filter_lex_space(p->at + 3)) {
		p->at += 3 + filter_lex_space(p->at + 3);
		negated = !negated;
	}
	if (parser_accept(p, "not(")) {
		negated = !negated;
		r = parse_paren(p, node);
	} else {
		r = parse_check(p, node);
	}
	parser_leave(p, 1);
	if (r || !negated)
		return r;
	r = parse_make_node(p, FILTER_NODE_NOT, start, &inverted);
	if (r)
		return r;
	inverted->first = *node;
	*node = inverted;
	return 0;
}

/* Elements joined by a word: `element` parses one; a single element is itself the result. */
static int parse_joined(struct parser *p, enum filter_node_kind kind, const char *word,
			int (*element)(struct parser *p, struct filter_node **node),
			struct filter_node **node)
{
	struct filter_node *first = NULL;
	struct filter_node **link = &first;
	size_t start;
	int r = parser_enter(p, 1);

	if (r)
		return r;
	parser_skip_blank(p);
	start = parser_position(p);
	r = element(p, link);
	for (parser_skip_blank(p); r == 0 && parser_accept(p, word); parser_skip_blank(p)) {
		link = &(*link)->next;
		if (parser_accept(p, "("))
			r = parse_paren(p, link);
		else if (filter_lex_blank(p->at))
			r = element(p, link);
		else
			r = parser_fail_expected(p, p->at[0] ? "a blank or '('" : a_check, NULL);
	}
	parser_leave(p, 1);
	if (r)
		return r;
	if (!first->next) {
		*node = first;
		return 0;
	}
	r = parse_make_node(p, kind, start, node);
	if (r == 0)
		(*node)->first = first;
	return r;
}

static int parse_and(struct parser *p, struct filter_node **node)
{
	return parse_joined(p, FILTER_NODE_AND, "and", parse_not, node);
}

static int parse_or(struct parser *p, struct filter_node **node)
{
	return parse_joined(p, FILTER_NODE_OR, "or", parse_and, node);
}

/* What follows "(". */
static int parse_paren(struct parser *p, struct filter_node **node)
{
	int r = parser_enter(p, 1);

	if (r)
		return r;
	r = parse_or(p, node);
	parser_leave(p, 1);
	if (r)
		return r;
	parser_skip_blank(p);
	return parser_accept(p, ")") ? 0 : fail_joint(p, "'and', 'or' or ')'");
}

int filter_parse(const char *text, struct arena *arena, struct filter_node **root,
		 struct filter_error *err)
{
	struct parser parser = {.text = text, .at = text, .arena = arena, .err = err};
	struct filter_node *node = NULL;
	int r;

	if (strlen(text) > FILTER_BYTES_MAX)
		return PARSER_FAIL(&parser, "the expression has %zu bytes; at most %d are allowed",
				   strlen(text), FILTER_BYTES_MAX);
	r = parse_or(&parser, &node);
	if (r)
		return r;
	if (parser.at[0] != '\0')
		return fail_joint(&parser, "'and', 'or' or the end");
	*root = node;
	return 0;
}

int filter_parse_operand(const char *text, size_t position, struct arena *arena,
			 struct filter_expr **expr, size_t *end, struct filter_error *err)
{
	struct parser p = {.text = text, .at = text + position, .arena = arena, .err = err};
	struct filter_expr *made = NULL;
	int r;

	if (!filter_lex_field(p.at) && parser_lex_call(&p) < 0)
		return parser_fail_expected(&p, "a field or a transformer",
					    field_nearest(p.at, (size_t)parser_word_len(&p)));
	r = parse_left(&p, &made);
	if (r)
		return r;
	*expr = made;
	*end = parser_position(&p);
	return 0;
}
