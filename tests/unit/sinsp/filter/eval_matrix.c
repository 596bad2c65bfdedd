/* SPDX-License-Identifier: MIT */
/*
 * What every operator answers on every type: of a value, of none, of a list, with each modifier,
 * and against another field. What is rejected is the matter of tests/unit/sinsp/filter/bind.c.
 */
#include <stdio.h>
#include <string.h>

#include "fake_fields.h"
#include "filtered.h"
#include "unit.h"

/* A condition on a value, and the answer. */
struct verdict {
	const char *condition;
	bool answer;
};

static void check(const char *field, const char *condition, bool answer)
{
	char text[256];

	snprintf(text, sizeof(text), "%s %s", field, condition);
	if (filtered(NULL, text) != answer)
		fail_msg("'%s' should be %s", text, answer ? "true" : "false");
	snprintf(text, sizeof(text), "not (%s %s)", field, condition);
	if (filtered(NULL, text) == answer)
		fail_msg("'%s' should be %s", text, answer ? "false" : "true");
}

/* The field has a value; then it has none, and everything is false. */
static void check_type(const char *field, const struct verdict *verdicts)
{
	check(field, "exists", true);
	for (const struct verdict *v = verdicts; v->condition; v++)
		check(field, v->condition, v->answer);
	fake_clear();
	check(field, "exists", false);
	for (const struct verdict *v = verdicts; v->condition; v++)
		check(field, v->condition, false);
}

#define NAME(type) "type." #type,

static const char *const signed_types[] = {FAKE_SIGNED(NAME)};
static const char *const unsigned_types[] = {FAKE_UNSIGNED(NAME)};
static const char *const text_types[] = {FAKE_TEXTS(NAME)};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct verdict of_minus_two[] = {
	{"= -2", true},
	{"= 2", false},
	{"== -2", true},
	{"== -3", false},
	{"!= -2", false},
	{"!= 0", true},
	{"< -1", true},
	{"< -2", false},
	{"<= -2", true},
	{"<= -3", false},
	{"> -3", true},
	{"> -2", false},
	{">= -2", true},
	{">= -1", false},
	{"in (5, -2)", true},
	{"in (5, 2)", false},
	{"in ()", false},
	{"in (1,2,3,4,5,6,7,8,9,-2)", true},
	{"in (1,2,3,4,5,6,7,8,9,10)", false},
	{"intersects (5, -2)", true},
	{"intersects (5, 2)", false},
	{"= anyof (5, -2)", true},
	{"= anyof (5, 6)", false},
	{"= anyof ()", false},
	{"= allof (-2, -2)", true},
	{"= allof (-2, 5)", false},
	{"= allof ()", false},
	{"= oneof (-2, 5)", true},
	{"= oneof (-2, -2)", false},
	{"= oneof ()", false},
	{"!= anyof (-2, 5)", true},
	{"!= anyof (-2, -2)", false},
	{"!= allof (5, 6)", true},
	{"!= allof (5, -2)", false},
	{"!= allof (1,2,3,4,5,6,7,8,9,-2)", false},
	{"!= oneof (-2, 5)", true},
	{"!= oneof (5, 6)", false},
	{NULL},
};

static void test_signed(void **state)
{
	for (size_t i = 0; i < COUNT(signed_types); i++) {
		fake_clear();
		fake_add_i64(signed_types[i], -2);
		check_type(signed_types[i], of_minus_two);
	}
}

static const struct verdict of_hundred[] = {
	{"= 100", true},
	{"= 99", false},
	{"== 100", true},
	{"= 0x64", true},
	{"!= 100", false},
	{"!= 0", true},
	{"!= -1", true},
	{"< 101", true},
	{"< 100", false},
	{"< -1", true},
	{"<= 100", true},
	{"<= 99", false},
	{"> 99", true},
	{"> 100", false},
	{">= 100", true},
	{">= 101", false},
	{"in (1, 100)", true},
	{"in (1, 2)", false},
	{"in ()", false},
	{"in (1,2,3,4,5,6,7,8,9,100)", true},
	{"intersects (1, 100)", true},
	{"intersects (1)", false},
	{"= anyof (1, 100)", true},
	{"= anyof (1, 2)", false},
	{"= allof (100)", true},
	{"= allof (100, 1)", false},
	{"= oneof (100, 1)", true},
	{"= oneof (100, 100)", false},
	{"!= anyof (1, 100)", true},
	{"!= anyof (100)", false},
	{"!= allof (1, 2)", true},
	{"!= allof (1, 100)", false},
	{"!= oneof (1, 100)", true},
	{"!= oneof (1, 2)", false},
	{NULL},
};

