/* SPDX-License-Identifier: MIT */
/*
 * Exceptions of rules: fields, their comparison operators, and tuples of values. An event that
 * satisfies one tuple does not match the rule: `and not (... or ...)` after its condition.
 */
#include <errno.h>
#include <string.h>

#include "rules/defs.h"
#include "util/count.h"
#include "util/nearest.h"

/* Of one rule. */
enum { EXCEPTIONS_MAX = 1000 };

enum exception_key { EXC_NAME, EXC_FIELDS, EXC_COMPS, EXC_VALUES, EXC_KEYS_COUNT };

static const char *const key_names[] = {
	[EXC_NAME] = "name",
	[EXC_FIELDS] = "fields",
	[EXC_COMPS] = "comps",
	[EXC_VALUES] = "values",
};

/* An exception of a rule, with the values appended to it. */
struct exception {
	struct exception *next;
	const struct yaml_node *name, *fields, *comps;
	struct rules_part *values, **values_end;
};

/* A field of a tuple, and its comparison operator. */
struct column {
	struct column *next;
	struct filter_expr *field;
	enum filter_op op;
	size_t op_position;
};

struct exceptions {
	struct rules_defs *defs;
	struct rules_entry *rule;
	struct rules_text *text; /* all words, for the positions of errors */
	struct exception *first, **end;
	unsigned int count;
	struct filter_node **tuples_end; /* where the next tuple's node goes */
	bool wrong;
};

static int exceptions_reject(struct exceptions *all, const struct yaml_node *node, const char *what)
{
	RULES_REPORT(all->defs, YAML_ERROR, node, "%s", what);
	all->wrong = true;
	return 0;
}

static void exceptions_report_unknown_key(struct exceptions *all, const struct yaml_node *key)
{
	struct nearest nearest;

	nearest_init(&nearest, key->text, key->len);
	for (size_t i = 0; i < COUNT(key_names); i++)
		nearest_offer(&nearest, key_names[i]);
	RULES_REPORT(all->defs, YAML_WARNING, key,
		     "an exception has no key '%.60s', which is ignored%s%s%s", key->text,
		     nearest.word ? "; did you mean '" : "", nearest.word ? nearest.word : "",
		     nearest.word ? "'?" : "");
}

static void exceptions_read_keys(struct exceptions *all, const struct yaml_node *node,
				 const struct yaml_node *values[EXC_KEYS_COUNT])
{
	for (const struct yaml_link *pair = node->first; pair; pair = pair->next) {
		size_t key = 0;

		while (key < COUNT(key_names) && strcmp(pair->key->text, key_names[key]) != 0)
			key++;
		if (key == COUNT(key_names))
			exceptions_report_unknown_key(all, pair->key);
		else if (values[key])
			exceptions_reject(all, pair->key, "given twice");
		else
			values[key] = pair->value;
	}
}

static struct exception *exceptions_find(const struct exceptions *all, const char *name)
{
	struct exception *exception = all->first;

	while (exception && strcmp(exception->name->text, name) != 0)
		exception = exception->next;
	return exception;
}

static bool alike(const struct yaml_node *a, const struct yaml_node *b)
{
	const struct yaml_link *left = a->first, *right = b->first;

	if (a->kind != b->kind)
		return false;
	if (a->kind == YAML_SCALAR)
		return strcmp(a->text, b->text) == 0;
	while (left && right && left->value->kind == YAML_SCALAR &&
	       right->value->kind == YAML_SCALAR &&
	       strcmp(left->value->text, right->value->text) == 0) {
		left = left->next;
		right = right->next;
	}
	return !left && !right;
}

static int add_exception(struct exceptions *all, const struct yaml_node **given,
			 struct exception **made)
{
	struct exception *exception = arena_alloc(&all->defs->arena, sizeof(*exception));

