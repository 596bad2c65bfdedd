/* SPDX-License-Identifier: MIT */
/* The parts of checks: constants, lists, fields and transformers, and what is wrong with them. */
#include <errno.h>
#include <string.h>

#include "canonical.h"
#include "unit.h"

static const struct canonical_pair pairs[] = {
	{"a.b=10", "a.b = 10"},
	{"a.b=0x1f", "a.b = 0x1f"},
	{"a.b=*", "a.b = *"},
	{"a.b=\\n", "a.b = \"\\x5cn\""},
	{"a.b=''", "a.b = \"\""},
	{"a.b='x y'", "a.b = \"x y\""},
	{"a.b='x\ny'", "a.b = \"x\\x0ay\""},
	{"a.b='it\"s'", "a.b = \"it\\\"s\""},
	{"a.b='it\\'s'", "a.b = \"it's\""},
	{"a.b=\"\\x41\\b\\f\\n\\r\\t\\\\\\ \\/\\\"z\"",
	 "a.b = \"A\\x08\\x0c\\x0a\\x0d\\x09\\x5c\\x5c/\\\"z\""},
	{"a.b < 5", "a.b < 5"},
	{"a.b <=-5", "a.b <= -5"},
	{"a.b>=0X1f", "a.b >= 0X1f"},
	{"a.b > +1.5e+10", "a.b > +1.5e+10"},
	{"a.b > 1.", "a.b > 1."},
	{"a.b > 1.5ms", "a.b > 1.5ms"},
	{"a.b < 5sand x", NULL},
	{"a.b < 5orx", NULL},
	{"a.b = 1.5ms", "a.b = 1.5ms"},
	{"a.b in (1s, 2s)", "a.b in (1s, 2s)"},
	{"a.b < 5and x", "(a.b < 5 and x)"},
	{"a.b < abc", NULL},
	{"a.b < 'x'", NULL},
	{"a.b < 1e5", NULL},
	{"a.b in(c,d)", "a.b in (c, d)"},
	{"a.b in ( c , 'd e' )", "a.b in (c, \"d e\")"},
	{"a.b in ()", "a.b in ()"},
	{"a.b in ( )", "a.b in ()"},
	{"a.b in (,)", NULL},
	{"a.b in (c,)", NULL},
	{"a.b in (c,,d)", NULL},
	{"a.b in (c d)", NULL},
	{"a.b in (c", NULL},
	{"a.b in c", "a.b in (c)"},
	{"a.b inc", "a.b in (c)"},
	{"a.b in c.d", NULL},
	{"a.b pmatch (/etc, /usr)", "a.b pmatch (/etc, /usr)"},
	{"a.b pmatch /etc", NULL},
	{"a.b in val(c.d)", "a.b in val(c.d)"},
	{"a.b = val(c.d)", "a.b = val(c.d)"},
	{"a.b=val( c.d[1] )", "a.b = val(c.d[1])"},
	{"a.b < val(c.d)", "a.b < val(c.d)"},
	{"a.b = val(x)", NULL},
	{"a.b = val(tolower(c.d))", NULL},
	{"a.b = val (c.d)", NULL},
	{"a.b = val", "a.b = val"},
	{"val(a.b) = c", NULL},
	{"a.b = tolower(c.d)", "a.b = tolower(c.d)"},
	{"a.b = tolower", "a.b = tolower"},
	{"a.b = c.d", "a.b = c.d"},
	{"a.b[1] = c", "a.b[1] = c"},
	{"a.b['x y'] = c", "a.b['x y'] = c"},
	{"a.b[x y] = c", NULL},
	{"a.b[] = c", NULL},
	{"a.b [1] = c", NULL},
	{"a.b[1 = c", NULL},
	{"a.b[1]= c", "a.b[1] = c"},
	{"a.b. exists", NULL},
	{"a.1 exists", NULL},
	{"a.b_1.c exists", "a.b_1.c exists"},
	{".a.b exists", NULL},
	{"tolower(a.b) = c", "tolower(a.b) = c"},
	{"tolower( a.b ) exists", "tolower(a.b) exists"},
	{"tolower (a.b) = c", NULL},
	{"tolower() = c", NULL},
	{"lower(a.b) = c", NULL},
	{"len(basename(a.b)) > 3", "len(basename(a.b)) > 3"},
	{"concat(a.b, 'x', 5, 0x1F, c.d) = e", "concat(a.b,\"x\",5,0x1F,c.d) = e"},
	{"concat(a.b x) = e", NULL},
	{"concat(a.b,) = e", NULL},
	{"join(',', (a.b, 'x' ,tolower(c.d), 5)) = e",
	 "join(\",\",(a.b,\"x\",tolower(c.d),5)) = e"},
	{"join(',', ()) = e", "join(\",\",()) = e"},
	{"getopt(a.b, 'ab:')['a'] = c", "getopt(a.b,\"ab:\")[\"a\"] = c"},
	{"getopt(a.b, 'ab:')[a] = c", "getopt(a.b,\"ab:\")[\"a\"] = c"},
	{"a.b = ,", NULL},
	{"a.b = 'c", NULL},
	{"a.b = 'c\\'", NULL},
	{"a.b = 'c\\\\'", NULL},
	{"a.b = '\\q'", NULL},
	{"a.b = '\\x4'", NULL},
	{"a.b = '\\x4g'", NULL},
	{"a.b = '\\\"'", NULL},
	{"a.b in ('\\q')", NULL},
};