static void test_unsigned(void **state)
{
	for (size_t i = 0; i < COUNT(unsigned_types); i++) {
		fake_clear();
		fake_add_u64(unsigned_types[i], 100);
		check_type(unsigned_types[i], of_hundred);
	}
	fake_clear();
	fake_add_u64("type.PORT", 100);
	/* -1 is no port, and the one number that its text stands for elsewhere. */
	for (const struct verdict *v = of_hundred; v->condition; v++)
		if (!strstr(v->condition, "-1"))
			check("type.PORT", v->condition, v->answer);
	check("type.PORT", "!= ssh", true);
	fake_clear();
	fake_add_f64("type.DOUBLE", 100);
	for (const struct verdict *v = of_hundred; v->condition; v++)
		if (!strstr(v->condition, "-1") && !strstr(v->condition, "0x"))
			check("type.DOUBLE", v->condition, v->answer);
	fake_clear();
	fake_add_f64("type.DOUBLE", 2.5);
	check_type("type.DOUBLE", (const struct verdict[]){{"= 2", false},
							   {"!= 2", true},
							   {"> 2", true},
							   {">= 3", false},
							   {"< 3", true},
							   {"<= 2", false},
							   {"in (2, 3)", false},
							   {"!= allof (2, 3)", true},
							   {NULL}});
}

/* A constant that is too wide becomes what a variable of that width would hold. */
static void test_width(void **state)
{
	static const struct {
		const char *field;
		int64_t value;
		const char *condition;
	} widths[] = {
		{"type.INT8", -1, "= 255"},
		{"type.INT8", 0, "= 256"},
		{"type.INT16", -1, "= 65535"},
		{"type.INT32", -1, "= 4294967295"},
		{"type.FD", INT64_MAX, "= 99999999999999999999"},
		{"type.INT64", INT64_MAX, "= 99999999999999999999"},
		{"type.INT64", INT64_MIN, "= -99999999999999999999"},
		{"type.UINT8", 255, "= -1"},
		{"type.FLAGS16", 65535, "= -1"},
		{"type.MODE", 4294967295, "= -1"},
		{"type.UINT32", 0, "= 4294967296"},
		{"type.UINT64", -1, "= -1"},
		{"type.RELTIME", -1, "= 99999999999999999999"},
		{"type.SIGTYPE", 1, "= 257"},
		{"type.ENUMFLAGS8", 128, "= 0x80"},
		{"type.INT8", -128, "= 0x80"},
		{"type.PORT", 4464, "= 70000"},
		{"type.PORT", 0, "= ''"},
	};

	for (size_t i = 0; i < COUNT(widths); i++) {
		fake_clear();
		fake_add_i64(widths[i].field, widths[i].value);
		check(widths[i].field, widths[i].condition, true);
	}
}

static void test_bool(void **state)
{
	fake_clear();
	fake_add_u64("type.BOOL", 1);
	check_type("type.BOOL", (const struct verdict[]){{"= true", true},
							 {"== false", false},
							 {"!= false", true},
							 {"!= true", false},
							 {"in (false)", false},
							 {"in (false, true)", true},
							 {"intersects (true)", true},
							 {"= allof (true, false)", false},
							 {"= anyof (true, false)", true},
							 {"= oneof (true, false)", true},
							 {"!= allof (false)", true},
							 {NULL}});
	fake_add_u64("type.BOOL", 0);
	check("type.BOOL", "= false", true);
	check("type.BOOL", "!= false", false);
}

