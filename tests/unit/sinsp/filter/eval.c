/* SPDX-License-Identifier: MIT */
/* What filters answer: every operator with every type of value, and with none. */
#include <stdio.h>
#include <string.h>

#include "fake_fields.h"
#include "filtered.h"
#include "sinsp/filter/filter.h"
#include "unit.h"

struct verdict {
	const char *text;
	bool passes;
};

static void check_all(const struct verdict *verdicts)
{
	for (; verdicts->text; verdicts++)
		if (filtered(NULL, verdicts->text) != verdicts->passes)
			fail_msg("'%s' should be %s", verdicts->text,
				 verdicts->passes ? "true" : "false");
}

#define CHECK(...) check_all((const struct verdict[]){__VA_ARGS__, {NULL}})

static void test_numbers(void **state)
{
	fake_clear();
	fake_add_i64("num.i8", -5);
	fake_add_i64("num.i64", -7);
	fake_add_u64("num.u16", 65535);
	fake_add_u64("num.u64", UINT64_MAX);
	fake_add_f64("num.double", 2.5);
	fake_add_u64("num.port", 80);
	fake_add_u64("bool.a", 1);
	CHECK({"num.i8 = -5", true}, {"num.i8 == -5", true}, {"num.i8 = 251", true},
	      {"num.i8 != -5", false}, {"num.i8 != 5", true}, {"num.i8 < 0", true},
	      {"num.i8 < -5", false}, {"num.i8 <= -5", true}, {"num.i8 > -6", true},
	      {"num.i8 > -5", false}, {"num.i8 >= -5", true}, {"num.i8 in (1, 2, -5)", true},
	      {"num.i8 in ()", false}, {"num.i8 intersects (-5)", true}, {"num.i8 exists", true},
	      {"num.i64 = -7", true}, {"num.i64 < 1", true}, {"num.i64 = ' +7'", false},
	      {"num.i64 < 99999999999999999999", true}, {"num.i64 = 007", false});
	CHECK({"num.u16 = -1", true}, {"num.u16 = 131071", true}, {"num.u16 > 1", true},
	      {"num.u64 = -1", true}, {"num.u64 = 18446744073709551615", true},
	      {"num.u64 = 99999999999999999999", true}, {"num.u64 > 1", true},
	      {"num.u64 < 1", false});
	CHECK({"num.double > 2", true}, {"num.double < 3", true}, {"num.double = 2", false},
	      {"num.double != 2", true}, {"num.double in (1, 2)", false});
	CHECK({"num.port = 80", true}, {"num.port = http", true}, {"num.port = 65616", true},
	      {"num.port in (ssh, http)", true}, {"num.port = ''", false},
	      {"num.port >= 80", true});
	CHECK({"bool.a = true", true}, {"bool.a = false", false}, {"bool.a != false", true},
	      {"bool.a in (false, true)", true});
}

static void test_texts(void **state)
{
	fake_clear();
	fake_add_text("text.a", "/usr/bin/Cat.so");
	fake_add_text("text.b", "");
	CHECK({"text.a = /usr/bin/Cat.so", true}, {"text.a = /usr/bin/cat.so", false},
	      {"text.a != x", true}, {"text.a contains bin", true}, {"text.a contains cat", false},
	      {"text.a contains ''", true}, {"text.a icontains cAT", true},
	      {"text.a startswith /usr", true}, {"text.a startswith usr", false},
	      {"text.a startswith /usr/bin/Cat.so.6", false}, {"text.a endswith .so", true},
	      {"text.a endswith .S", false}, {"text.a endswith x/usr/bin/Cat.so", false});
	CHECK({"text.a glob /usr/*.so", true}, {"text.a glob *", true},
	      {"text.a glob '/usr/bin/[BC]at.?o'", true}, {"text.a glob cat", false},
	      {"text.a iglob */CAT.SO", true}, {"text.a glob */CAT.SO", false},
	      {"text.a in (a, b, /usr/bin/Cat.so)", true}, {"text.a in (a, b)", false},
	      {"text.a in (a,b,c,d,e,f,g,h,i,/usr/bin/Cat.so)", true},
	      {"text.a in (a,b,c,d,e,f,g,h,i,j,k)", false}, {"text.a intersects (x)", false},
	      {"text.a in name", false});
	CHECK({"text.b = ''", true}, {"text.b exists", true}, {"text.b != ''", false},
	      {"text.b contains ''", true}, {"text.b glob *", true}, {"text.b regex ''", true},
	      {"text.b endswith ''", true}, {"text.b pmatch (/)", true},
	      {"text.b pmatch (/a)", false});
}

