/* SPDX-License-Identifier: MIT */
/* Trees as canonical text: what is quoted, what has parentheses. Trees are made by hand. */
#include <string.h>

#include "sinsp/filter/tree.h"
#include "unit.h"

#define TEXT_OF(bytes)                                                                             \
	{                                                                                          \
		bytes, sizeof(bytes) - 1                                                           \
	}

static void expect(const struct filter_node *node, const char *wanted)
{
	struct buf out = {0};

	BUF_LITERAL(&out, "> ");
	filter_print(node, &out);
	buf_append_char(&out, '\0');
	assert_memory_equal(out.data, "> ", 2);
	assert_string_equal(out.data + 2, wanted);
	buf_finish(&out);
}

/* A check of "a.b" with one operator. */
static void expect_right(enum filter_op op, enum filter_quantifier quantifier,
			 struct filter_expr *right, const char *wanted)
{
	struct filter_expr left = {.kind = FILTER_EXPR_FIELD, .text = TEXT_OF("a.b")};

	expect(&(struct filter_node){.kind = FILTER_NODE_CHECK,
				     .left = &left,
				     .right = right,
				     .op = op,
				     .quantifier = quantifier},
	       wanted);
}

static void test_operators(void **state)
{
	static const char *const words[FILTER_OPS_COUNT] = {
		"exists",     "=",	     "!=",	 "<",	       "<=",
		">",	      ">=",	     "in",	 "intersects", "pmatch",
		"glob",	      "iglob",	     "contains", "icontains",  "bcontains",
		"startswith", "bstartswith", "endswith", "regex",
	};
	char wanted[32] = "a.b ";

	for (enum filter_op op = FILTER_EQ; op < FILTER_OPS_COUNT; op++) {
		struct filter_expr right = {.text = TEXT_OF("c")};

		strcpy(wanted + 4, words[op]);
		strcat(wanted, " c");
		expect_right(op, FILTER_NO_QUANTIFIER, &right, wanted);
	}
	expect_right(FILTER_EXISTS, FILTER_NO_QUANTIFIER, NULL, "a.b exists");
}

static void expect_text(struct filter_text value, const char *printed)
{
	struct filter_expr right = {.text = value};
	char wanted[64] = "a.b = ";

	expect_right(FILTER_EQ, FILTER_NO_QUANTIFIER, &right, strcat(wanted, printed));
}

/* Only what the parser takes unquoted as itself, and what everybody can read. */
static void test_values(void **state)
{
	expect_text((struct filter_text)TEXT_OF("x"), "x");
	expect_text((struct filter_text)TEXT_OF("/usr/b-in.*[a]<1>"), "/usr/b-in.*[a]<1>");
	expect_text((struct filter_text)TEXT_OF("caf\xc3\xa9"), "caf\xc3\xa9");
	expect_text((struct filter_text)TEXT_OF(""), "\"\"");
	expect_text((struct filter_text)TEXT_OF("a b"), "\"a b\"");
	expect_text((struct filter_text)TEXT_OF("a=b"), "\"a=b\"");
	expect_text((struct filter_text)TEXT_OF("a,b"), "\"a,b\"");
	expect_text((struct filter_text)TEXT_OF("(a)"), "\"(a)\"");
	expect_text((struct filter_text)TEXT_OF("it's"), "\"it's\"");
	expect_text((struct filter_text)TEXT_OF("it\"s"), "\"it\\\"s\"");
	expect_text((struct filter_text)TEXT_OF("a\\"), "\"a\\x5c\"");
	expect_text((struct filter_text)TEXT_OF("\x01\x1f\x7f "), "\"\\x01\\x1f\\x7f \"");
	expect_text((struct filter_text)TEXT_OF("\b"), "\"\\x08\"");
	expect_text((struct filter_text)TEXT_OF("a\0b"), "\"a\\x00b\"");
	expect_text((struct filter_text)TEXT_OF("\0"), "\"\\x00\"");
}

