/* SPDX-License-Identifier: MIT */
/* Subcommands by name, and words that are probably mistyped ones. */
#include <errno.h>
#include <string.h>

#include "agent/options/options.h"
#include "unit.h"

static const struct agent_subcommand table[] = {{"check-filter"}, {"fields"}, {NULL}};

static void test_find(void **state)
{
	assert_ptr_equal(agent_subcommand_find(table, "check-filter"), &table[0]);
	assert_ptr_equal(agent_subcommand_find(table, "fields"), &table[1]);
	assert_null(agent_subcommand_find(table, "field"));
	assert_null(agent_subcommand_find(table, "Fields"));
	assert_null(agent_subcommand_find(table, ""));
}

static int check(const char *first, const char *second, struct error *err)
{
	char *words[] = {(char *)first, (char *)second, NULL};

	return agent_subcommand_check_mistyped(table, words, err);
}

static void test_mistyped(void **state)
{
	static const struct {
		const char *first, *second, *message;
	} cases[] = {
		{"filds", NULL,
		 "'filds' is no command and no filter; did you mean 'agent fields'?"},
		{"filds", "proc.*",
		 "'filds' is no command and no filter; did you mean 'agent fields'?"},
		{"FIELDS", NULL,
		 "'FIELDS' is no command and no filter; did you mean 'agent fields'?"},
		{"check_filter", NULL,
		 "'check_filter' is no command and no filter; did you mean 'agent check-filter'?"},
		{"horse", NULL,
		 "'horse' is no command and no filter (commands: check-filter, fields; "
		 "a filter is like proc.name=cat)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {""};

		assert_int_equal(check(cases[i].first, cases[i].second, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].message);
	}
}

static void test_filters(void **state)
{
	static const char *const cases[][2] = {
		{"proc.name", NULL},  {"proc.name=cat", NULL}, {"(fields", NULL},
		{"not", "evt.num=1"}, {"horse", "=3"},	       {"field[0]", NULL},
		{"", NULL},	      {"filds=3", NULL},
	};
	struct error err = {""};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(check(cases[i][0], cases[i][1], &err), 0);
	assert_string_equal(err.text, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_mistyped),
	cmocka_unit_test(test_filters),
};

UNIT_GROUP(tests);