static void test_understood(void **state)
{
	canonical_expect(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void test_errors(void **state)
{
	canonical_expect_error("a.b = c\nand d.e\n  <= 'x'", 21, 3, 6, "expected a number");
	canonical_expect_error("a.b = 'x\\qy'", 8, 1, 9, "unsupported string escape");
	canonical_expect_error("a.b = 'x\\x4'", 8, 1, 9, "truncated");
	canonical_expect_error("a.b = 'x", 6, 1, 7, "a quote that has no end");
	canonical_expect_error("a.b in (c,)", 10, 1, 11, "expected a value");
	canonical_expect_error("a.b[", 4, 1, 5, "argument");
	canonical_expect_error("a.b = 'x\\x4g'", 8, 1, 9, "invalid string escape");
	canonical_expect_error("tolwer(a.b) = c", 0, 1, 1,
			       "a transformer, found 'tolwer'; did you mean 'tolower'?");
	canonical_expect_error("concat(a.b, joni('', c.d)) = c", 12, 1, 13, "did you mean 'join'?");
	canonical_expect_error("a.b = (c, d)", 6, 1, 7, "before a list stands 'in'");
	canonical_expect_error("a.b >= 5secs", 8, 1, 9, "unknown unit 'secs'");
	canonical_expect_error("a.b = ''x", 8, 1, 9, "found 'x'");
	canonical_expect_error("a.b = val(x)", 10, 1, 11, "a field in val(), found 'x'");
	canonical_expect_error("a.b = val(c.d", 13, 1, 14, "expected ')', found the end");
	canonical_expect_error("a.b = val(c.d,e.f)", 13, 1, 14, "expected ')', found ','");
	canonical_expect_error("a.b['x' = c", 7, 1, 8, "expected ']', found ' '");
	canonical_expect_error("a.b[x y] = c", 5, 1, 6, "expected ']', found ' '");
	canonical_expect_error("tolower(a.b = c", 12, 1, 13, "expected ',' or ')', found '='");
	canonical_expect_error("tolower(x)", 8, 1, 9,
			       "a field, a quoted text, a number or a transformer, found 'x'");
	canonical_expect_error("getopt(a.b, 'x')['y = c", 17, 1, 18, "expected an argument");
	canonical_expect_error("getopt(a.b, 'x')['\\q'] = c", 18, 1, 19, "unsupported");
	canonical_expect_error("a.b in 5", 7, 1, 8, "expected a list, found '5'");
	canonical_expect_error("a.b in (c d)", 10, 1, 11, "expected ',' or ')', found 'd'");
}

/* A word is quoted up to 40 bytes of it, one character at least. */
static void test_words_in_messages(void **state)
{
	canonical_expect_error("a.b < "
			       "0123456789x123456789x123456789x123456789x123456789",
			       16, 1, 17,
			       "unknown unit 'x123456789x123456789x123456789x123456789'");
	canonical_expect_error("tolower(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)", 8, 1,
			       9, "found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
	canonical_expect_error("tolower(,)", 8, 1, 9, "found ','");
}

/* Parses the operand at a position. Returns its end, or 0 with the error. */
static size_t operand_end(const char *text, size_t position, enum filter_expr_kind kind,
			  const char *wanted)
{
	struct arena arena = {0};
	struct filter_expr *expr;
	struct filter_error err;
	size_t end = 77;
	int rc = filter_parse_operand(text, position, &arena, &expr, &end, &err);

	if (rc)
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(expr->kind, kind);
	assert_int_equal(expr->position, position);
	if (kind == FILTER_EXPR_FIELD)
		assert_string_equal(expr->text.data, wanted);
	else
		assert_string_equal(filter_call_name(expr->call), wanted);
	arena_finish(&arena);
	return end;
}

/* Operands in other texts, such as formats: whatever follows them. */
static void test_operands(void **state)
{
	assert_int_equal(operand_end("a.b", 0, FILTER_EXPR_FIELD, "a.b"), 3);
	assert_int_equal(operand_end("%a.b.%c", 1, FILTER_EXPR_FIELD, "a.b"), 4);
	assert_int_equal(operand_end("%a.b[x]]", 1, FILTER_EXPR_FIELD, "a.b[x]"), 7);
	assert_int_equal(operand_end("%len(a.b)%c", 1, FILTER_EXPR_CALL, "len"), 9);
	assert_int_equal(operand_end("getopt(a.b,'x')[x] ", 0, FILTER_EXPR_CALL, "getopt"), 18);
}

static void test_wrong_operand(void **state)
{
	struct arena arena = {0};
	struct filter_expr *expr = NULL;
	struct filter_error err;
	size_t end = 77;

	assert_int_equal(filter_parse_operand("x %y", 3, &arena, &expr, &end, &err), -EINVAL);
	assert_int_equal(err.position, 3);
	assert_non_null(strstr(err.text, "expected a field or a transformer, found 'y'"));
	assert_null(expr);
	assert_int_equal(end, 77);
	arena_finish(&arena);
}

/* Where each part stands, for the errors of those who resolve it. */
static void test_positions(void **state)
{
	static const char text[] = "  join(',', (a.b, 'x'))  in ( c, 'd')";
	struct arena arena = {0};
	struct filter_node *root;
	const struct filter_expr *list;

	assert_int_equal(filter_parse(text, &arena, &root, NULL), 0);
	assert_int_equal(root->left->position, 2);
	assert_int_equal(root->left->first->position, 7);
	list = root->left->first->next;
	assert_int_equal(list->kind, FILTER_EXPR_LIST);
	assert_int_equal(list->position, 12);
	assert_int_equal(list->first->position, 13);
	assert_int_equal(list->first->next->position, 18);
	assert_null(list->first->next->next);
	assert_int_equal(root->left->selector_position, 23);
	assert_int_equal(root->op_position, 25);
	assert_int_equal(root->right->position, 28);
	assert_int_equal(root->right->first->position, 30);
	assert_int_equal(root->right->first->next->position, 33);
	assert_string_equal(root->right->first->next->text.data, "d");
	assert_int_equal(root->right->first->next->text.len, 1);
	arena_finish(&arena);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_understood),	  cmocka_unit_test(test_errors),
	cmocka_unit_test(test_words_in_messages), cmocka_unit_test(test_operands),
	cmocka_unit_test(test_wrong_operand),	  cmocka_unit_test(test_positions),
};

UNIT_GROUP(tests);