static const struct verdict of_path[] = {
	{"= /Usr/bin/x", true},
	{"= /usr/bin/x", false},
	{"= /Usr/bin/", false},
	{"== /Usr/bin/x", true},
	{"!= /Usr/bin/x", false},
	{"!= ''", true},
	{"< 5", true},
	{"< -1", false},
	{"> -1", true},
	{"> 0", false},
	{">= 0", false},
	{"<= -1", false},
	{"<= 1e+5", true},
	{"contains bin", true},
	{"contains BIN", false},
	{"contains ''", true},
	{"contains /Usr/bin/xy", false},
	{"icontains BIN", true},
	{"icontains bix", false},
	{"startswith /Usr", true},
	{"startswith Usr", false},
	{"startswith ''", true},
	{"endswith /x", true},
	{"endswith /X", false},
	{"endswith ''", true},
	{"glob /Usr/*", true},
	{"glob /U?r/[a-c]in/x", true},
	{"glob '/Usr/[!b]in/x'", false},
	{"glob /Usr", false},
	{"glob '\\\\/Usr*'", true},
	{"iglob /USR/*", true},
	{"iglob *y", false},
	{"regex '/Usr/[a-z]+/x'", true},
	{"regex '/Usr'", false},
	{"regex '.*/X'", false},
	{"pmatch (/Usr)", true},
	{"pmatch (/usr, /Usr/bin)", true},
	{"pmatch (/Us)", false},
	{"pmatch ()", false},
	{"in (a, /Usr/bin/x)", true},
	{"in (a, b)", false},
	{"in ()", false},
	{"in (1,2,3,4,5,6,7,8,9,/Usr/bin/x)", true},
	{"in (1,2,3,4,5,6,7,8,9,/Usr/bin)", false},
	{"intersects (a, /Usr/bin/x)", true},
	{"intersects (a)", false},
	{"= anyof (a, /Usr/bin/x)", true},
	{"= oneof (a, b)", false},
	{"!= allof (a, b)", true},
	{"!= allof (a, /Usr/bin/x)", false},
	{"contains anyof (q, bin)", true},
	{"contains allof (Usr, bin)", true},
	{"contains allof (Usr, q)", false},
	{"contains oneof (Usr, q)", true},
	{"contains oneof (Usr, bin)", false},
	{"icontains allof (USR, BIN)", true},
	{"startswith anyof (a, /U)", true},
	{"startswith oneof (/, /U)", false},
	{"endswith anyof (a, x)", true},
	{"endswith allof (a, x)", false},
	{"glob anyof (a, /*)", true},
	{"glob allof (/*, *q)", false},
	{"iglob oneof (/U*, /u*)", false},
	{"iglob anyof (q, *X)", true},
	{"regex anyof (q, '.*x')", true},
	{"regex allof ('/.*', '.*x')", true},
	{"regex oneof ('/.*', '.*x')", false},
	{NULL},
};

static void test_texts(void **state)
{
	for (size_t i = 0; i < COUNT(text_types); i++) {
		fake_clear();
		fake_add_text(text_types[i], "/Usr/bin/x");
		check_type(text_types[i], of_path);
	}
}

static void test_bytes(void **state)
{
	fake_clear();
	fake_add_bytes("type.BYTEBUF", "A\0bC", 4);
	check_type("type.BYTEBUF", (const struct verdict[]){{"= \"A\\x00bC\"", true},
							    {"= A", false},
							    {"== A", false},
							    {"!= A", true},
							    {"!= \"A\\x00bC\"", false},
							    {"contains \"\\x00b\"", true},
							    {"contains B", false},
							    {"contains ''", true},
							    {"startswith A", true},
							    {"startswith b", false},
							    {"endswith bC", true},
							    {"endswith c", false},
							    {"bcontains 0062", true},
							    {"bcontains 6200", false},
							    {"bstartswith 4100", true},
							    {"bstartswith 00", false},
							    {"in (x, \"A\\x00bC\")", true},
							    {"in (A, x)", false},
							    {"intersects (\"A\\x00bC\")", true},
							    {"= oneof (A, \"A\\x00bC\")", true},
							    {"bcontains allof (41, 62)", true},
							    {"bcontains anyof (99, 98)", false},
							    {"bstartswith anyof (99, 41)", true},
							    {"startswith anyof (q, A)", true},
							    {"contains allof (b, C, q)", false},
							    {"endswith oneof (C, q)", true},
							    {NULL}});
}

static void test_addresses(void **state)
{
	fake_clear();
	fake_add_ip("type.IPADDR", "10.1.2.3");
	check_type("type.IPADDR", (const struct verdict[]){{"= 10.1.2.3", true},
							   {"= 10.1.2.4", false},
							   {"= ::1", false},
							   {"!= 10.1.2.3", false},
							   {"!= ::1", true},
							   {"in (::1, 10.1.2.3)", true},
							   {"in (::1)", false},
							   {"intersects (10.1.2.3)", true},
							   {"= anyof (::1, 10.1.2.3)", true},
							   {"!= allof (::1, 10.1.2.3)", false},
							   {"= oneof (::1, 10.1.2.3)", true},
							   {NULL}});
	fake_add_ip("type.IPNET", "fe80::1:2");
	check_type("type.IPNET", (const struct verdict[]){{"= fe80::/16", true},
							  {"= fe80::1:0/112", true},
							  {"= fe80::1:0/127", false},
							  {"= fe80::1:3/127", true},
							  {"= 10.0.0.0/8", false},
							  {"!= fe80::/16", false},
							  {"!= 0.0.0.0/0", true},
							  {"in (10.0.0.0/8, fe80::/10)", true},
							  {"in (10.0.0.0/8, ff80::/16)", false},
							  {"intersects (fe80::/10)", true},
							  {"= anyof (::/1, 8000::/1)", true},
							  {"= allof (8000::/1, fe80::/16)", true},
							  {"= allof (8000::/1, ::/1)", false},
							  {"= oneof (8000::/1, fe80::/16)", false},
							  {"!= allof (::/1, 1.0.0.0/8)", true},
							  {"!= allof (::/1, fe80::/16)", false},
							  {NULL}});
}

