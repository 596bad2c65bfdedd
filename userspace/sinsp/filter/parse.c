/* SPDX-License-Identifier: MIT */
/*
 * From text to tree: recursive descent, one function for each rule of the grammar. Words are
 * matched as prefixes: only the rules decide where one ends. The meaning of words is not known
 * here.
 */
#include <errno.h>

#include "sinsp/filter/parser.h"
#include "sinsp/fields/field.h"
#include "util/nearest.h"

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

static int make_node(struct parser *p, enum filter_node_kind kind, size_t at,
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

static bool is_word(const char *text, size_t len, const char *word)
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
		if (list[0] != '(' && (n == 0 || is_word(list, n, "and") ||
				       is_word(list, n, "or") || is_word(list, n, "not")))
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
	int rc = parser_value(p, &check->right);

	return rc ? rc : check_no_quantifier(p, value, (size_t)(p->at - value));
}

static int parse_operand(struct parser *p, enum operand operand, bool blank_before,
			 struct filter_node *check)
{
	int rc;

	if (operand == A_TEXT && blank_before) {
		check->quantifier = accept_quantifier(p);
		if (check->quantifier)
			return parser_list_or_name(p, &check->right);
	}
	rc = parser_right_field(p, &check->right);
	if (rc || check->right)
		return rc;
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

	if (is_word(p->at, n, "not"))
		return PARSER_FAIL(p, "expected %s, found 'not': it stands before the field",
				   expected);
	/* A sign is equally near to every operator. */
	if (n == 0)
		return parser_fail_expected(p, expected, NULL);
	nearest_init(&nearest, p->at, (size_t)parser_word_len(p));
	for (size_t i = 0; i < COUNT(ops); i++) {
		if (is_word(p->at, n, ops[i].word)) {
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
		int rc;

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
		rc = parser_enter(p, 2);
		if (rc)
			return rc;
		rc = parse_operand(p, ops[i].operand, blank > 0, check);
		parser_leave(p, 2);
		return rc;
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
	int rc;

	if (!n)
		return parser_fail_expected(p, a_check, p->at[0] == '!' ? "not" : NULL);
	rc = parser_enter(p, 1);
	if (rc)
		return rc;
	parser_leave(p, 1);
	p->at += n;
	if (!check_may_end(p)) {
		p->at -= n;
		return fail_check(p, n);
	}
	rc = make_node(p, FILTER_NODE_NAME, parser_position(p) - n, node);
	return rc ? rc : parser_make_text(p, p->at - n, n, &(*node)->name);
}

static int parse_paren(struct parser *p, struct filter_node **node);

static int parse_left(struct parser *p, struct filter_expr **left)
{
	size_t n = filter_lex_field(p->at);
	int call = parser_lex_call(p);
	int rc;

	if (!n)
		return parser_call(p, call, left);
	rc = parser_enter(p, DEPTH_FIELD);
	if (rc)
		return rc;
	rc = parser_field(p, n, left);
	parser_leave(p, DEPTH_FIELD);
	return rc;
}

static int parse_comparison(struct parser *p, struct filter_node **node)
{
	int rc = make_node(p, FILTER_NODE_CHECK, parser_position(p), node);

	if (rc == 0)
		rc = parse_left(p, &(*node)->left);
	if (rc == 0)
		rc = parser_enter(p, 1);
	if (rc)
		return rc;
	rc = parse_condition(p, *node);
	parser_leave(p, 1);
	return rc;
}

static int parse_check(struct parser *p, struct filter_node **node)
{
	int rc = parser_enter(p, 1);

	if (rc)
		return rc;
	parser_skip_blank(p);
	if (parser_accept(p, "("))
		rc = parse_paren(p, node);
	else if (filter_lex_field(p->at) || parser_lex_call(p) >= 0)
		rc = parse_comparison(p, node);
	else
		rc = parse_name(p, node);
	parser_leave(p, 1);
	return rc;
}

static int parse_not(struct parser *p, struct filter_node **node)
{
	struct filter_node *inverted = NULL;
	size_t start;
	bool negated = false;
	int rc = parser_enter(p, 1);

	if (rc)
		return rc;
	parser_skip_blank(p);
	start = parser_position(p);
	while (parser_starts_with(p, "not") && filter_lex_space(p->at + 3)) {
		p->at += 3 + filter_lex_space(p->at + 3);
		negated = !negated;
	}
	if (parser_accept(p, "not(")) {
		negated = !negated;
		rc = parse_paren(p, node);
	} else {
		rc = parse_check(p, node);
	}
	parser_leave(p, 1);
	if (rc || !negated)
		return rc;
	rc = make_node(p, FILTER_NODE_NOT, start, &inverted);
	if (rc)
		return rc;
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
	int rc = parser_enter(p, 1);

	if (rc)
		return rc;
	parser_skip_blank(p);
	start = parser_position(p);
	rc = element(p, link);
	for (parser_skip_blank(p); rc == 0 && parser_accept(p, word); parser_skip_blank(p)) {
		link = &(*link)->next;
		if (parser_accept(p, "("))
			rc = parse_paren(p, link);
		else if (filter_lex_blank(p->at))
			rc = element(p, link);
		else
			rc = parser_fail_expected(p, p->at[0] ? "a blank or '('" : a_check, NULL);
	}
	parser_leave(p, 1);
	if (rc)
		return rc;
	if (!first->next) {
		*node = first;
		return 0;
	}
	rc = make_node(p, kind, start, node);
	if (rc == 0)
		(*node)->first = first;
	return rc;
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
	int rc = parser_enter(p, 1);

	if (rc)
		return rc;
	rc = parse_or(p, node);
	parser_leave(p, 1);
	if (rc)
		return rc;
	parser_skip_blank(p);
	return parser_accept(p, ")") ? 0 : fail_joint(p, "'and', 'or' or ')'");
}

int filter_parse(const char *text, struct arena *arena, struct filter_node **root,
		 struct filter_error *err)
{
	struct parser parser = {.text = text, .at = text, .arena = arena, .err = err};
	struct filter_node *node = NULL;
	int rc;

	if (strlen(text) > FILTER_BYTES_MAX)
		return PARSER_FAIL(&parser, "the expression has %zu bytes; at most %d are allowed",
				   strlen(text), FILTER_BYTES_MAX);
	rc = parse_or(&parser, &node);
	if (rc)
		return rc;
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
	int rc;

	if (!filter_lex_field(p.at) && parser_lex_call(&p) < 0)
		return parser_fail_expected(&p, "a field or a transformer",
					    field_nearest(p.at, (size_t)parser_word_len(&p)));
	rc = parse_left(&p, &made);
	if (rc)
		return rc;
	*expr = made;
	*end = parser_position(&p);
	return 0;
}
