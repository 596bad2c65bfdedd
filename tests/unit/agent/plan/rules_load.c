/* SPDX-License-Identifier: MIT */
/* Which files the paths of --rules stand for, and what is said about them. */
#include <errno.h>
#include <string.h>

#include "agent/plan/pushdown.h"
#include "etc_files.h"
#include "rules_text.h"
#include "unit.h"

/* Rules that were loaded, and what was said. */
struct loaded_rules {
	int code;
	struct ruleset *ruleset; /* NULL after an error */
	struct rules_counts counts;
	char messages[4096];
};

static int setup(void **state)
{
	static struct etc_files folder;

	etc_create(&folder);
	*state = &folder;
	return 0;
}

static int teardown(void **state)
{
	etc_destroy(*state);
	return 0;
}

static void load(struct options *options, const char *path, struct loaded_rules *loaded)
{
	const struct printer printer = {.format = &format_json, .style = options->style};
	struct buf messages = buf_fixed(loaded->messages, sizeof(loaded->messages));

	*loaded = (struct loaded_rules){0};
	options->rules = &path;
	options->rules_count = 1;
	loaded->code = rules_load_options(options, &printer, options->filter, &loaded->ruleset,
					  &loaded->counts, &messages);
	buf_append_char(&messages, '\0');
	assert_false(messages.failed);
}

static void load_path(const char *path, struct loaded_rules *loaded)
{
	struct options options = {.priority = PRIORITY_DEBUG};

	load(&options, path, loaded);
}

static void expect_names(const struct loaded_rules *loaded, const char *const *names)
{
	uint64_t matches;
	size_t i;

	assert_int_equal(loaded->code, 0);
	assert_string_equal(loaded->messages, "");
	for (i = 0; names[i]; i++)
		assert_string_equal(ruleset_matches(loaded->ruleset, i, &matches), names[i]);
	assert_int_equal(ruleset_count(loaded->ruleset), i);
}

/* By name, whatever their order in the folder; hidden files and others are no rules. */
static void test_folder(void **state)
{
	struct etc_files *folder = *state;
	struct loaded_rules loaded;

	etc_write(folder, "b.yml", NAMED_RULE("second", "evt.type=close"));
	etc_write(folder, "a.yaml", NAMED_RULE("first", "evt.type=open"));
	etc_write(folder, ".c.yaml", "not: [rules");
	etc_write(folder, "d.yaml.bak", "not: [rules");
	load_path(folder->path, &loaded);
	expect_names(&loaded, (const char *const[]){"first", "second", NULL});
	assert_int_equal(loaded.counts.rules, 2);
	ruleset_destroy(loaded.ruleset);
}

/* A file is read whatever its name is. */
static void test_file(void **state)
{
	struct etc_files *folder = *state;
	char path[ETC_FILES_PATH_BYTES];
	struct loaded_rules loaded;

	etc_write(folder, "rules", NAMED_RULE("one", "evt.type=open"));
	etc_path(folder, "rules", path);
	load_path(path, &loaded);
	expect_names(&loaded, (const char *const[]){"one", NULL});
	ruleset_destroy(loaded.ruleset);
}

static void test_folder_without_rules(void **state)
{
	struct etc_files *folder = *state;
	struct loaded_rules loaded;

	etc_write(folder, "readme.txt", "");
	load_path(folder->path, &loaded);
	assert_int_equal(loaded.code, -EINVAL);
	assert_null(loaded.ruleset);
	assert_int_equal(strncmp(loaded.messages, folder->path, strlen(folder->path)), 0);
	assert_non_null(strstr(loaded.messages, ": error: there is no *.yaml or *.yml"));
}

static void test_no_such_file(void **state)
{
	struct loaded_rules loaded;

	load_path("/nonexistent/rules.yaml", &loaded);
	assert_int_equal(loaded.code, -EINVAL);
	assert_null(loaded.ruleset);
	assert_non_null(strstr(loaded.messages, "/nonexistent/rules.yaml"));
	assert_non_null(strstr(loaded.messages, "No such file"));
}