	if (!exception)
		return -ENOMEM;
	all->count++;
	exception->name = given[EXC_NAME];
	exception->fields = given[EXC_FIELDS];
	exception->comps = given[EXC_COMPS];
	exception->values_end = &exception->values;
	*all->end = exception;
	all->end = &exception->next;
	*made = exception;
	return 0;
}

static int exceptions_add_values(struct exceptions *all, struct exception *exception,
				 const struct yaml_node *values)
{
	struct rules_part *part = arena_alloc(&all->defs->arena, sizeof(*part));

	if (!part)
		return -ENOMEM;
	part->value = values;
	*exception->values_end = part;
	exception->values_end = &part->next;
	return 0;
}

static int read_exception(struct exceptions *all, const struct yaml_node *node)
{
	const struct yaml_node *given[EXC_KEYS_COUNT] = {NULL};
	struct exception *exception;
	int r = 0;

	if (node->kind != YAML_MAPPING)
		return exceptions_reject(all, node,
					 "expected an exception: '- name: NAME' and the like");
	exceptions_read_keys(all, node, given);
	if (!given[EXC_NAME] || !yaml_is_scalar(given[EXC_NAME]))
		return exceptions_reject(all, node, "an exception needs a name");
	if (given[EXC_VALUES] && given[EXC_VALUES]->kind != YAML_SEQUENCE) {
		if (!yaml_is_null(given[EXC_VALUES]))
			return exceptions_reject(all, given[EXC_VALUES],
						 "'values': expected a sequence");
		given[EXC_VALUES] = NULL;
	}
	exception = exceptions_find(all, given[EXC_NAME]->text);
	if (exception) {
		for (int key = EXC_FIELDS; key <= EXC_COMPS; key++) {
			const struct yaml_node *before =
				key == EXC_FIELDS ? exception->fields : exception->comps;

			if (given[key] && (!before || !alike(given[key], before)))
				return exceptions_reject(
					all, given[key],
					"the exception is there with other fields or comps; "
					"values alone can be appended");
		}
	} else if (!given[EXC_FIELDS]) {
		return exceptions_reject(
			all, given[EXC_NAME],
			"an exception needs fields, unless one of this name is there before");
	} else if (all->count == EXCEPTIONS_MAX) {
		return exceptions_reject(all, node,
					 "too many exceptions of one rule: the limit is 1000");
	} else {
		r = add_exception(all, given, &exception);
	}
	if (r == 0 && given[EXC_VALUES])
		r = exceptions_add_values(all, exception, given[EXC_VALUES]);
	return r;
}

/* Adds a word to the text, for its position. */
static int exceptions_add_word(struct exceptions *all, const struct yaml_node *node,
			       size_t *position)
{
	int r = rules_text_add(all->text, &all->defs->arena, node);

	if (r == 0)
		*position = all->text->len - node->len;
	return r;
}

/* A field or transformer, and nothing else. */
static int exceptions_read_field(struct exceptions *all, const struct yaml_node *node,
				 struct column *column)
{
	struct filter_error err = {0};
	size_t end = 0, position = 0;
	int r;

	if (!yaml_is_scalar(node))
		return exceptions_reject(all, node, "expected a field");
	r = filter_parse_operand(node->text, 0, &all->defs->arena, &column->field, &end, &err);
	if (r == -ENOMEM)
		return r;
	if (r)
		return exceptions_reject(all, node, err.text);
	if (end != node->len)
		return exceptions_reject(all, node, "expected a field alone");
	r = exceptions_add_word(all, node, &position);
	column->field->position = position;
	return r;
}

static bool is_list_op(enum filter_op op)
{
	return op == FILTER_IN || op == FILTER_PMATCH || op == FILTER_INTERSECTS;
}

