/* SPDX-License-Identifier: MIT */
/* Filters about values of which a part is missing: yes, no, and unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_fields.h"
#include "grouped.h"
#include "sinsp/fields/cut.h"
#include "sinsp/filter/doubt.h"
#include "unit.h"

static const struct state_event event;

enum wanted { NO, YES, UNKNOWN };

static enum wanted answer_of(const char *text)
{
	struct filter_error err;
	struct filter *filter;
	enum wanted found = NO;

	if (filter_create(text, NULL, &filter, &err))
		fail_msg("%s: %s", text, err.text);
	if (filter_match(filter, &event))
		found = filter_is_unknown(filter) ? UNKNOWN : YES;
	filter_destroy(filter);
	return found;
}

struct expected {
	const char *text;
	enum wanted wanted;
};

static void expect(const struct expected *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (answer_of(list[i].text) != list[i].wanted)
			fail_msg("%s: %d", list[i].text, answer_of(list[i].text));
}

#define EXPECT(...)                                                                                \
	do {                                                                                       \
		const struct expected list[] = {__VA_ARGS__};                                      \
                                                                                                   \
		expect(list, sizeof(list) / sizeof(list[0]));                                      \
	} while (0)

/* "/usr/bin" and something, and "x/name". */
static void set_cut(void)
{
	fake_clear();
	fake_add_text("text.a", "/usr/bin...x/name");
	fake_set_cut("text.a", CUT_SHOWN);
	fake_add_text("text.b", "whole");
}

static void test_operators(void **state)
{
	set_cut();
	EXPECT({"text.a exists", YES}, {"text.a contains bin", YES},
	       {"text.a contains curl", UNKNOWN}, {"text.a contains ...", UNKNOWN},
	       {"text.a icontains NAME", YES}, {"text.a icontains CURL", UNKNOWN},
	       {"text.a startswith /usr", YES}, {"text.a startswith /etc", NO},
	       {"text.a startswith /usr/bin/a", UNKNOWN},
	       {"text.a startswith /usr/lib/aaaaaaaaaaaaaaaaaaaaaaaa", NO},
	       {"text.a endswith name", YES}, {"text.a endswith other", NO},
	       {"text.a endswith /y/x/name", UNKNOWN}, {"text.a = /usr/bin", NO},
	       {"text.a = /usr/bin/y/x/name", UNKNOWN}, {"text.a = /etc/bin/y/x/name", NO},
	       {"text.a in (a, /usr/bin/x/name)", UNKNOWN}, {"text.a in (a, b)", NO},
	       {"text.a in (a, b, c, d, e, f, g, h, i)", NO},
	       {"text.a in (a, b, c, d, e, f, g, h, /usr/bin/x/name)", UNKNOWN},
	       {"text.a glob /usr/*", YES}, {"text.a glob */name", YES}, {"text.a glob /etc/*", NO},
	       {"text.a glob *.txt", NO}, {"text.a glob *curl*", UNKNOWN},
	       {"text.a glob *bin*", YES}, {"text.a iglob /USR/*", YES},
	       {"text.a regex .*curl.*", UNKNOWN}, {"text.a pmatch (/usr/bin)", UNKNOWN},
	       {"text.a = val(text.b)", UNKNOWN}, {"tolower(text.a) contains curl", UNKNOWN},
	       {"len(text.a) > 3", UNKNOWN}, {"text.b contains curl", NO}, {"text.b = whole", YES});
}

/* A missing end, missing places that are not shown, and a value that may be another one. */
static void test_kinds_of_cuts(void **state)
{
	set_cut();
	fake_set_cut("text.a", CUT_END);
	EXPECT({"text.a endswith name", UNKNOWN}, {"text.a startswith /usr", YES},
	       {"text.a contains curl", UNKNOWN}, {"text.b = whole", YES});
	fake_set_cut("text.a", CUT_PLACES);
	EXPECT({"text.a contains bin", YES}, {"text.a startswith /etc", UNKNOWN},
	       {"text.a contains curl", UNKNOWN});
	fake_set_cut("text.a", CUT_WHOLE);
	EXPECT({"text.a contains bin", UNKNOWN}, {"text.a exists", YES});
	/* What has no mark is what the missing part does not concern. */
	fake_clear();
	fake_add_text("text.a", "name");
	fake_set_cut("text.a", CUT_SHOWN);
	EXPECT({"text.a = name", YES}, {"text.a contains curl", NO}, {"text.a regex n.*", YES});
	fake_add_u64("num.u64", 7);
	fake_set_cut("num.u64", CUT_SHOWN);
	EXPECT({"num.u64 = 7", UNKNOWN}, {"num.u64 exists", YES});
}

static void test_polarity(void **state)
{
	set_cut();
	EXPECT({"not text.a contains curl", UNKNOWN}, {"not text.a contains bin", NO},
	       {"text.a != /usr/bin/x/name", UNKNOWN}, {"text.a != other", YES},
	       {"not text.a startswith /etc", YES}, {"text.a contains curl and text.b = other", NO},
	       {"text.a contains curl and text.b = whole", UNKNOWN},
	       {"text.a contains curl or text.b = whole", YES},
	       {"text.a contains curl or text.b = other", UNKNOWN},
	       {"text.b = whole and not (text.a contains curl or text.b = other)", UNKNOWN},
	       {"text.b = whole and not (text.a contains curl and text.b = other)", YES},
	       {"(text.a contains x or text.b = other) and (text.a contains curl or text.b = z)",
		UNKNOWN},
	       {"not (not text.a contains curl and not text.b = whole)", YES});
}