static void test_quantifiers(void **state)
{
	fake_clear();
	fake_add_text("text.a", "abc");
	fake_add_i64("num.i64", 4);
	CHECK({"text.a contains anyof (x, b)", true}, {"text.a contains anyof (x, y)", false},
	      {"text.a contains allof (a, b, c)", true}, {"text.a contains allof (a, x)", false},
	      {"text.a contains oneof (a, x)", true}, {"text.a contains oneof (a, b)", false},
	      {"text.a contains oneof (a, a)", false}, {"text.a contains anyof ()", false},
	      {"text.a contains allof ()", false}, {"text.a contains oneof ()", false});
	CHECK({"text.a = anyof (x, abc)", true}, {"text.a != anyof (abc, x)", true},
	      {"text.a != anyof (abc, abc)", false}, {"text.a != allof (x, y)", true},
	      {"text.a != allof (x, abc)", false}, {"text.a = allof (abc, abc)", true},
	      {"text.a != allof (1,2,3,4,5,6,7,8,9)", true},
	      {"text.a != allof (1,2,3,4,5,6,7,8,abc)", false},
	      {"text.a != anyof (1,2,3,4,5,6,7,8,abc)", true},
	      {"text.a = anyof (1,2,3,4,5,6,7,8,abc)", true},
	      {"num.i64 = anyof (1,2,3,5,6,7,8,9,4)", true},
	      {"num.i64 in (1,2,3,5,6,7,8,9,10)", false});
	CHECK({"text.a = oneof", false}, {"text.a = anyof and num.i64=4", false},
	      {"text.a != anyof and num.i64=4", true});
}

static void test_paths(void **state)
{
	fake_clear();
	fake_add_text("text.a", "/var/run//x");
	CHECK({"text.a pmatch (/var)", true}, {"text.a pmatch (var/)", true},
	      {"text.a pmatch (/var/run)", true}, {"text.a pmatch (/var/run/x)", true},
	      {"text.a pmatch (/var/run/x/y)", false}, {"text.a pmatch (/va)", false},
	      {"text.a pmatch (/etc, /var)", true}, {"text.a pmatch (/)", true},
	      {"text.a pmatch ()", false}, {"text.a pmatch (/v*/r?n)", true},
	      {"text.a pmatch (/v*)", true}, {"text.a pmatch (/*n)", false},
	      {"text.a pmatch ('/[uv]ar')", true}, {"text.a pmatch var", true});
}

/* Each component for itself: only one with wildcards is a pattern, of whatever length. */
static void test_path_components(void **state)
{
	char path[400] = "/a\\b/", condition[] = "text.a pmatch ('/a\\\\b/x*/c')";

	memset(path + strlen(path), 'x', 300);
	strcat(path, "/c/d");
	fake_clear();
	fake_add_text("text.a", path);
	assert_true(filtered(NULL, condition));
	assert_false(filtered(NULL, "text.a pmatch ('/ab/x*')"));
	assert_false(filtered(NULL, "text.a pmatch ('/a\\\\b/x*/d')"));
}

static void test_regex(void **state)
{
	fake_clear();
	fake_add_text("text.a", "curl -x\nb");
	fake_add_bytes("text.b",
		       "a\xff"
		       "b",
		       3);
	fake_add_text("path.a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	CHECK({"text.a regex 'cu.*'", false}, {"text.a regex 'cu[^z]*'", true},
	      {"text.a regex 'curl'", false}, {"text.a regex 'x|curl -x\nb'", true},
	      {"text.a regex 'c{1}u{0,3}[[:alpha:]]{2,} -x[[:space:]]b'", true},
	      {"text.a regex 'curl.-x$\n^b'", true},
	      {"text.a regex 'c+?(a?)(u|x)*rl -x\nb'", true});
	CHECK({"text.b regex 'a.b'", true}, {"text.b regex 'a..b'", false});
	/* Would take 2^60 steps by trying. */
	CHECK({"path.a regex '(a*)*(a*)*(a*)*c'", false}, {"path.a regex '(a|aa)*b'", true});
}