static int read_op(struct exceptions *all, const struct yaml_node *node, struct column *column)
{
	struct nearest nearest;

	if (!yaml_is_scalar(node))
		return exceptions_reject(all, node, "expected an operator");
	nearest_init(&nearest, node->text, node->len);
	for (enum filter_op op = 0; op < FILTER_OPS_COUNT; op++) {
		bool is_equal = op == FILTER_EQ && strcmp(node->text, "==") == 0;

		if (op == FILTER_EXISTS)
			continue;
		if (is_equal || strcmp(node->text, filter_op_name(op)) == 0) {
			column->op = op;
			return exceptions_add_word(all, node, &column->op_position);
		}
		nearest_offer(&nearest, filter_op_name(op));
	}
	all->wrong = true;
	RULES_REPORT(all->defs, YAML_ERROR, node, "unknown operator '%.60s'%s%s%s", node->text,
		     nearest.word ? "; did you mean '" : "", nearest.word ? nearest.word : "",
		     nearest.word ? "'?" : "");
	return 0;
}

static int add_column(struct exceptions *all, const struct yaml_node *field,
		      const struct yaml_node *comp, enum filter_op otherwise, struct column ***end)
{
	struct column *column = arena_alloc(&all->defs->arena, sizeof(*column));
	int r;

	if (!column)
		return -ENOMEM;
	r = exceptions_read_field(all, field, column);
	if (r)
		return r;
	column->op = otherwise;
	column->op_position = column->field ? column->field->position : 0;
	if (comp)
		r = read_op(all, comp, column);
	**end = column;
	*end = &column->next;
	return r;
}

/* The columns of an exception: of a single field, or of a sequence. */
static int read_columns(struct exceptions *all, const struct exception *exception,
			struct column **columns)
{
	const struct yaml_node *fields = exception->fields, *comps = exception->comps;
	const struct yaml_link *comp = comps ? comps->first : NULL;
	struct column **end = columns;
	int r = 0;

	if (fields->kind == YAML_SCALAR) {
		r = add_column(all, fields, comps, FILTER_IN, &end);
		if (r == 0 && !all->wrong && !is_list_op((*columns)->op))
			return exceptions_reject(
				all, comps,
				"a single field is compared with all values at once: by in, "
				"pmatch or intersects");
		return r;
	}
	if (fields->kind != YAML_SEQUENCE || !fields->first)
		return exceptions_reject(all, fields,
					 "'fields': expected a field, or a sequence of them");
	if (comps && comps->kind != YAML_SEQUENCE)
		return exceptions_reject(all, comps,
					 "'comps': expected a sequence, as 'fields' is one");
	for (const struct yaml_link *field = fields->first; field && r == 0; field = field->next) {
		if (comps && !comp)
			return exceptions_reject(all, comps, "there are fewer comps than fields");
		r = add_column(all, field->value, comp ? comp->value : NULL, FILTER_EQ, &end);
		comp = comp ? comp->next : NULL;
	}
	if (comp)
		exceptions_reject(all, comp->value, "there are more comps than fields");
	return r;
}

/* Adds the values of the list of that name. `*found`: whether it exists. */
static int exceptions_add_list(struct exceptions *all, const char *name, size_t position,
			       struct filter_expr ***end, bool *found)
{
	struct rules_entry *list = rules_defs_find(all->defs, RULES_LIST, name);

	*found = list;
	if (!list)
		return 0;
	list->used = true;
	all->rule->broken |= list->broken;
	return rules_list_insert(all->defs, list, position, end);
}

/* Adds a constant; if `several`, the name of a list is replaced by its values. */
static int add_constant(struct exceptions *all, const struct yaml_node *node, bool several,
			struct filter_expr ***end)
{
	struct filter_expr *expr = arena_alloc(&all->defs->arena, sizeof(*expr));
	bool is_list = false;
	size_t position = 0;
	int r;

