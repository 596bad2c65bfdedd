/* SPDX-License-Identifier: MIT */
/*
 * Random trees of every construct of the language: printed, and parsed again, a tree is the same,
 * prints alike and answers alike; so does the same tree written by somebody with other habits.
 * What it should answer is worked out here from the answers of its checks one by one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_fields.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"
#include "unit.h"

enum { ROUNDS = UNIT_ROUNDS(1500), EVENTS = 6, DEPTH = 4 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t seed;

/* Below `n`. */
static unsigned int pick(size_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (unsigned int)((seed >> 8) % n);
}

#define PICK(array) (array)[pick(COUNT(array))]

/* What can stand on either side: how it is compared, and what with. */
static const struct kind {
	const char *fields[4]; /* of one type, ended by NULL */
	const char *constants[8];
	enum filter_op ops[16]; /* ended by EXISTS, which goes with all */
	bool lists;
} kinds[] = {
	{{"text.a", "text.b", "text.none"},
	 {"a", "B", "", "it's \"so\"", "a\\", "\t\n\x01\x7f", "caf\xc3\xa9\xff", "or (x, y)"},
	 {FILTER_EQ, FILTER_NE, FILTER_CONTAINS, FILTER_ICONTAINS, FILTER_STARTSWITH,
	  FILTER_ENDSWITH, FILTER_GLOB, FILTER_IGLOB, FILTER_IN, FILTER_INTERSECTS, FILTER_PMATCH,
	  FILTER_REGEX}},
	{{"num.i64"},
	 {"1", "-1", "0x1f", "+7", "0", "007", "99999999999999999999", "2"},
	 {FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE, FILTER_IN,
	  FILTER_INTERSECTS}},
	{{"time.ns", "type.RELTIME"},
	 {"1", "1us", "0.5ms", "1000", "2s", "1.000d", "3h", "4m"},
	 {FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE, FILTER_IN,
	  FILTER_INTERSECTS}},
	{{"bytes.a", "bytes.b"},
	 {"61", "6162", "", "0061", "41", "ff", "7f00", "20"},
	 {FILTER_EQ, FILTER_NE, FILTER_CONTAINS, FILTER_BCONTAINS, FILTER_STARTSWITH,
	  FILTER_BSTARTSWITH, FILTER_ENDSWITH, FILTER_IN, FILTER_INTERSECTS}},
	{{"ip.a", "ip.b"},
	 {"1.2.3.4", "::1", "fe80::1", "10.0.0.1", "1.2.3.5", "::", "8.8.8.8", "::2"},
	 {FILTER_EQ, FILTER_NE, FILTER_IN, FILTER_INTERSECTS}},
	{{"bool.a", "type.BOOL"},
	 {"true", "false", "true", "false", "true", "false", "true", "false"},
	 {FILTER_EQ, FILTER_NE, FILTER_IN, FILTER_INTERSECTS}},
	{{"list.text", "list.other"},
	 {"a", "B", "", "x y", "(", "and", "a,b", "="},
	 {FILTER_IN, FILTER_INTERSECTS},
	 true},
};

static struct arena arena;

static void *make(size_t size)
{
	void *made = arena_alloc(&arena, size);

	assert_non_null(made);
	return made;
}

static struct filter_expr *make_expr(enum filter_expr_kind kind, const char *text)
{
	struct filter_expr *expr = make(sizeof(*expr));

	expr->kind = kind;
	if (text)
		expr->text = (struct filter_text){text, strlen(text)};
	return expr;
}

static struct filter_expr *make_call(enum filter_call_kind call, struct filter_expr *first,
				     struct filter_expr *second)
{
	struct filter_expr *expr = make_expr(FILTER_EXPR_CALL, NULL);

	expr->call = call;
	expr->first = first;
	first->next = second;
	return expr;
}

static const char *pick_field(const struct kind *kind)
{
	size_t n = 0;

	while (n < COUNT(kind->fields) && kind->fields[n])
		n++;
	return kind->fields[pick(n)];
}

static struct filter_expr *make_text(unsigned int depth);

/* A list that is written out, or a field. */
static struct filter_expr *make_list(unsigned int depth)
{
	struct filter_expr *list, **link;