/* Stars upon stars on a long value end at once, too. */
static void test_hard_globs(void **state)
{
	static char value[20001], text[400] = "text.a glob ";

	memset(value, 'a', sizeof(value) - 1);
	fake_clear();
	fake_add_text("text.a", value);
	for (int i = 0; i < 120; i++)
		strcat(text, "*a");
	strcat(text, "*b");
	assert_false(filtered(NULL, text));
	text[strlen(text) - 1] = 'a';
	assert_true(filtered(NULL, text));
	assert_false(filtered(NULL, "text.a iglob *[a-z]*?*[!b]*?*[a-z]*?*b"));
}

static void test_bytes(void **state)
{
	fake_clear();
	fake_add_bytes("bytes.a", "GET\0/x", 6);
	fake_add_bytes("bytes.b", "GET\0/x", 6);
	CHECK({"bytes.a contains GET", true}, {"bytes.a contains \"T\\x00/\"", true},
	      {"bytes.a startswith GET", true}, {"bytes.a endswith /x", true},
	      {"bytes.a = GET", false}, {"bytes.a = \"GET\\x00/x\"", true},
	      {"bytes.a in (a, \"GET\\x00/x\")", true}, {"bytes.a bcontains 54002f", true},
	      {"bytes.a bcontains 54002F", true}, {"bytes.a bcontains 5401", false},
	      {"bytes.a bstartswith 4745", true}, {"bytes.a bstartswith 45", false},
	      {"bytes.a bcontains ''", true}, {"bytes.a = val(bytes.b)", true},
	      {"len(bytes.a) = 6", true});
}

static void test_addresses(void **state)
{
	fake_clear();
	fake_add_ip("ip.a", "10.1.2.3");
	fake_add_ip("ip.b", "fe80::1");
	fake_add_ip("net.a", "10.1.2.3");
	CHECK({"ip.a = 10.1.2.3", true}, {"ip.a != 10.1.2.4", true}, {"ip.a = ::1", false},
	      {"ip.a != ::1", true}, {"ip.a in (::1, 10.1.2.3)", true}, {"ip.b = fe80::1", true},
	      {"ip.b = fe80:0::1", true}, {"ip.a = val(ip.b)", false}, {"ip.a != val(ip.b)", true});
	CHECK({"net.a = 10.0.0.0/8", true}, {"net.a = 10.1.2.99/24", true},
	      {"net.a = 10.1.3.0/24", false}, {"net.a = 10.1.2.0/25", true},
	      {"net.a = 10.1.2.128/25", false}, {"net.a = 0.0.0.0/0", true},
	      {"net.a = 10.1.2.3/32", true}, {"net.a = fe80::/10", false},
	      {"net.a != fe80::/10", true}, {"net.a in (fe80::/10, 10.0.0.0/8)", true},
	      {"net.a = anyof (192.168.0.0/16, 10.0.0.0/8)", true},
	      {"net.a != allof (192.168.0.0/16, 10.0.0.0/8)", false});
}

static void test_either_end(void **state)
{
	fake_clear();
	fake_add_ip("ends.ip", "10.0.0.1");
	fake_add_ip("ends.ip", "10.0.0.2");
	fake_add_ip("ends.net", "10.0.0.1");
	fake_add_ip("ends.net", "192.168.0.1");
	fake_add_u64("ends.port", 40000);
	fake_add_u64("ends.port", 80);
	CHECK({"ends.ip = 10.0.0.1", true}, {"ends.ip = 10.0.0.2", true},
	      {"ends.ip = 10.0.0.3", false}, {"ends.ip != 10.0.0.1", false},
	      {"ends.ip != 10.0.0.3", true}, {"ends.ip in (10.0.0.9, 10.0.0.2)", true},
	      {"ends.ip intersects (10.0.0.2)", true}, {"ends.ip in (10.0.0.9)", false},
	      {"ends.ip exists", true});
	CHECK({"ends.net = 10.0.0.0/8", true}, {"ends.net != 10.0.0.0/8", false},
	      {"ends.net in (fe80::/10, 192.168.0.0/16)", true}, {"ends.net != 11.0.0.0/8", true});
	CHECK({"ends.port = 80", true}, {"ends.port != 80", false}, {"ends.port != 81", true},
	      {"ends.port < 100", true}, {"ends.port > 30000", true}, {"ends.port > 40000", false},
	      {"ends.port in (1, 80)", true}, {"ends.port = allof (80, 40000)", true},
	      {"ends.port = oneof (80, 40000)", false}, {"ends.port != allof (1, 2)", true},
	      {"ends.port != allof (1, 80)", false}, {"ends.port in (1,2,3,4,5,6,7,8,9,80)", true},
	      {"ends.port != allof (1,2,3,4,5,6,7,8,9,80)", false});
	fake_clear();
	CHECK({"ends.ip != 10.0.0.1", false}, {"ends.ip exists", false},
	      {"not ends.ip = 10.0.0.1", true});
}

