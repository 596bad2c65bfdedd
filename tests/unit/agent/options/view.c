/* SPDX-License-Identifier: MIT */
/* The view of a command line: found, filled with its arguments, sorted and limited. */
#include "agent/options/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const struct settings none;

static int take(char **words, const struct settings *settings, struct options *options,
		char ***rest, struct error *err)
{
	*options = (struct options){0};
	*rest = words;
	err->text[0] = '\0';
	return options_take_view(&none, settings, NULL, rest, options, err);
}

static void takes_the_name_and_the_arguments(void **state)
{
	char *words[] = {"fdbytes_by", "fd.directory", "proc.name=x", NULL}, **rest;
	struct options options;
	struct error err;

	assert_int_equal(take(words, &none, &options, &rest, &err), 0);
	assert_string_equal(options.view->name, "fdbytes_by");
	assert_string_equal(options.view->keys[0].name, "fd.directory");
	assert_string_equal(*rest, "proc.name=x");
	options.sort = "fd.directory";
	options.limits.files = 7;
	assert_int_equal(options_apply_view(&options, &err), 0);
	assert_int_equal(options.view->limit, 7);
	assert_false(options.view->order[0].is_value);
	options.sort = "nothing";
	assert_int_equal(options_apply_view(&options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--sort: the view has no key or value 'nothing'"));
	options_finish(&options);
}

/* It has no tables that could come every so often. */
static void lists_have_no_intervals(void **state)
{
	char *words[] = {"file_opens", NULL}, **rest;
	struct options options;
	struct error err;

	assert_int_equal(take(words, &none, &options, &rest, &err), 0);
	options.tables = 1;
	assert_int_equal(options_apply_view(&options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--count: a list shows its rows as they come"));
	options.interval_ns = 1000000000;
	assert_int_equal(options_apply_view(&options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--interval: a list shows its rows as they come"));
	options.sort = options.view->keys[0].name;
	assert_int_equal(options_apply_view(&options, &err), 0);
	options_finish(&options);
}

/* As `agent top` has it. */
static void takes_a_view_of_the_command(void **state)
{
	char *words[] = {"proc.name=x", NULL}, **rest = words;
	struct options options = {0};
	struct error err = {""};

	assert_int_equal(options_take_view(&none, &none, "procs", &rest, &options, &err), 0);
	assert_string_equal(options.view->name, "procs");
	assert_ptr_equal(rest, words);
	options_finish(&options);
}

/* An argument that is a number has its default if the next word is none. */
static void leaves_a_filter_alone(void **state)
{
	static const struct {
		char *words[4];
		unsigned int taken;
		const char *filter;
	} cases[] = {
		{{"runqslower", "proc.name=x"}, 1, "thread.runqtime > 10000us"},
		{{"runqslower", "500", "proc.name=x"}, 2, "thread.runqtime > 500us"},
		{{"runqslower"}, 1, "thread.runqtime > 10000us"},
		{{"around", "5", "not", "x"}, 2, "evt.around[5]=1000"},
		{{"spy_file", "proc.name=x"}, 2, "proc.name=x"},
		{{"spy_file", "W", "/etc"}, 3, "evt.is_io_write=true and fd.name contains /etc"},
		{{"httptop", "proc.name=x"}, 1, "request.protocol=http"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct options options = {0};
		struct error err = {""};
		char **rest;

		assert_int_equal(take((char **)cases[i].words, &none, &options, &rest, &err), 0);
		assert_ptr_equal(rest, cases[i].words + cases[i].taken);
		assert_non_null(strstr(options.view->filter, cases[i].filter));
		options_finish(&options);
	}
}

static void says_what_is_wrong(void **state)
{
	static const struct {
		char *words[3];
		const char *message;
	} cases[] = {
		{{NULL}, "needs the name of a view"},
		{{"opnes"}, "did you mean 'opens'?"},
		{{"spy_port"}, "port has to be given, as 80"},
		{{"spy_port", "proc.name=x"}, "port has to be given, as 80"},
		{{"around", "proc.name=x"}, "ns has to be given"},
		{{"fdbytes_by", "fd.nam"}, "unknown field 'fd.nam'"},
		{{"./no/such/view.yaml"}, "No such file"},
	};
	struct options options;
	struct error err;
	char **rest;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_not_equal(take((char **)cases[i].words, &none, &options, &rest, &err),
				     0);
		if (!strstr(err.text, cases[i].message))
			fail_msg("%s, not %s", err.text, cases[i].message);
		options_finish(&options);
	}
}

/* -pc and -pk. */
static void puts_containers_first(void **state)
{
	static const struct {
		const char *print, *key;
	} cases[] = {{"c", "container.name"}, {"kubernetes", "k8s.ns.name"}, {"%evt.num", NULL}};
	char *words[] = {"opens", NULL}, **rest;
	struct options options;
	struct error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setting setting = {.given = GIVEN_LETTER, .value = cases[i].print};
		struct settings settings = {0};
		int r;

		option_find("print", &setting.place);
		assert_int_equal(settings_add(&settings, &setting), 0);
		r = take(words, &settings, &options, &rest, &err);
		assert_int_equal(r, cases[i].key ? 0 : -EINVAL);
		if (cases[i].key)
			assert_string_equal(options.view->keys[0].name, cases[i].key);
		options_finish(&options);
		settings_finish(&settings);
	}
}

static void knows_the_folder_of_the_user(void **state)
{
	const char *const given[] = {"/", "/tmp"}, *missing = "/no/such";
	struct error err = {""};
	struct options_view_folders folders;

	setenv("XDG_CONFIG_HOME", "/c", 1);
	assert_int_equal(options_view_folders_init(&folders, given, 2, &err), 0);
	assert_int_equal(options_view_places(&folders).count, 3);
	assert_string_equal(folders.paths[2], "/c/lanner/views");
	options_view_folders_finish(&folders);
	assert_int_equal(options_view_folders_init(&folders, &missing, 1, &err), -ENOENT);
	assert_string_equal(err.text, "--view-dir /no/such: No such file or directory");
	options_view_folders_finish(&folders);
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", "/h", 1);
	assert_int_equal(options_view_folders_init(&folders, NULL, 0, &err), 0);
	assert_string_equal(folders.paths[0], "/h/.config/lanner/views");
	options_view_folders_finish(&folders);
	unsetenv("HOME");
	assert_int_equal(options_view_folders_init(&folders, NULL, 0, &err), 0);
	assert_int_equal(folders.count, 0);
	options_view_folders_finish(&folders);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(takes_the_name_and_the_arguments),
	cmocka_unit_test(lists_have_no_intervals),
	cmocka_unit_test(takes_a_view_of_the_command),
	cmocka_unit_test(leaves_a_filter_alone),
	cmocka_unit_test(says_what_is_wrong),
	cmocka_unit_test(puts_containers_first),
	cmocka_unit_test(knows_the_folder_of_the_user),
};

UNIT_GROUP(tests);