	if (pick(3) == 0)
		return make_expr(FILTER_EXPR_FIELD, pick(2) ? "list.text" : "list.other");
	list = make_expr(FILTER_EXPR_LIST, NULL);
	link = &list->first;
	for (unsigned int n = pick(4); n > 0; n--) {
		*link = pick(4) ? make_text(depth + 1) : make_expr(FILTER_EXPR_FIELD, "num.i64");
		link = &(*link)->next;
	}
	return list;
}

/* Something that is one text. */
static struct filter_expr *make_text(unsigned int depth)
{
	static const enum filter_call_kind changes[] = {FILTER_TOLOWER, FILTER_TOUPPER,
							FILTER_BASENAME, FILTER_B64};
	struct filter_expr *call;

	switch (depth > 2 ? pick(3) : pick(7)) {
	case 0:
		return make_expr(FILTER_EXPR_TEXT, PICK(kinds[0].constants));
	case 1:
		return make_expr(FILTER_EXPR_TEXT, pick(2) ? "15" : "0x1F");
	case 2:
		return make_expr(FILTER_EXPR_FIELD, pick_field(&kinds[0]));
	case 3:
		return make_call(PICK(changes), make_text(depth + 1), NULL);
	case 4:
		return make_call(FILTER_CONCAT, make_text(depth + 1), make_text(depth + 1));
	case 5:
		return make_call(FILTER_JOIN, make_text(depth + 1), make_list(depth + 1));
	default:
		call = make_call(FILTER_GETOPT, make_list(depth + 1),
				 make_expr(FILTER_EXPR_TEXT, "ab:c"));
		call->selector = (struct filter_text){pick(2) ? "a" : "b", 1};
		return call;
	}
}

static struct filter_expr *make_left(const struct kind *kind)
{
	if (kind == &kinds[0] && pick(2)) {
		struct filter_expr *text = make_text(0);

		while (text->kind == FILTER_EXPR_TEXT)
			text = make_text(0);
		return text;
	}
	if (kind->lists && pick(2))
		return make_call(FILTER_TOLOWER, make_expr(FILTER_EXPR_FIELD, pick_field(kind)),
				 NULL);
	return make_expr(FILTER_EXPR_FIELD, pick_field(kind));
}

static bool is_ordering(enum filter_op op)
{
	return op == FILTER_LT || op == FILTER_LE || op == FILTER_GT || op == FILTER_GE;
}

static bool takes_list(enum filter_op op)
{
	return op == FILTER_IN || op == FILTER_INTERSECTS || op == FILTER_PMATCH;
}

static struct filter_expr *make_constant(const struct kind *kind, enum filter_op op)
{
	const char *text = PICK(kind->constants);

	return make_expr(FILTER_EXPR_TEXT, op == FILTER_REGEX ? "[ab]?(.|\n)*" : text);
}

static struct filter_expr *make_constants(const struct kind *kind, enum filter_op op)
{
	struct filter_expr *list = make_expr(FILTER_EXPR_LIST, NULL);
	struct filter_expr **link = &list->first;

	for (unsigned int n = pick(12); n > 0; n--) {
		*link = make_constant(kind, op);
		link = &(*link)->next;
	}
	return list;
}

static void make_right(const struct kind *kind, struct filter_node *check)
{
	static const enum filter_quantifier quantifiers[] = {FILTER_ANY_OF, FILTER_ALL_OF,
							     FILTER_ONE_OF};
	bool constant_only = check->op == FILTER_PMATCH || check->op == FILTER_REGEX;

	/* Only one type each has a second field. */
	if (!constant_only && check->left->kind == FILTER_EXPR_FIELD && pick(4) == 0)
		check->right = make_expr(FILTER_EXPR_FIELD, pick_field(kind));
	else if (!constant_only && kind == &kinds[0] && pick(4) == 0)
		check->right = make_call(FILTER_TOUPPER, make_text(1), NULL);
	else if (takes_list(check->op))
		check->right = make_constants(kind, check->op);
	else if (!is_ordering(check->op) && pick(3) == 0) {
		check->quantifier = PICK(quantifiers);
		check->right = make_constants(kind, check->op);
	} else {
		check->right = make_constant(kind, check->op);
	}
}

static struct filter_node *make_check(void)
{
	const struct kind *kind = &PICK(kinds);
	struct filter_node *check = make(sizeof(*check));
	size_t n = 0;