/* Lists of every type that has them: `in` is every element, `intersects` one. */
static void test_lists(void **state)
{
	static const struct {
		const char *field, *first, *second, *third;
	} lists[] = {
		{"list.CHARBUF", "a", "b", "c"},
		{"list.UINT64", "1", "2", "3"},
		{"list.RELTIME", "1", "2", "3ns"},
		{"list.ABSTIME", "1", "2", "3"},
		{"list.IPADDR", "1.1.1.1", "::2", "3.3.3.3"},
		{"list.IPNET", "1.1.1.1/32", "::2/128", "3.3.3.3/32"},
	};
	char condition[128];

	for (size_t i = 0; i < COUNT(lists); i++) {
		fake_clear();
		if (strchr(lists[i].first, '.')) {
			fake_add_ip(lists[i].field, "1.1.1.1");
			fake_add_ip(lists[i].field, "::2");
		} else if (lists[i].first[0] == 'a') {
			fake_add_text(lists[i].field, "a");
			fake_add_text(lists[i].field, "b");
		} else {
			fake_add_u64(lists[i].field, 1);
			fake_add_u64(lists[i].field, 2);
		}
		for (int way = 0; way < 2; way++) {
			snprintf(condition, sizeof(condition), "%s (%s, %s, %s)",
				 way ? "intersects" : "in", lists[i].first, lists[i].second,
				 lists[i].third);
			check(lists[i].field, condition, true);
			snprintf(condition, sizeof(condition), "%s (%s, %s)",
				 way ? "intersects" : "in", lists[i].second, lists[i].third);
			check(lists[i].field, condition, way == 1);
			snprintf(condition, sizeof(condition), "%s (%s)", way ? "intersects" : "in",
				 lists[i].third);
			check(lists[i].field, condition, false);
			snprintf(condition, sizeof(condition), "%s ()", way ? "intersects" : "in");
			check(lists[i].field, condition, false);
		}
		check(lists[i].field, "exists", true);
		fake_clear();
		fake_set_empty(lists[i].field);
		snprintf(condition, sizeof(condition), "in (%s)", lists[i].first);
		check(lists[i].field, condition, true);
		snprintf(condition, sizeof(condition), "intersects (%s)", lists[i].first);
		check(lists[i].field, condition, false);
		check(lists[i].field, "exists", true);
		fake_clear();
		snprintf(condition, sizeof(condition), "in (%s)", lists[i].first);
		check(lists[i].field, condition, false);
		check(lists[i].field, "exists", false);
	}
	fake_add_u64("list.BOOL", 1);
	fake_add_u64("list.BOOL", 0);
	check("list.BOOL", "in (true, false)", true);
	check("list.BOOL", "in (true)", false);
	check("list.BOOL", "intersects (false)", true);
}

/* Against another field of the type: a smaller value on the left, an equal one, a greater one. */
static void check_fields(const char *type, void set(const char *field, int rank))
{
	static const struct {
		const char *op;
		bool answers[3];
	} ops[] = {
		{"=", {false, true, false}},	      {"==", {false, true, false}},
		{"!=", {true, false, true}},	      {"<", {true, false, false}},
		{"<=", {true, true, false}},	      {">", {false, false, true}},
		{">=", {false, true, true}},	      {"in", {false, true, false}},
		{"intersects", {false, true, false}},
	};
	bool ordered = strcmp(type, "BOOL") != 0 && strcmp(type, "BYTEBUF") != 0 &&
		       strcmp(type, "IPADDR") != 0;
	char left[32], right[32], text[128];

	snprintf(left, sizeof(left), "type.%s", type);
	snprintf(right, sizeof(right), "other.%s", type);
	for (size_t i = 0; i < COUNT(ops); i++) {
		if (!ordered && (ops[i].op[0] == '<' || ops[i].op[0] == '>'))
			continue;
		snprintf(text, sizeof(text), "%s val(%s)", ops[i].op, right);
		for (int rank = 0; rank < 3; rank++) {
			fake_clear();
			set(left, rank);
			set(right, 1);
			check(left, text, ops[i].answers[rank]);
		}
		fake_clear();
		set(left, 1);
		check(left, text, false);
		fake_clear();
		set(right, 1);
		check(left, text, false);
	}
}

