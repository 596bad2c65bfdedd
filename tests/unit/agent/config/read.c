/* SPDX-License-Identifier: MIT */
/* Files of a configuration: documents, included files and folders, limits. */
#include <stdio.h>
#include <string.h>

#include "configured.h"
#include "unit.h"

static void test_documents(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_rejected(&configured, "",
			    "agent.yaml: error: it has no keys: was it truncated, or is it not "
			    "mounted yet?\n");
	configured_rejected(&configured, "# nothing\n---\n",
			    "agent.yaml: error: it has no keys: was it truncated, or is it not "
			    "mounted yet?\n");
	configured_right(&configured, "self: true\n", NULL);
	assert_int_equal(configured.options.settings.count, 2); /* --config, too */
	configured_rejected(&configured, "- self\n",
			    "agent.yaml:1:1: error: expected keys with values (KEY: VALUE), not a "
			    "sequence\n");
	configured_rejected(&configured, "self: true\n---\nself: true\n",
			    "agent.yaml:3:1: error: a configuration is one document of YAML\n");
	configured_rejected(&configured, "self: &a [*a]\n",
			    "agent.yaml:1:11: error: an alias to what it stands in\n");
	configured_load(&configured,
			"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n"
			"c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n"
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n"
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\n"
			"f: &f [*e,*e,*e,*e,*e,*e,*e,*e]\n"
			"g: &g [*f,*f,*f,*f,*f,*f,*f,*f]\n",
			NULL);
	assert_non_null(strstr(configured.messages.data, "too many values up to here"));
	configured_destroy(&configured);
}

/* Later files replace values and add to lists. */
static void test_include(void **state)
{
	struct configured configured;
	const struct options *options = &configured.options;

	configured_create(&configured);
	tree_write(&configured.tree, "conf.d/20-b.yaml",
		   "snaplen: 20\nrules: r3\nverbose: false\n");
	tree_write(&configured.tree, "conf.d/10-a.yaml",
		   "snaplen: 10\nrules: [r2]\nverbose: yes\n");
	tree_write(&configured.tree, "conf.d/30-c.txt", "snaplen: 30\n");
	tree_write(&configured.tree, "conf.d/.hidden.yaml", "snaplen: 40\n");
	tree_write(&configured.tree, "more", "self: true\npriority: error\n");
	tree_write(&configured.tree, "empty/readme", "");
	configured_right(&configured,
			 "include: [conf.d, more, empty]\nsnaplen: 5\nrules: r1\nduration: 3\n",
			 NULL);
	assert_int_equal(options->snaplen, 20);
	assert_int_equal(options->rules_count, 3);
	assert_string_equal(options->rules[0], "r1");
	assert_string_equal(options->rules[1], "r2");
	assert_string_equal(options->rules[2], "r3");
	assert_true(options->include_self);
	assert_false(options->verbose);
	assert_int_equal(options->priority, PRIORITY_ERROR);
	assert_int_equal(options->settings.files_count, 4);
	configured_destroy(&configured);
}

static void test_wrong_includes(void **state)
{
	struct configured configured;
	char path[TREE_PATH_BYTES], expected[TREE_PATH_BYTES + 512];

	configured_create(&configured);
	tree_write(&configured.tree, "nested.yaml", "include: other\nsnapln: 1\n");
	tree_write(&configured.tree, "broken.yaml", "[\n");
	tree_path(&configured.tree, "nosuch", path);
	snprintf(expected, sizeof(expected),
		 "agent.yaml:1:12: error: %s: No such file or directory\n"
		 "agent.yaml:1:46: error: include: expected a file or a folder, not a mapping\n"
		 "nested.yaml:1:10: error: only the main file includes others\n"
		 "nested.yaml:2:1: error: there is no key 'snapln'; did you mean 'snaplen'?\n"
		 "broken.yaml:2:1: error: not YAML: ",
		 path);
	configured_load(&configured, "include: [ nosuch, nested.yaml, broken.yaml, {}]\n", NULL);
	assert_memory_equal(configured.messages.data, expected, strlen(expected));
	configured_destroy(&configured);
}

static void test_limits(void **state)
{
	struct configured configured;
	char name[32];

	configured_create(&configured);
	for (unsigned int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "conf.d/%03u.yaml", i);
		tree_write(&configured.tree, name, "self: true\n");
	}
	configured_load(&configured, "include: conf.d\n", NULL);
	assert_non_null(
		strstr(configured.messages.data, "agent.yaml:1:10: error: more than 256 files\n"));
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_documents),
	cmocka_unit_test(test_include),
	cmocka_unit_test(test_wrong_includes),
	cmocka_unit_test(test_limits),
};

UNIT_GROUP(tests);