	check->kind = FILTER_NODE_CHECK;
	check->left = make_left(kind);
	while (kind->ops[n] != FILTER_EXISTS)
		n++;
	check->op = kind->ops[pick(n + 1)];
	if (check->op != FILTER_EXISTS)
		make_right(kind, check);
	return check;
}

static struct filter_node *make_tree(unsigned int depth)
{
	struct filter_node *node, **link;

	if (depth == DEPTH || pick(3) == 0)
		return make_check();
	node = make(sizeof(*node));
	node->kind = (enum filter_node_kind[]){FILTER_NODE_AND, FILTER_NODE_OR,
					       FILTER_NODE_NOT}[pick(3)];
	if (node->kind == FILTER_NODE_NOT) {
		node->first = make_tree(depth + 1);
		return node;
	}
	link = &node->first;
	for (unsigned int n = 2 + pick(3); n > 0; n--) {
		*link = make_tree(depth + 1);
		link = &(*link)->next;
	}
	return node;
}

static void assert_same_text(const struct filter_text *a, const struct filter_text *b)
{
	assert_int_equal(a->len, b->len);
	if (a->len)
		assert_memory_equal(a->data, b->data, a->len);
}

static void assert_same_expr(const struct filter_expr *a, const struct filter_expr *b)
{
	for (; a && b; a = a->next, b = b->next) {
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->call, b->call);
		assert_same_text(&a->text, &b->text);
		assert_same_text(&a->selector, &b->selector);
		assert_same_expr(a->first, b->first);
	}
	assert_true(!a && !b);
}

static void assert_same_tree(const struct filter_node *a, const struct filter_node *b)
{
	for (; a && b; a = a->next, b = b->next) {
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->op, b->op);
		assert_int_equal(a->quantifier, b->quantifier);
		assert_same_expr(a->left, b->left);
		assert_same_expr(a->right, b->right);
		assert_same_tree(a->first, b->first);
	}
	assert_true(!a && !b);
}

/* The canonical text with other blanks and with parentheses that change nothing. */
static void write_freely(const struct filter_node *node, struct buf *out)
{
	static const char *const blanks[] = {" ", "\n", "\t ", "  \r\n"};
	bool parenthesis = pick(4) == 0;

	buf_append_string(out, parenthesis ? "( " : "");
	switch (node->kind) {
	case FILTER_NODE_NOT:
		buf_append_string(out, pick(4) ? "not" : "not not not");
		buf_append_string(out, PICK(blanks));
		BUF_LITERAL(out, "(");
		write_freely(node->first, out);
		BUF_LITERAL(out, ")");
		break;
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
		BUF_LITERAL(out, "(");
		for (const struct filter_node *child = node->first; child; child = child->next) {
			write_freely(child, out);
			if (!child->next)
				break;
			buf_append_string(out, PICK(blanks));
			buf_append_string(out, node->kind == FILTER_NODE_AND ? "and" : "or");
			buf_append_string(out, PICK(blanks));
		}
		BUF_LITERAL(out, ")");
		break;
	default:
		filter_print(node, out);
	}
	buf_append_string(out, parenthesis ? "\t)" : "");
}

/* Values of an event: any may be absent, and lists empty. */
static void make_event(void)
{
	static const char *const texts[] = {"a", "B", "", "ab/Ba", "it's", "A", "caf\xc3\xa9\xff"};
	static const char *const words[] = {"a", "B", "-a", "-bx", "x y", "-b", "--"};
	static const char *const addresses[] = {"1.2.3.4", "::1", "10.0.0.1"};
	static const int64_t numbers[] = {0, 1, -1, 7, 31, 1000, 500000, INT64_MAX};

	fake_clear();
	for (unsigned int i = 0; i < 2; i++) {
		if (pick(5))
			fake_add_text(i ? "text.a" : "text.b", PICK(texts));
		if (pick(5))
			fake_add_bytes(i ? "bytes.a" : "bytes.b", "ab\0A", 1 + pick(4));
		if (pick(5))
			fake_add_ip(i ? "ip.a" : "ip.b", PICK(addresses));
		if (pick(5))
			fake_add_i64(i ? "time.ns" : "type.RELTIME", PICK(numbers));
		if (pick(5))
			fake_add_u64(i ? "bool.a" : "type.BOOL", pick(2));
		if (pick(5) == 0)
			fake_set_empty(i ? "list.text" : "list.other");
		else
			for (unsigned int n = pick(4); n > 0; n--)
				fake_add_text(i ? "list.text" : "list.other", PICK(words));
	}
	if (pick(5))
		fake_add_i64("num.i64", PICK(numbers));
}