static void set_signed(const char *field, int rank)
{
	fake_add_i64(field, rank - 1);
}

static void set_unsigned(const char *field, int rank)
{
	fake_add_u64(field, (uint64_t)rank);
}

static void set_greatest(const char *field, int rank)
{
	fake_add_u64(field, UINT64_MAX - 2 + (uint64_t)rank);
}

static void set_double(const char *field, int rank)
{
	fake_add_f64(field, rank / 2.0 - 0.5);
}

static void set_text(const char *field, int rank)
{
	static const char *const texts[] = {"", "a\x7f", "a\xff"};

	fake_add_text(field, texts[rank]);
}

static void set_ip(const char *field, int rank)
{
	static const char *const addresses[] = {"1.2.3.4", "::1", "::2"};

	fake_add_ip(field, addresses[rank]);
}

static void set_bool(const char *field, int rank)
{
	fake_add_u64(field, rank == 1);
}

static void test_fields(void **state)
{
	for (size_t i = 0; i < COUNT(signed_types); i++)
		check_fields(strchr(signed_types[i], '.') + 1, set_signed);
	for (size_t i = 0; i < COUNT(unsigned_types); i++)
		check_fields(strchr(unsigned_types[i], '.') + 1, set_unsigned);
	for (size_t i = 0; i < COUNT(text_types); i++)
		check_fields(strchr(text_types[i], '.') + 1, set_text);
	check_fields("UINT64", set_greatest);
	check_fields("PORT", set_unsigned);
	check_fields("DOUBLE", set_double);
	check_fields("IPADDR", set_ip);
	check_fields("BOOL", set_bool);
	check_fields("BYTEBUF", set_text);
}

/* Operators on texts take fields, too. */
static void test_text_fields(void **state)
{
	static const struct {
		const char *left, *op, *right;
		bool answer;
	} cases[] = {
		{"abc", "contains", "b", true},	   {"abc", "contains", "B", false},
		{"abc", "icontains", "B", true},   {"abc", "icontains", "d", false},
		{"abc", "startswith", "ab", true}, {"abc", "startswith", "bc", false},
		{"abc", "endswith", "bc", true},   {"abc", "endswith", "ab", false},
		{"abc", "glob", "a*", true},	   {"abc", "glob", "A*", false},
		{"abc", "iglob", "A*", true},	   {"abc", "iglob", "B*", false},
		{"abc", "startswith", "", true},   {"", "contains", "", true},
	};
	char text[64];

	for (size_t i = 0; i < COUNT(cases); i++) {
		fake_clear();
		fake_add_text("type.CHARBUF", cases[i].left);
		fake_add_text("other.CHARBUF", cases[i].right);
		snprintf(text, sizeof(text), "%s val(other.CHARBUF)", cases[i].op);
		check("type.CHARBUF", text, cases[i].answer);
		fake_clear();
		fake_add_text("type.CHARBUF", cases[i].left);
		check("type.CHARBUF", text, false);
	}
	fake_clear();
	fake_add_bytes("type.BYTEBUF", "a\0b", 3);
	fake_add_bytes("other.BYTEBUF", "\0b", 2);
	check("type.BYTEBUF", "contains val(other.BYTEBUF)", true);
	check("type.BYTEBUF", "endswith val(other.BYTEBUF)", true);
	check("type.BYTEBUF", "startswith val(other.BYTEBUF)", false);
	check("type.BYTEBUF", "bcontains val(other.BYTEBUF)", true);
	check("type.BYTEBUF", "bstartswith val(other.BYTEBUF)", false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_signed),	  cmocka_unit_test(test_unsigned),
	cmocka_unit_test(test_width),	  cmocka_unit_test(test_bool),
	cmocka_unit_test(test_texts),	  cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_addresses), cmocka_unit_test(test_lists),
	cmocka_unit_test(test_fields),	  cmocka_unit_test(test_text_fields),
};

UNIT_GROUP(tests);
