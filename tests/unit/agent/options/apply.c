/* SPDX-License-Identifier: MIT */
/* Which of the settings count. */
#include <errno.h>

#include "agent/options/check.h"
#include "unit.h"

static void add(struct settings *settings, const char *name, enum option_given given,
		const char *value, bool off)
{
	struct setting setting = {.given = given, .value = value, .off = off};

	assert_non_null(option_find(name, &setting.place));
	assert_int_equal(settings_add(settings, &setting), 0);
}

/* Lists grow from file to file; the command line replaces them. */
static void test_join(void **state)
{
	struct settings files = {0}, line = {0};
	struct options options = {0};

	add(&files, "snaplen", GIVEN_KEY, "1", false);
	add(&files, "rules", GIVEN_KEY, "a", false);
	add(&files, "rules", GIVEN_KEY, "b", false);
	add(&files, "pid", GIVEN_KEY, "1", false);
	add(&files, "snaplen", GIVEN_KEY, "2", false);
	add(&files, "self", GIVEN_KEY, NULL, false);
	add(&files, "self", GIVEN_KEY, NULL, true);
	add(&line, "pid", GIVEN_NAME, "7", false);
	add(&line, "pid", GIVEN_NAME, "8", false);
	assert_int_equal(options_join_settings(&files, &line), 0);
	assert_int_equal(files.count, 5);
	assert_int_equal(options_apply_settings(&files, &options, NULL), 0);
	assert_int_equal(options.snaplen, 2);
	assert_int_equal(options.rules_count, 2);
	assert_int_equal(options.pids_count, 2);
	assert_int_equal(options.pids[0], 7);
	assert_false(options.include_self);
	options_finish(&options);
	settings_finish(&files);
	settings_finish(&line);
}

static void test_check_value(void **state)
{
	unsigned int place;
	const struct option_row *row = option_find("snaplen", &place);
	struct error err = {""};

	assert_int_equal(option_check_value(row, "5", "-s", "5", &err), 0);
	assert_int_equal(option_check_value(row, "x", "-s", "${X}", &err), -EINVAL);
	assert_string_equal(err.text, "-s: expected a number from 0 to 65000, not '${X}'");
}

static void test_apply_rejects(void **state)
{
	struct settings settings = {0};
	struct options options = {0};
	struct error err = {""};

	add(&settings, "filter", GIVEN_NAME, "a", false);
	add(&settings, "filter", GIVEN_NAME, "b", false);
	assert_int_equal(options_apply_settings(&settings, &options, &err), -EINVAL);
	assert_string_equal(err.text, "--filter: expected one expression, given once, not 'b'");
	options_finish(&options);
	settings_finish(&settings);
}

static void test_names(void **state)
{
	struct yaml_node key = {.text = "snaplen"};
	struct setting setting = {.given = GIVEN_LETTER};
	char memory[OPTION_TEXT_MAX];

	assert_non_null(option_find("snaplen", &setting.place));
	assert_string_equal(option_setting_name(&setting, memory), "-s");
	setting.given = GIVEN_NAME;
	assert_string_equal(option_setting_name(&setting, memory), "--snaplen");
	setting.given = GIVEN_KEY;
	setting.key = &key;
	assert_string_equal(option_setting_name(&setting, memory), "snaplen");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_join),
	cmocka_unit_test(test_check_value),
	cmocka_unit_test(test_apply_rejects),
	cmocka_unit_test(test_names),
};

UNIT_GROUP(tests);
