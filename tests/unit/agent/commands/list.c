/* SPDX-License-Identifier: MIT */
/* What both lists have in common: patterns, and objects of JSON. */
#include <string.h>

#include "agent/commands/list.h"
#include "printed.h"
#include "unit.h"

static const char *const titles[] = {"NAME", NULL};

static struct list make(const char *pattern)
{
	const struct options options = {.operand = pattern, .format = &format_json};
	struct list list;

	list_init(&list, &options, titles, 1);
	return list;
}

static void release(struct list *list)
{
	table_finish(&list->table);
	buf_finish(&list->json);
}

static void test_patterns(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{NULL, "proc.name", true},	    {"name", "proc.name", true},
		{"NAME", "proc.name", true},	    {"names", "proc.name", false},
		{"proc.*", "proc.name", true},	    {"*name", "proc.name", true},
		{"roc.*", "proc.name", false},	    {"proc.nam?", "PROC.NAME", true},
		{"proc.name?", "proc.name", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct list list = make(cases[i].pattern);

		assert_int_equal(list_matches(&list, cases[i].text), cases[i].matches);
		release(&list);
	}
}

static void test_objects(void **state)
{
	static const struct list_flag flags[] = {
		{1, "one", NULL}, {2, "two", NULL}, {4, "four", "4"}};
	struct list list = make(NULL);

	list_add_object(&list);
	list_add_string(&list, "name", "a\"b");
	list_add_string(&list, "none", NULL);
	list_add_number(&list, "id", 42);
	list_add_bool(&list, "own", false);
	list_add_key(&list, "list");
	buf_append_char(&list.json, '[');
	list_add_element(&list, "x");
	list_add_element(&list, "y");
	list_add_object(&list);
	buf_append_string(&list.json, "}]");
	list_add_flags(&list, "flags", 5, flags, 3);
	list_add_flags(&list, "no flags", 0, flags, 3);
	buf_append_string(&list.json, "}\n");
	list_add_object(&list);
	buf_append_char(&list.json, '\0');
	assert_string_equal(list.json.data,
			    "{\"name\":\"a\\\"b\",\"none\":null,\"id\":42,"
			    "\"own\":false,\"list\":[\"x\",\"y\",{}],\"flags\":[\"one\",\"four\"],"
			    "\"no flags\":[]}\n{");
	release(&list);
}

struct finding {
	size_t found;
	bool verbose;
	int exit_code;
};

static void print(void *context)
{
	struct finding *finding = context;
	struct list list = make("abd");

	list.found = finding->found;
	list.verbose = finding->verbose;
	nearest_offer(&list.nearest, "abc");
	buf_append_string(&list.json, finding->found ? "{}\n" : "");
	finding->exit_code = list_print(&list, "things");
}

static void test_end(void **state)
{
	static const struct {
		struct finding finding;
		const char *out, *err;
	} cases[] = {
		{{1, false, 0}, "{}\n", ""},
		{{0, false, 1},
		 "",
		 "agent: no things match 'abd'; did you mean 'abc'? (-v searches "
		 "more than their names)\n"},
		{{0, true, 1}, "", "agent: no things match 'abd'; did you mean 'abc'?\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct finding finding = cases[i].finding;
		struct printed printed;

		finding.exit_code = -1;
		printed_call(print, &finding, &printed);
		assert_int_equal(finding.exit_code, cases[i].finding.exit_code);
		assert_string_equal(printed.out, cases[i].out);
		assert_string_equal(printed.err, cases[i].err);
		printed_finish(&printed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_patterns),
	cmocka_unit_test(test_objects),
	cmocka_unit_test(test_end),
};

UNIT_GROUP(tests);