	if (node->kind != YAML_SCALAR)
		return exceptions_reject(all, node, "expected a value");
	r = expr ? exceptions_add_word(all, node, &position) : -ENOMEM;
	if (r == 0 && several)
		r = exceptions_add_list(all, node->text, position, end, &is_list);
	if (r || is_list)
		return r;
	expr->kind = FILTER_EXPR_TEXT;
	expr->position = position;
	**end = expr;
	*end = &expr->next;
	return rules_value_text(all->defs, node, &expr->text);
}

/* Several values in one text, as after `in` in a filter: "(ls, my_list)". */
static int add_in_brackets(struct exceptions *all, const struct yaml_node *node,
			   struct filter_expr ***end)
{
	static const char head[] = "evt.type in ";
	const size_t head_len = sizeof(head) - 1;
	struct filter_error err = {0};
	struct filter_node *root;
	struct filter_expr *next;
	size_t position = 0;
	char *text = arena_alloc(&all->defs->arena, head_len + node->len + 1);
	int r;

	if (!text)
		return -ENOMEM;
	memcpy(text, head, head_len);
	memcpy(text + head_len, node->text, node->len);
	r = filter_parse(text, &all->defs->arena, &root, &err);
	if (r == -EINVAL)
		return exceptions_reject(all, node, err.text);
	if (r == 0 && (root->kind != FILTER_NODE_CHECK || root->op != FILTER_IN))
		return exceptions_reject(all, node, "expected values alone");
	if (r == 0)
		r = exceptions_add_word(all, node, &position);
	for (struct filter_expr *expr = r ? NULL : root->right->first; expr && r == 0;
	     expr = next) {
		char first = text[expr->position];
		bool is_list = false;

		next = expr->next;
		expr->position += position - head_len;
		if (first != '"' && first != '\'')
			r = exceptions_add_list(all, expr->text.data, expr->position, end,
						&is_list);
		if (is_list)
			continue;
		expr->next = NULL;
		**end = expr;
		*end = &expr->next;
	}
	return r;
}

static int exceptions_add_constants(struct exceptions *all, const struct yaml_node *node,
				    struct filter_expr ***end)
{
	int r = 0;

	if (node->kind == YAML_SCALAR)
		return node->text[0] == '(' ? add_in_brackets(all, node, end)
					    : add_constant(all, node, true, end);
	if (node->kind != YAML_SEQUENCE)
		return exceptions_reject(all, node, "expected a value, or a sequence of them");
	for (const struct yaml_link *link = node->first; link && r == 0; link = link->next)
		r = add_constant(all, link->value, true, end);
	return r;
}

/* Creates the check of one column with one value. */
static int make_check(struct exceptions *all, const struct column *column,
		      const struct yaml_node *value, struct filter_node **made)
{
	struct filter_node *check = arena_alloc(&all->defs->arena, sizeof(*check));
	struct filter_expr *list, **end;
	int r;

	if (!check)
		return -ENOMEM;
	*made = check;
	check->kind = FILTER_NODE_CHECK;
	check->position = column->field->position;
	check->left = column->field;
	check->op = column->op;
	check->op_position = column->op_position;
	end = &check->right;
	if (is_list_op(column->op)) {
		list = arena_alloc(&all->defs->arena, sizeof(*list));
		if (!list)
			return -ENOMEM;
		list->kind = FILTER_EXPR_LIST;
		list->position = column->op_position;
		check->right = list;
		end = &list->first;
		r = exceptions_add_constants(all, value, &end);
	} else {
		r = add_constant(all, value, false, &end);
	}
	return r || all->wrong ? r : rules_entry_add_check(all->defs, all->rule, check, all->text);
}

/* Joins nodes if there are several. */
static struct filter_node *join_nodes(struct filter_node *joined, enum filter_node_kind kind,
				      struct filter_node *first)
{
	if (!first->next)
		return first;
	joined->kind = kind;
	joined->position = first->position;
	joined->first = first;
	return joined;
}

static void add_tuple(struct exceptions *all, struct filter_node *node)
{
	*all->tuples_end = node;
	all->tuples_end = &node->next;
}

