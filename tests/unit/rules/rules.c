/* SPDX-License-Identifier: MIT */
/* Rules as they are loaded: all of their keys, which of them run, files that cannot be read. */
#include <errno.h>

#include "rules_text.h"
#include "unit.h"

static void test_every_key(void **state)
{
	struct loaded loaded;
	const struct rule *rule;

	load_right(&loaded, "- required_engine_version: 0.31.0\n"
			    "- required_plugin_versions:\n  - {name: k8s, version: 1.0.0}\n"
			    "- rule: All of it\n"
			    "  desc: what it is\n"
			    "  condition: evt.type=open\n"
			    "  output: opened %fd.name\n"
			    "  priority: WARNING\n"
			    "  tags: [a, b]\n"
			    "  enabled: true\n"
			    "  source: syscall\n"
			    "  exceptions: []\n"
			    "  warn_evttypes: false\n"
			    "  skip-if-unknown-filter: no\n"
			    "  capture: false\n"
			    "  capture_duration: 5000\n");
	rule = loaded_rule(&loaded, "All of it");
	assert_string_equal(rule->output, "opened %fd.name");
	assert_int_equal(rule->priority, PRIORITY_WARNING);
	assert_int_equal(rule->ntags, 2);
	assert_string_equal(rule->tags[0], "a");
	assert_string_equal(rule->tags[1], "b");
	expect_condition(&loaded, "All of it", "evt.type = open");
	assert_int_equal(loaded.report.counts[YAML_NOTE], 2);
	unload(&loaded);
}

static void test_priorities(void **state)
{
	static const struct {
		const char *word;
		int priority; /* -1: none */
	} cases[] = {
		{"emergency", PRIORITY_EMERGENCY},
		{"Alert", PRIORITY_ALERT},
		{"CRITICAL", PRIORITY_CRITICAL},
		{"error", PRIORITY_ERROR},
		{"warning", PRIORITY_WARNING},
		{"notice", PRIORITY_NOTICE},
		{"info", PRIORITY_INFORMATIONAL},
		{"Informational", PRIORITY_INFORMATIONAL},
		{"debug", PRIORITY_DEBUG},
		{"", -1},
		{"low", -1},
		{"informationa", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum rules_priority priority = PRIORITIES_COUNT;
		int code = rules_priority_read(cases[i].word, &priority);

		assert_int_equal(code != 0, cases[i].priority < 0);
		if (code == 0)
			assert_int_equal(priority, cases[i].priority);
	}
}

static void test_rules_that_do_not_run(void **state)
{
	struct loaded loaded;
	size_t n;

	load_right(&loaded,
		   NAMED_RULE("off", "evt.num=1") "  enabled: false\n" NAMED_RULE("later off", "evt"
											       ".nu"
											       "m="
											       "1") "- rule: later off\n  enabled: false\n" NAMED_RULE("foreign", "ka.verb=get") "  source: k8s_audit\n" NAMED_RULE(
			   "unknown",
			   "evt.num=1 and fd.nosuch=2") "  skip-if-unknown-filter: "
							"true\n" NAMED_RULE("unknown inside",
									    "inner") "  "
										     "skip-if-"
										     "unknown-"
										     "filter: "
										     "true\n"
										     "- macro: "
										     "inner\n  "
										     "condition: "
										     "fd.nosuch=1\n"
										     "- macro: "
										     "audit\n  "
										     "condition: "
										     "ka.verb="
										     "get"
										     "\n" NAMED_RULE(
											     "forei"
											     "gn "
											     "too",
											     "audi"
											     "t") "  source: k8s_audit\n");
	rules_list(loaded.rules, &n);
	assert_int_equal(n, 0);
	assert_int_equal(loaded.counts.disabled, 2);
	assert_int_equal(loaded.counts.foreign, 2);
	assert_int_equal(loaded.counts.unknown, 2);
	unload(&loaded);
}

static void test_files_that_cannot_be_read(void **state)
{
	const struct rules_input inputs[] = {{.path = "/nosuch/rules.yaml"}, {.path = "/"}};
	const struct rules_options options = {.least = PRIORITY_DEBUG};
	struct yaml_report report;
	struct rules_counts counts;
	struct rules *rules;

	assert_int_equal(rules_load(inputs, 2, &options, &rules, &counts, &report), -EINVAL);
	assert_int_equal(report.count, 2);
	assert_string_equal(report.messages[0].text,
			    "/nosuch/rules.yaml: error: No such file or directory\n");
	assert_string_equal(report.messages[1].text, "/: error: Is a directory\n");
	yaml_report_finish(&report);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_key),
	cmocka_unit_test(test_priorities),
	cmocka_unit_test(test_rules_that_do_not_run),
	cmocka_unit_test(test_files_that_cannot_be_read),
};

UNIT_GROUP(tests);
