/* SPDX-License-Identifier: MIT */
/* The tests of paths give the answer of the check; where they cannot, they are made for no `not`.
 */
#include <stdio.h>
#include <string.h>

#include "sinsp/filter/project.h"
#include "unit.h"

static bool make(const char *text, bool negated, struct project_tests *tests)
{
	struct filter *filter;
	struct filter_error err;
	bool made;

	if (filter_create(text, NULL, &filter, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_int_equal(filter->njumps, 1);
	made = project_tests_make_path(filter->code[0].check, negated, tests);
	filter_destroy(filter);
	return made;
}

static bool holds(const struct project_tests *tests, const char *path)
{
	size_t len = strlen(path), end = len < 16 ? len : 16;
	struct kernel_facts facts = {0};
	bool any = false;
	char begin[33] = "";

	snprintf(begin, sizeof(begin), "%s", path);
	memcpy(&facts.words[KERNEL_PATH], begin, 16);
	memcpy(&facts.words[KERNEL_PATH_2], begin + 16, 16);
	memcpy((char *)&facts.words[KERNEL_PATH_END] + 16 - end, path + len - end, end);
	for (uint8_t i = 0; i < tests->count; i++)
		any |= !!kernel_check_holds(&tests->list[i].check, &facts) !=
		       tests->list[i].negated;
	return any != tests->negated;
}

static void expect(const char *text, const char *path, bool answer)
{
	struct project_tests tests;

	if (!make(text, false, &tests))
		fail_msg("'%s' has no tests", text);
	if (holds(&tests, path) != answer)
		fail_msg("'%s' of %s is not %d", text, path, answer);
}

#define BYTES_16 "/23456789abcdef0"

static void test_answers(void **state)
{
	expect("fd.name=/a", "/a", true);
	expect("fd.name=/a", "/ab", false);
	expect("fd.name=/a", "/", false);
	expect("fd.name!=/a", "/a", false);
	expect("fd.name!=/a", "/ab", true);
	expect("fd.name startswith /a", "/ab", true);
	expect("fd.name startswith /ab", "/a", false);
	expect("fd.name endswith b", "/b", true);
	expect("fd.name endswith /b", "/ab", false);
	expect("fd.name in (/a, /b)", "/b", true);
	expect("fd.name in (/a, /b)", "/c", false);
	expect("fd.name=" BYTES_16, BYTES_16, true);
	expect("fd.name=" BYTES_16, BYTES_16 "1", false);
	expect("fd.name startswith " BYTES_16, BYTES_16 "1", true);
	expect("fd.name=" BYTES_16 "1", BYTES_16 "1", true);
	expect("fd.name=" BYTES_16 "1", BYTES_16 "2", false);
	expect("fd.name=" BYTES_16 "1", "/3456789abcdef01", false);
	expect("fd.name!=" BYTES_16 "1", BYTES_16, true);
	expect("fd.name!=" BYTES_16 "1", BYTES_16 "1", false);
	expect("fd.name endswith " BYTES_16, "/x" BYTES_16, true);
	expect("fd.name endswith " BYTES_16, "/x/23456789abcdef1", false);
	/* Longer texts: what differs early or at the end is seen. */
	expect("fd.name=" BYTES_16 BYTES_16 "/end", BYTES_16 BYTES_16 "/end", true);
	expect("fd.name=" BYTES_16 BYTES_16 "/end", BYTES_16 BYTES_16 "/and", false);
	expect("fd.name in (/a," BYTES_16 "1)", BYTES_16 "1", true);
	expect("fd.name in (/a," BYTES_16 "1)", BYTES_16 "2", false);
}

/* Whether there are tests of the opposite, which need the same answer for all paths. */
static void expect_exact(const char *text, bool exact)
{
	struct project_tests tests;

	if (make(text, true, &tests) != exact)
		fail_msg("'%s' is exact: not %d", text, exact);
}

static void test_exact(void **state)
{
	struct project_tests tests;

	expect_exact("fd.name=" BYTES_16 "23456789abcdef0", true);
	expect_exact("fd.name=" BYTES_16 BYTES_16, false);
	expect_exact("fd.name!=" BYTES_16 BYTES_16, true);
	expect_exact("fd.name startswith " BYTES_16 BYTES_16, true);
	expect_exact("fd.name startswith " BYTES_16 BYTES_16 "/", false);
	expect_exact("fd.name endswith " BYTES_16, true);
	expect_exact("fd.name endswith x" BYTES_16, false);
	expect_exact("fd.name in (/a, /b)", true);
	expect_exact("fd.name in (/a," BYTES_16 ")", false);
	assert_false(make("fd.name!=" BYTES_16 BYTES_16, false, &tests));
	assert_false(make("fd.name contains /a", false, &tests));
	assert_false(make("fd.name=''", false, &tests));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answers),
	cmocka_unit_test(test_exact),
};

UNIT_GROUP(tests);