static void test_ancestors(void **state)
{
	fake_clear();
	fake_add_text("kin.text", "sh");
	fake_add_text("kin.text", "sshd");
	fake_add_text("kin.text", "init");
	fake_add_i64("kin.num", 30);
	fake_add_i64("kin.num", 1);
	CHECK({"kin.text = init", true}, {"kin.text = cron", false}, {"kin.text != sh", true},
	      {"kin.text contains ssh", true}, {"kin.text in (a, sshd)", true},
	      {"kin.text in ()", false}, {"kin.text exists", true}, {"kin.text[2] = sshd", true},
	      {"kin.text[2] != sshd", false}, {"kin.text[9] exists", false},
	      {"kin.text != allof (sh, sshd)", true}, {"kin.num in (1, 2)", true},
	      {"kin.num < 30", true}, {"kin.num != anyof (1, 30)", true});
	fake_clear();
	fake_add_text("kin.text", "sh");
	CHECK({"kin.text != sh", false}, {"kin.num exists", false}, {"kin.num != 1", false});
}

static void test_lists(void **state)
{
	fake_clear();
	fake_add_text("list.text", "file");
	fake_add_text("list.text", "pipe");
	fake_add_text("list.other", "pipe");
	fake_add_u64("list.num", 3);
	CHECK({"list.text in (file, pipe, x)", true}, {"list.text in (file)", false},
	      {"list.text intersects (x, pipe)", true}, {"list.text intersects (x)", false},
	      {"list.text exists", true}, {"list.text[0] = file", true},
	      {"list.text[1] != file", true}, {"list.text[7] = file", false},
	      {"list.num in (3)", true}, {"len(list.text) = 2", true},
	      {"list.text intersects val(list.other)", true},
	      {"list.text in val(list.other)", false}, {"list.other in val(list.text)", true});
	fake_clear();
	CHECK({"list.text in (file)", false}, {"list.text exists", false},
	      {"len(list.text) = 0", true});
	fake_set_empty("list.text");
	CHECK({"list.text in (file)", true}, {"list.text intersects (file)", false},
	      {"list.text exists", true}, {"len(list.text) = 0", true});
}

static void test_absent(void **state)
{
	static const char *const checks[] = {
		"num.i64 = 0",		"num.i64 != 0",
		"num.i64 < 1",		"num.i64 in (0)",
		"num.i64 exists",	"text.a = ''",
		"text.a != x",		"text.a glob *",
		"text.a pmatch (/)",	"text.a regex ''",
		"text.a contains ''",	"text.a != allof (a)",
		"text.a = val(text.b)", "text.a != val(text.b)",
		"bytes.a contains ''",	"ip.a != ::1",
		"net.a != ::/1",	"bool.a = false",
		"tolower(text.a) != x", "concat(text.a, 'x') exists",
		"near.ns = 5",
	};

	fake_clear();
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		char inverted[128];

		if (filtered(NULL, checks[i]))
			fail_msg("'%s' should be false", checks[i]);
		snprintf(inverted, sizeof(inverted), "not (%s)", checks[i]);
		if (!filtered(NULL, inverted))
			fail_msg("'%s' should be true", inverted);
	}
}

