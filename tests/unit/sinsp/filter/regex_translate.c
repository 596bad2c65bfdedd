/* SPDX-License-Identifier: MIT */
/* RE2's POSIX syntax in PCRE2's words, and what is rejected. */
#include <string.h>

#include "sinsp/filter/regex.h"
#include "unit.h"

static const char *translate(const char *pattern, struct buf *out)
{
	const struct filter_text text = {pattern, strlen(pattern)};
	const char *wrong;

	buf_clear(out);
	wrong = filter_regex_translate(&text, out);
	buf_append_char(out, '\0');
	return wrong;
}

static void test_translated(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"abc", "abc"},
		{"a.b*c+d?", "a.b*c+d?"},
		{"a|b|", "a|b|"},
		{"(a(b))*", "(?:a(?:b))*"},
		{"()", "(?:)"},
		{"a**", "(?:a*)*"},
		{"a+?", "(?:a+)?"},
		{"xa++*", "x(?:(?:a+)+)*"},
		{"(ab)+?", "(?:(?:ab)+)?"},
		{"\xc3\xa4+?", "(?:\\x{e4}+)?"},
		{"^a$", "(?:^)a(?:$)"},
		{"^*", "(?:^)*"},
		{"a{2}b{2,}c{2,3}", "a{2}b{2,}c{2,3}"},
		{"a{2}{3}", "(?:a{2}){3}"},
		{"a{,3}", "a\\x{7b}\\x{2c}3\\x{7d}"},
		{"{", "\\x{7b}"},
		{"a{b}", "a\\x{7b}b\\x{7d}"},
		{"]}", "\\x{5d}\\x{7d}"},
		{"\\.\\*\\(", "\\x{2e}\\x{2a}\\x{28}"},
		{"\\n\\t\\x41\\x{1F600}\\0\\12", "\\x{a}\\x{9}A\\x{1f600}\\x{0}\\x{a}"},
		{"[abc]", "[abc]"},
		{"[^a-z]", "[^a-z]"},
		{"[]a]", "[\\x{5d}a]"},
		{"[^]a]", "[^\\x{5d}a]"},
		{"[a-]", "[a\\x{2d}]"},
		{"[-a]", "[\\x{2d}a]"},
		{"[[:alpha:]_]+?", "(?:[[:alpha:]\\x{5f}]+)?"},
		{"[[a]", "[\\x{5b}a]"},
		{"[\\]\\-]", "[\\x{5d}\\x{2d}]"},
		{"a b#c", "a\\x{20}b\\x{23}c"},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_null(translate(pairs[i][0], &out));
		assert_string_equal(out.data, pairs[i][1]);
	}
	buf_finish(&out);
}

static void test_rejected(void **state)
{
	static const char *const patterns[] = {
		"*",	 "+a",		"a|*",	   "(*a)",  "(?:a)",  "(?i)a",	 "(*UTF)",
		"(",	 ")",		"(a",	   "a)",    "[",      "[a",	 "[]",
		"[^]",	 "[z-a]",	"[a-c-e]", "\\",    "\\d",    "\\w",	 "\\b",
		"\\1",	 "\\A",		"\\Q",	   "\\pL",  "\\x",    "\\x4",	 "\\xg1",
		"\\x{}", "\\x{110000}", "\\x{41",  "[\\d]", "a{3,2}", "a{1001}", "a{99999999999}",
		"\xff",	 "a\xc3",	"{2}",
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!translate(patterns[i], &out))
			fail_msg("'%s' should be rejected", patterns[i]);
	buf_finish(&out);
}

/* The message for each kind of mistake. */
static void test_messages(void **state)
{
	static const char *const pairs[][2] = {
		{"*", "nothing to repeat"},
		{"(", "missing )"},
		{")", "unexpected )"},
		{"[a", "missing ]"},
		{"[z-a]", "invalid range in a class"},
		{"a\\", "trailing backslash"},
		{"\\d", "[[:digit:]]"},
		{"\\x{110000}", "invalid escape sequence"},
		{"a{3,2}", "invalid repetition count"},
		{"a\xff", "invalid UTF-8"},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *wrong = translate(pairs[i][0], &out);

		if (!wrong || !strstr(wrong, pairs[i][1]))
			fail_msg("'%s': %s", pairs[i][0], wrong ? wrong : "translated");
	}
	buf_finish(&out);
}

static const char *translate_groups(int n, struct buf *out)
{
	char pattern[1024];

	memset(pattern, '(', (size_t)n);
	memset(pattern + n, ')', (size_t)n);
	pattern[2 * n] = '\0';
	return translate(pattern, out);
}

static void test_limits(void **state)
{
	struct buf out = {0};

	assert_null(translate_groups(255, &out));
	assert_string_equal(translate_groups(256, &out), "too many groups");
	assert_null(translate("a{1000}", &out));
	assert_non_null(translate("a{1001}", &out));
	assert_null(translate("a{0,1000}", &out));
	assert_non_null(translate("a{0,1001}", &out));
	assert_non_null(translate("a{4294967297}", &out));
	assert_null(translate("\\x{10ffff}", &out));
	assert_string_equal(out.data, "\\x{10ffff}");
	assert_null(translate("\\x{0000041}", &out));
	assert_non_null(translate("\\x{000000041}", &out));
	buf_finish(&out);
}

/* The length counts, not a NUL byte; nothing after it is looked at. */
static void test_length(void **state)
{
	struct buf out = {0};

	assert_null(filter_regex_translate(&(struct filter_text){"a\0b)", 3}, &out));
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "a\\x{0}b");
	buf_clear(&out);
	assert_null(filter_regex_translate(&(struct filter_text){"a[[:alpha:]]", 1}, &out));
	assert_non_null(filter_regex_translate(&(struct filter_text){"[[:alpha:]]", 10}, &out));
	assert_non_null(filter_regex_translate(&(struct filter_text){"\\x41", 3}, &out));
	assert_non_null(filter_regex_translate(&(struct filter_text){"\\x{41}", 5}, &out));
	buf_finish(&out);
}

/* What is appended goes after what is there; without memory the buffer says so. */
static void test_buffer(void **state)
{
	struct buf out = {0};
	char memory[6];

	BUF_LITERAL(&out, "^");
	assert_null(filter_regex_translate(&(struct filter_text){"a++", 3}, &out));
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "^(?:a+)+");
	buf_finish(&out);
	out = buf_fixed(memory, sizeof(memory));
	assert_null(filter_regex_translate(&(struct filter_text){"a++", 3}, &out));
	assert_true(out.failed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_translated), cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_messages),   cmocka_unit_test(test_limits),
	cmocka_unit_test(test_length),	   cmocka_unit_test(test_buffer),
};

UNIT_GROUP(tests);