/* The message names the file and the place. */
static void test_errors(void **state)
{
	struct etc_files *folder = *state;
	struct loaded_rules loaded;

	etc_write(folder, "a.yaml", NAMED_RULE("one", "evt.type=open"));
	etc_write(folder, "b.yaml", NAMED_RULE("two", "evt.nosuch=1"));
	load_path(folder->path, &loaded);
	assert_int_equal(loaded.code, -EINVAL);
	assert_null(loaded.ruleset);
	assert_non_null(strstr(loaded.messages, "/b.yaml:3:"));
	assert_non_null(strstr(loaded.messages, "error: "));
	assert_non_null(strstr(loaded.messages, "evt.nosuch"));
}

/* What is only noted is for `check-rules -v`. */
static void test_notes(void **state)
{
	static const struct agent_subcommand check_rules = {.name = "check-rules"};
	static const struct {
		struct options options;
		bool noted;
	} cases[] = {
		{{0}, false},
		{{.verbose = true}, false},
		{{.subcommand = &check_rules}, false},
		{{.subcommand = &check_rules, .verbose = true}, true},
	};
	static const char rules[] =
		NAMED_RULE("one", "evt.type=open") "- macro: unused\n  condition: evt.type=close\n";
	struct etc_files *folder = *state;

	etc_write(folder, "a.yaml", rules);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct options options = cases[i].options;
		struct loaded_rules loaded;

		options.priority = PRIORITY_DEBUG;
		load(&options, folder->path, &loaded);
		assert_int_equal(loaded.code, 0);
		assert_int_equal(loaded.messages[0] != '\0', cases[i].noted);
		ruleset_destroy(loaded.ruleset);
	}
}

/* The filter and the least priority of the options apply to all rules. */
static void test_options(void **state)
{
	static const char rules[] =
		NAMED_RULE("minor", "evt.type=open") "- rule: major\n  desc: d\n  condition: "
						     "evt.type=open\n  output: o\n"
						     "  priority: error\n";
	struct options options = {.priority = PRIORITY_WARNING, .filter = "fd.name contains a"};
	struct etc_files *folder = *state;
	struct loaded_rules loaded;

	etc_write(folder, "a.yaml", rules);
	load(&options, folder->path, &loaded);
	expect_names(&loaded, (const char *const[]){"major", NULL});
	assert_int_equal(loaded.counts.minor, 1);
	assert_true(filter_needs(ruleset_filter(loaded.ruleset)) & NEEDS_EVENT_FD);
	ruleset_destroy(loaded.ruleset);
}

static void test_summary(void **state)
{
	static const struct {
		struct rules_counts counts;
		const char *text;
	} cases[] = {
		{{0}, "0 rules, 0 macros, 0 lists"},
		{{.rules = 1, .macros = 1, .lists = 1}, "1 rule, 1 macro, 1 list"},
		{{.rules = 7, .disabled = 2, .macros = 3},
		 "7 rules (2 disabled), 3 macros, 0 lists"},
		{{.rules = 7, .foreign = 1, .unknown = 4, .minor = 5, .lists = 2},
		 "7 rules (1 not about system calls, 4 with fields that are not known here, 5 of a "
		 "lower priority), 0 macros, 2 lists"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = {0};

		rules_append_summary(&cases[i].counts, &text);
		buf_append_char(&text, '\0');
		assert_string_equal(text.data, cases[i].text);
		buf_finish(&text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_folder, setup, teardown),
	cmocka_unit_test_setup_teardown(test_file, setup, teardown),
	cmocka_unit_test_setup_teardown(test_folder_without_rules, setup, teardown),
	cmocka_unit_test(test_no_such_file),
	cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
	cmocka_unit_test_setup_teardown(test_notes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_options, setup, teardown),
	cmocka_unit_test(test_summary),
};

UNIT_GROUP(tests);