static void test_right_fields(void **state)
{
	fake_clear();
	fake_add_text("text.a", "bash");
	fake_add_text("text.b", "BASH");
	fake_add_u64("num.u64", 4);
	fake_add_u64("num.u64b", 5);
	CHECK({"text.a = val(text.b)", false}, {"text.a != val(text.b)", true},
	      {"text.a = tolower(text.b)", true}, {"tolower(text.b) = val(text.a)", true},
	      {"text.a > val(text.b)", true}, {"text.a <= val(text.b)", false},
	      {"text.b < val(text.a)", true}, {"text.a >= val(text.a)", true},
	      {"text.a contains val(text.a)", true}, {"text.a in val(text.a)", true},
	      {"text.a startswith val(text.none)", false}, {"text.a icontains val(text.b)", true});
	CHECK({"num.u64 < val(num.u64b)", true}, {"num.u64 = len(text.a)", true},
	      {"num.u64 = val(num.u64b)", false}, {"len(text.a) = val(num.u64)", true});
	/* Without val() the name of a field is a text. */
	CHECK({"text.a = text.a", false});
}

static void test_within(void **state)
{
	fake_clear();
	fake_add_u64("near.ns", 5000000);
	CHECK({"near.ns = 5", true}, {"near.ns = 4", false},
	      {"near.ns = 18446744073709551615", true}, {"near.ns exists", true});
}

static void test_logic(void **state)
{
	fake_clear();
	fake_add_text("text.a", "a");
#define T "text.a = a"
#define F "text.a = b"
	CHECK({T, true}, {F, false}, {"not " F, true}, {"not not " F, false}, {T " and " T, true},
	      {T " and " F, false}, {F " or " T, true}, {F " or " F, false},
	      {T " or " F " and " F, true}, {"(" T " or " F ") and " F, false},
	      {"not (" T " and " F ")", true}, {"not (" T " or " F ")", false},
	      {F " or " F " or " F " or " T, true}, {T " and " T " and " T " and " F, false},
	      {"not(" F ") and not(" F " and " T ")", true},
	      {"(" F " and " T ") or (" T " and not " F ")", true},
	      {"(" F " or " F ") or (" F " or (" T " and not (" F " or " F ")))", true},
	      {F " or(" T ")", true}, {T " and(" F ")", false});
}

/* Every program of five checks joined at random gives what C gives. */
static void test_logic_against_c(void **state)
{
	static const char *const names[] = {"text.a = b", "text.a = a"};

	fake_clear();
	fake_add_text("text.a", "a");
	for (unsigned int bits = 0; bits < 1u << 10; bits++) {
		bool v[4], expected;
		bool o1 = bits & 16, o2 = bits & 32, o3 = bits & 64, n1 = bits & 128,
		     n2 = bits & 256;
		char text[256];

		for (int i = 0; i < 4; i++)
			v[i] = bits >> i & 1;
		snprintf(text, sizeof(text), "%s(%s %s %s) %s %s(%s %s %s)", n1 ? "not " : "",
			 names[v[0]], o1 ? "or" : "and", names[v[1]], o2 ? "or" : "and",
			 n2 ? "not " : "", names[v[2]], o3 ? "or" : "and", names[v[3]]);
		bool left = (o1 ? v[0] || v[1] : v[0] && v[1]) != n1;
		bool right = (o3 ? v[2] || v[3] : v[2] && v[3]) != n2;

		expected = o2 ? left || right : left && right;
		if (filtered(NULL, text) != expected)
			fail_msg("%s", text);
	}
}

static void test_needs(void **state)
{
	struct filter *filter;

	assert_int_equal(filter_create("num.i8=1 or num.i64=1", NULL, &filter, NULL), 0);
	assert_int_equal(filter_needs(filter), NEEDS_THREADS | NEEDS_FDS);
	filter_destroy(filter);
	assert_int_equal(filter_create("text.a=x", NULL, &filter, NULL), 0);
	assert_int_equal(filter_needs(filter), NEEDS_NOTHING);
	filter_destroy(filter);
	filter_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_numbers),		cmocka_unit_test(test_texts),
	cmocka_unit_test(test_quantifiers),	cmocka_unit_test(test_paths),
	cmocka_unit_test(test_path_components), cmocka_unit_test(test_regex),
	cmocka_unit_test(test_hard_globs),	cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_addresses),	cmocka_unit_test(test_either_end),
	cmocka_unit_test(test_ancestors),	cmocka_unit_test(test_lists),
	cmocka_unit_test(test_absent),		cmocka_unit_test(test_right_fields),
	cmocka_unit_test(test_within),		cmocka_unit_test(test_logic),
	cmocka_unit_test(test_logic_against_c), cmocka_unit_test(test_needs),
};

UNIT_GROUP(tests);