/* Any ancestor; all but the first of these are whole. */
static void test_ancestors(void **state)
{
	fake_clear();
	fake_add_text("kin.text", "a");
	fake_add_text("kin.text", "b...c");
	fake_set_cut("kin.text", CUT_SHOWN);
	EXPECT({"kin.text = a", YES}, {"kin.text contains curl", UNKNOWN},
	       {"kin.text startswith z", NO}, {"kin.text endswith c", YES},
	       {"not kin.text endswith c", NO});
}

/* An unknown item is found, and so are those behind it; also with an index. */
static void test_groups(void **state)
{
	struct grouped group;

	set_cut();
	GROUPED_MAKE(&group, "text.a = x1", "text.a = /usr/bin1/x/name", "text.b = whole",
		     "text.a = x4", "text.a startswith /usr", "text.a = x6", "text.a = x7",
		     "text.a contains curl");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(filter_group_next(group.filter, &event, 0), 1);
		assert_true(filter_is_unknown(group.filter));
		assert_int_equal(filter_group_next(group.filter, &event, 2), 2);
		assert_false(filter_is_unknown(group.filter));
		assert_int_equal(filter_group_next(group.filter, &event, 3), 4);
		assert_false(filter_is_unknown(group.filter));
		assert_int_equal(filter_group_next(group.filter, &event, 5), 7);
		assert_true(filter_is_unknown(group.filter));
		assert_int_equal(filter_group_next(group.filter, &event, 8), FILTER_NONE);
	}
	/* The next event is whole. */
	fake_clear();
	fake_add_text("text.b", "whole");
	assert_int_equal(filter_group_next(group.filter, &event, 0), 2);
	assert_false(filter_is_unknown(group.filter));
	grouped_finish(&group);
}

static void random_text(char *text, size_t max)
{
	size_t n = (size_t)rand() % (max + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = "ab"[rand() % 2];
	text[n] = '\0';
}

static size_t random_expression(char *text, size_t size, int depth)
{
	static const char *const ops[] = {"=",	      "!=",   "contains", "icontains", "startswith",
					  "endswith", "glob", "iglob",	  "regex",     "in"};
	static const char *const patterns[] = {"%s", "%s*", "*%s", "*%s*", "%s?*", "[ab]%s*"};
	const char *op = ops[rand() % 10];
	char word[16], pattern[32];
	size_t n;

	if (depth && rand() % 3) {
		n = (size_t)snprintf(text, size, rand() % 2 ? "not (" : "(");
		n += random_expression(text + n, size - n, depth - 1);
		n += (size_t)snprintf(text + n, size - n, rand() % 2 ? " and " : " or ");
		n += random_expression(text + n, size - n, depth - 1);
		return n + (size_t)snprintf(text + n, size - n, ")");
	}
	random_text(word, 5);
	snprintf(pattern, sizeof(pattern), "%s", word);
	if (strstr(op, "glob"))
		snprintf(pattern, sizeof(pattern), patterns[rand() % 6], word);
	if (strcmp(op, "in") == 0)
		return (size_t)snprintf(text, size, "text.a in ('%s', aab, abab)", word);
	return (size_t)snprintf(text, size, "text.a %s '%s'", op, pattern);
}

/* Whatever is missing: a sure answer is that of the whole, and no whole that passes is rejected. */
static void test_sure_answers_are_right(void **state)
{
	enum { TURNS = UNIT_ROUNDS(20000) };
	unsigned int sure = 0, unknown = 0;

	srand(7);
	for (int turn = 0; turn < TURNS; turn++) {
		char head[8], missing[8], tail[8], cut[40], whole[40], text[600];
		enum wanted of_whole, of_cut;

		random_text(head, 4);
		random_text(missing, 6);
		random_text(tail, 4);
		snprintf(whole, sizeof(whole), "%s%s%s", head, missing, tail);
		snprintf(cut, sizeof(cut), "%s...%s", head, tail);
		random_expression(text, sizeof(text), 3);
		fake_clear();
		fake_add_text("text.a", whole);
		of_whole = answer_of(text);
		assert_true(of_whole == YES || of_whole == NO);
		fake_clear();
		fake_add_text("text.a", cut);
		fake_set_cut("text.a", CUT_SHOWN);
		of_cut = answer_of(text);
		if (of_cut != UNKNOWN && of_cut != of_whole)
			fail_msg("%s: %s of %s, %d of the whole %s", text,
				 of_cut == YES ? "yes" : "no", cut, of_whole, whole);
		sure += of_cut != UNKNOWN;
		unknown += of_cut == UNKNOWN;
	}
	assert_true(sure > TURNS / 10 && unknown > TURNS / 10);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_operators), cmocka_unit_test(test_kinds_of_cuts),
	cmocka_unit_test(test_polarity),  cmocka_unit_test(test_ancestors),
	cmocka_unit_test(test_groups),	  cmocka_unit_test(test_sure_answers_are_right),
};

UNIT_GROUP(tests);