static void test_lists(void **state)
{
	struct filter_expr second = {.text = TEXT_OF("d e")};
	struct filter_expr first = {.text = TEXT_OF("c"), .next = &second};
	struct filter_expr list = {.kind = FILTER_EXPR_LIST, .first = &first};
	struct filter_expr empty = {.kind = FILTER_EXPR_LIST};

	expect_right(FILTER_IN, FILTER_NO_QUANTIFIER, &list, "a.b in (c, \"d e\")");
	expect_right(FILTER_IN, FILTER_NO_QUANTIFIER, &empty, "a.b in ()");
	expect_right(FILTER_EQ, FILTER_ANY_OF, &list, "a.b = anyof (c, \"d e\")");
	expect_right(FILTER_NE, FILTER_ALL_OF, &list, "a.b != allof (c, \"d e\")");
	expect_right(FILTER_GLOB, FILTER_ONE_OF, &empty, "a.b glob oneof ()");
}

/* Constants of transformers are quoted unless they are numbers: words would be fields there. */
static void test_transformers(void **state)
{
	struct filter_expr number = {.text = TEXT_OF("0x1F")};
	struct filter_expr almost = {.text = TEXT_OF("5ms"), .next = &number};
	struct filter_expr nothing = {.text = TEXT_OF(""), .next = &almost};
	struct filter_expr inner = {.kind = FILTER_EXPR_LIST, .first = &nothing};
	struct filter_expr comma = {.text = TEXT_OF(","), .next = &inner};
	struct filter_expr join = {.kind = FILTER_EXPR_CALL, .call = FILTER_JOIN, .first = &comma};
	struct filter_expr field = {.kind = FILTER_EXPR_FIELD, .text = TEXT_OF("c.d[1]")};
	struct filter_expr getopt = {.kind = FILTER_EXPR_CALL,
				     .call = FILTER_GETOPT,
				     .first = &field,
				     .selector = TEXT_OF("\"")};

	expect_right(FILTER_EQ, FILTER_NO_QUANTIFIER, &join,
		     "a.b = join(\",\",(\"\",\"5ms\",0x1F))");
	expect_right(FILTER_EQ, FILTER_NO_QUANTIFIER, &getopt, "a.b = getopt(c.d[1])[\"\\\"\"]");
	expect_right(FILTER_EQ, FILTER_NO_QUANTIFIER, &field, "a.b = val(c.d[1])");
	/* On the left there is no val(). */
	expect(&(struct filter_node){.kind = FILTER_NODE_CHECK, .left = &join, .op = FILTER_EXISTS},
	       "join(\",\",(\"\",\"5ms\",0x1F)) exists");
}

static void test_names_of_transformers(void **state)
{
	static const char *const names[FILTER_CALLS_COUNT] = {
		"tolower", "toupper", "b64", "basename", "len", "join", "concat", "getopt",
	};

	for (enum filter_call_kind call = 0; call < FILTER_CALLS_COUNT; call++)
		assert_string_equal(filter_call_name(call), names[call]);
}

static struct filter_node name(const char *text)
{
	return (struct filter_node){.kind = FILTER_NODE_NAME, .name = {text, strlen(text)}};
}

static void test_logic(void **state)
{
	struct filter_node x = name("x"), y = name("y"), z = name("z");
	struct filter_node or = {.kind = FILTER_NODE_OR, .first = &y};
	struct filter_node and = {.kind = FILTER_NODE_AND, .first = &x};
	struct filter_node not = {.kind = FILTER_NODE_NOT, .first = &and};

	y.next = &z;
	x.next = & or ;
	expect(&and, "(x and (y or z))");
	expect(&not, "not (x and (y or z))");
	/* "not not" would be read as nothing. */
	expect(&(struct filter_node){.kind = FILTER_NODE_NOT, .first = &not },
	       "not (not (x and (y or z)))");
	x.next = NULL;
	not .first = &x;
	expect(&not, "not x");
	expect(&(struct filter_node){.kind = FILTER_NODE_NOT, .first = &not }, "not (not x)");
}

/* A name that is resolved is still printed as the name. */
static void test_shared(void **state)
{
	struct filter_node x = name("x"), shared = name("macro");

	shared.kind = FILTER_NODE_SHARED;
	shared.first = &x;
	expect(&shared, "macro");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_operators),
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_lists),
	cmocka_unit_test(test_transformers),
	cmocka_unit_test(test_names_of_transformers),
	cmocka_unit_test(test_logic),
	cmocka_unit_test(test_shared),
};

UNIT_GROUP(tests);