static struct filter *compile(const char *text)
{
	struct filter_error err;
	struct filter *filter;

	if (filter_create(text, NULL, &filter, &err))
		fail_msg("'%s': column %u: %s", text, err.column, err.text);
	return filter;
}

static bool matches(struct filter *filter)
{
	const struct state_event event = {.ev.desc = event_desc_get(EVENT_openat)};

	return filter_match(filter, &event);
}

/* The filter of each check alone, in the order of the tree. */
static void compile_checks(const struct filter_node *node, struct filter **checks, size_t *n)
{
	struct buf text = {0};

	for (const struct filter_node *child = node->first; child; child = child->next)
		compile_checks(child, checks, n);
	if (node->kind != FILTER_NODE_CHECK)
		return;
	filter_print(node, &text);
	buf_append_char(&text, '\0');
	checks[(*n)++] = compile(text.data);
	buf_finish(&text);
}

/* The answer by definition: everything is asked. */
static bool answer(const struct filter_node *node, struct filter *const *checks, size_t *n)
{
	bool all = true, any = false;

	if (node->kind == FILTER_NODE_CHECK)
		return matches(checks[(*n)++]);
	for (const struct filter_node *child = node->first; child; child = child->next) {
		bool one = answer(child, checks, n);

		all = all && one;
		any = any || one;
	}
	return node->kind == FILTER_NODE_NOT ? !any : node->kind == FILTER_NODE_AND ? all : any;
}

static void reparse(const char *text, struct filter_node **tree)
{
	struct filter_error err;

	if (filter_parse(text, &arena, tree, &err))
		fail_msg("'%s': column %u: %s", text, err.column, err.text);
}

static void check_forms(const struct filter_node *tree, struct buf *printed, struct buf *free_form)
{
	struct filter_node *again;
	struct buf text = {0};

	filter_print(tree, printed);
	buf_append_char(printed, '\0');
	reparse(printed->data, &again);
	assert_same_tree(tree, again);
	write_freely(tree, free_form);
	buf_append_char(free_form, '\0');
	reparse(free_form->data, &again);
	filter_print(again, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, printed->data);
	buf_finish(&text);
}

/* Returns in how many events the tree is true. */
static unsigned int check_answers(const struct filter_node *tree, const char *printed,
				  const char *free_form)
{
	enum { CHECKS_MAX = 4 * 4 * 4 * 4 };
	struct filter *filters[] = {compile(printed), compile(free_form)};
	struct filter *checks[CHECKS_MAX];
	unsigned int trues = 0;
	size_t n = 0;

	compile_checks(tree, checks, &n);
	for (unsigned int i = 0; i < EVENTS; i++) {
		size_t at = 0;
		bool expected;

		make_event();
		expected = answer(tree, checks, &at);
		assert_int_equal(at, n);
		trues += expected;
		for (size_t f = 0; f < COUNT(filters); f++)
			if (matches(filters[f]) != expected)
				fail_msg("'%s' should be %s", f ? free_form : printed,
					 expected ? "true" : "false");
	}
	while (n > 0)
		filter_destroy(checks[--n]);
	filter_destroy(filters[0]);
	filter_destroy(filters[1]);
	return trues;
}

static void test_trees(void **state)
{
	const char *given = getenv("LANNER_SEED");
	uint32_t first = given ? (uint32_t)strtoul(given, NULL, 10) : 1;
	struct buf printed = {0}, free_form = {0};
	unsigned int trues = 0;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		const struct filter_node *tree;

		seed = (first + round) * 2654435761u;
		tree = make_tree(0);
		buf_clear(&printed);
		buf_clear(&free_form);
		check_forms(tree, &printed, &free_form);
		trues += check_answers(tree, printed.data, free_form.data);
		arena_finish(&arena);
	}
	/* Both answers are frequent, or nothing would be tested. */
	assert_in_range(trues, ROUNDS * EVENTS / 4, ROUNDS * EVENTS * 3 / 4);
	buf_finish(&printed);
	buf_finish(&free_form);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_trees),
};

UNIT_GROUP(tests);