/* Creates the condition of a tuple: all columns must match. */
static int make_tuple(struct exceptions *all, const struct column *columns,
		      const struct yaml_node *tuple)
{
	struct filter_node *joined = arena_alloc(&all->defs->arena, sizeof(*joined));
	const struct yaml_link *value = tuple->first;
	struct filter_node *first = NULL, **end = &first;
	int r = 0;

	if (!joined)
		return -ENOMEM;
	if (tuple->kind != YAML_SEQUENCE)
		return exceptions_reject(all, tuple,
					 "expected a sequence: one value for each field");
	for (const struct column *column = columns; column && !all->wrong && r == 0;
	     column = column->next) {
		if (!value)
			return exceptions_reject(all, tuple, "there are fewer values than fields");
		r = make_check(all, column, value->value, end);
		end = r ? end : &(*end)->next;
		value = value->next;
	}
	if (value && r == 0 && !all->wrong)
		return exceptions_reject(all, value->value, "there are more values than fields");
	if (r == 0 && !all->wrong)
		add_tuple(all, join_nodes(joined, FILTER_NODE_AND, first));
	return r;
}

static int make_tuples(struct exceptions *all, const struct exception *exception)
{
	struct column *columns = NULL;
	struct filter_node *check;
	int r = read_columns(all, exception, &columns);

	for (const struct rules_part *part = exception->values; part; part = part->next) {
		if (r || all->wrong)
			return r;
		if (exception->fields->kind == YAML_SCALAR) {
			r = make_check(all, columns, part->value, &check);
			if (r == 0 && !all->wrong)
				add_tuple(all, check);
			continue;
		}
		for (const struct yaml_link *link = part->value->first;
		     link && r == 0 && !all->wrong; link = link->next)
			r = make_tuple(all, columns, link->value);
	}
	return r;
}

/* Appends `and not (tuple or tuple)` to the condition. */
static int exceptions_join(struct exceptions *all, struct filter_node *tuples)
{
	struct filter_node *nodes[3];
	struct rules_entry *rule = all->rule;

	for (size_t i = 0; i < COUNT(nodes); i++) {
		nodes[i] = arena_alloc(&all->defs->arena, sizeof(*nodes[i]));
		if (!nodes[i])
			return -ENOMEM;
	}
	nodes[0]->kind = FILTER_NODE_AND;
	nodes[0]->first = rule->root;
	rule->root->next = nodes[1];
	nodes[1]->kind = FILTER_NODE_NOT;
	nodes[1]->first = join_nodes(nodes[2], FILTER_NODE_OR, tuples);
	rule->root = nodes[0];
	rule->depth += 4;
	return 0;
}

int rules_exceptions_add(struct rules_defs *defs, struct rules_entry *rule)
{
	struct filter_node *tuples = NULL;
	struct exceptions all = {.defs = defs, .rule = rule, .tuples_end = &tuples};
	int r = 0;

	if (!rule->parts[KEY_EXCEPTIONS].first)
		return 0;
	all.end = &all.first;
	all.text = arena_alloc(&defs->arena, sizeof(*all.text));
	if (!all.text)
		return -ENOMEM;
	for (const struct rules_part *part = rule->parts[KEY_EXCEPTIONS].first; part;
	     part = part->next)
		for (const struct yaml_link *link = part->value->first; link && r == 0;
		     link = link->next)
			r = read_exception(&all, link->value);
	for (const struct exception *exception = all.first; exception && r == 0;
	     exception = exception->next) {
		bool before = all.wrong;

		all.wrong = false;
		r = make_tuples(&all, exception);
		all.wrong |= before;
	}
	rule->broken |= all.wrong;
	/* The created checks point into the text, even after an error. */
	if (r == 0)
		r = rules_text_join(all.text, &defs->arena);
	return r || all.wrong || !tuples ? r : exceptions_join(&all, tuples);
}
