/* SPDX-License-Identifier: MIT */
/* Rules at work: which match, what they print, and what is wrong with those that cannot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/ruleset.h"
#include "sinsp/format/formatter.h"
#include "formatted.h"
#include "unit.h"

#define RULE(name, condition, output)                                                              \
	"- rule: " name "\n  desc: d\n  condition: " condition "\n  output: " output               \
	"\n  priority: warning\n"

static const char rules_text[] = "- macro: opened\n  condition: evt.type=open\n" RULE(
	"One", "opened and proc.name=cat",
	"'one \"%proc.name\" %fd.num %evt.arg.name'") "  tags: [a, 'b\"c']\n" RULE("Two", "opened",
										   "|\n    two\n   "
										   " %evt.type")
	RULE("Three", "evt.type=close", "three %container.info %evt.type");

static const struct ruleset_line json_alone = {.format = &format_json};
static const struct ruleset_line text_alone = {.format = &format_text};
static const struct ruleset_line none_alone = {.format = &format_none};

static int create(const char *text, const struct ruleset_config *config, struct ruleset **ruleset,
		  struct yaml_report *report)
{
	const struct rules_input input = {.path = "r.yaml", .text = text, .len = strlen(text)};
	struct ruleset_config whole = *config;
	struct rules_counts counts;

	whole.rules.least = PRIORITY_DEBUG;
	if (!whole.lines)
		whole.lines = &json_alone;
	if (!whole.lines_count)
		whole.lines_count = 1;
	return ruleset_create(&input, 1, &whole, ruleset, &counts, report);
}

static struct ruleset *create_right(const struct ruleset_config *config)
{
	struct yaml_report report;
	struct ruleset *ruleset;

	if (create(rules_text, config, &ruleset, &report))
		fail_msg("%s", report.messages[0].text);
	assert_int_equal(report.count, 0);
	yaml_report_finish(&report);
	return ruleset;
}

static void expect_line(struct drive *world, const struct output_format *format, size_t rule,
			const char *wanted)
{
	static const char *const fields[] = {"fd.num", "evt.type", "proc.name"};
	struct ruleset *ruleset =
		create_right(&(struct ruleset_config){.lines = &(struct ruleset_line){format}});
	struct formatter *formatter;
	struct buf out = {0};

	assert_int_equal(formatter_create(&format_json, fields, 3, &formatter, NULL), 0);
	ruleset_append(ruleset, rule, 0, &world->event, format == &format_json ? formatter : NULL,
		       &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, wanted);
	buf_finish(&out);
	formatter_destroy(formatter);
	ruleset_destroy(ruleset);
}

static void test_json(void **state)
{
	expect_line(*state, &format_json, 0,
		    "{\"rule\":\"One\",\"priority\":\"Warning\",\"tags\":[\"a\",\"b\\\"c\"],"
		    "\"output\":\"one \\\"cat\\\" <NA> /tmp/a\",\"evt.type\":\"open\","
		    "\"proc.name\":\"cat\"}\n");
	expect_line(*state, &format_json, 1,
		    "{\"rule\":\"Two\",\"priority\":\"Warning\",\"tags\":[],"
		    "\"output\":\"two open\",\"evt.type\":\"open\",\"proc.name\":\"cat\"}\n");
}

static void test_text(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	expect_line(*state, &format_text, 1, "11:36:01.123456789: Warning two open\n");
	expect_line(*state, &format_text, 2,
		    "11:36:01.123456789: Warning three container_id=host "
		    "container_name=host open\n");
}

/* It replaces %container.info, and is appended where that is not. */
static void test_container_info(void **state)
{
	static const char *const wanted[] = {
		[1] = "11:36:01.123456789: Warning two open id=host pod=<NA>\n",
		[2] = "11:36:01.123456789: Warning three id=host pod=<NA> open\n",
	};
	const struct ruleset_config config = {
		.lines = &text_alone, .container_info = "id=%container.id pod=%k8s.pod.name"};
	struct ruleset *ruleset = create_right(&config);
	struct drive *world = *state;

	for (size_t rule = 1; rule < 3; rule++) {
		struct buf out = {0};

		ruleset_append(ruleset, rule, 0, &world->event, NULL, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, wanted[rule]);
		buf_finish(&out);
	}
	assert_true(ruleset_needs(ruleset) & NEEDS_THREADS);
	ruleset_destroy(ruleset);
}

/* A format that has nothing to say of an event adds nothing. */
static void test_text_with_format(void **state)
{
	static const struct {
		const char *format, *wanted;
	} cases[] = {
		{"%proc.name", "11:36:01.123456789: Warning two open cat\n"},
		{"%fd.sport", "11:36:01.123456789: Warning two open\n"},
		{"*%fd.sport", "11:36:01.123456789: Warning two open <NA>\n"},
	};
	struct ruleset *ruleset = create_right(&(struct ruleset_config){.lines = &text_alone});
	struct drive *world = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct formatter *formatter;
		struct filter_error err;
		struct buf out = {0};

		assert_int_equal(
			formatter_create_format(&format_text, cases[i].format, &formatter, &err),
			0);
		ruleset_append(ruleset, 1, 0, &world->event, formatter, &out);
		buf_append_char(&out, '\0');
		assert_string_equal(out.data, cases[i].wanted);
		buf_finish(&out);
		formatter_destroy(formatter);
	}
	ruleset_destroy(ruleset);
}

static void test_matches(void **state)
{
	struct drive *world = *state;
	struct ruleset *ruleset = create_right(&(struct ruleset_config){0}), *next;
	uint64_t matches;

	assert_int_equal(ruleset_count(ruleset), 3);
	assert_int_equal(ruleset_next(ruleset, &world->event, 0), 0);
	assert_int_equal(ruleset_next(ruleset, &world->event, 1), 1);
	assert_true(ruleset_next(ruleset, &world->event, 2) == FILTER_NONE);
	world->event.num++;
	assert_int_equal(ruleset_next(ruleset, &world->event, 0), 0);
	assert_string_equal(ruleset_matches(ruleset, 0, &matches), "One");
	assert_int_equal(matches, 2);
	ruleset_matches(ruleset, 2, &matches);
	assert_int_equal(matches, 0);
	/* Others go on counting. */
	next = create_right(&(struct ruleset_config){0});
	ruleset_continue(next, ruleset);
	ruleset_destroy(ruleset);
	ruleset_matches(next, 0, &matches);
	assert_int_equal(matches, 2);
	ruleset_destroy(next);
}

static void test_a_filter_beside_rules(void **state)
{
	struct drive *world = *state;
	struct ruleset *ruleset =
		create_right(&(struct ruleset_config){.filter = "evt.type=open and fd.num=3"});
	bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];

	assert_true(ruleset_next(ruleset, &world->event, 0) == FILTER_NONE);
	filter_event_types(ruleset_filter(ruleset), ids, generic);
	assert_true(ids[EVENT_open]);
	assert_false(ids[EVENT_close]);
	ruleset_destroy(ruleset);
}

static void test_needs(void **state)
{
	struct ruleset *ruleset = create_right(&(struct ruleset_config){.lines = &json_alone});

	assert_true(ruleset_needs(ruleset) & NEEDS_THREADS);
	ruleset_destroy(ruleset);
	ruleset = create_right(&(struct ruleset_config){.lines = &none_alone});
	assert_int_equal(ruleset_needs(ruleset), 0);
	ruleset_destroy(ruleset);
}

static void test_wrong_outputs(void **state)
{
	static const struct {
		const char *text;
		unsigned int line, column;
	} cases[] = {
		{RULE("r", "evt.num=1", "100%"), 4, 14},
		{RULE("r", "evt.num=1", "a %fd.nosuch"), 4, 14},
		{RULE("r", "evt.num=1", "a %container.info %container.info %fd.nosuch"), 4, 46},
		{RULE("r", "evt.num=1", ">\n    first\n    and %fd.nosuch"), 6, 10},
		{RULE("r", "evt.num=1", "a") "- rule: r\n  append: true\n  output: b %x\n", 8, 14},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned int f = 0; output_format_get(f); f++) {
			const struct ruleset_line line = {output_format_get(f)};
			struct ruleset_config config = {
				.lines = &line,
				.container_info = f % 2 ? "%container.id" : NULL,
			};
			struct yaml_report report;
			struct ruleset *ruleset;

			assert_int_equal(create(cases[i].text, &config, &ruleset, &report),
					 -EINVAL);
			assert_int_equal(report.messages[0].severity, YAML_ERROR);
			assert_int_equal(report.messages[0].line, cases[i].line);
			assert_in_range(report.messages[0].column, cases[i].column - 2,
					cases[i].column + 2);
			yaml_report_finish(&report);
		}
	}
}

/* Each rule has a line in each of the formats. */
static void test_several_formats(void **state)
{
	const struct ruleset_line lines[] = {{&format_json}, {&format_text}};
	struct ruleset *ruleset =
		create_right(&(struct ruleset_config){.lines = lines, .lines_count = 2});
	struct drive *world = *state;
	struct buf out = {0};

	ruleset_append(ruleset, 1, 1, &world->event, NULL, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "11:36:01.123456789: Warning two open\n");
	assert_int_equal(ruleset_priority(ruleset, 1), PRIORITY_WARNING);
	buf_finish(&out);
	ruleset_destroy(ruleset);
}

static void test_warnings_about_types(void **state)
{
	static const struct {
		const char *text, *warning; /* NULL: none */
	} cases[] = {
		{RULE("r", "proc.name=a", "o"), "does not say which types"},
		{RULE("r", "proc.name=a", "o") "  warn_evttypes: false\n", NULL},
		{RULE("r", "evt.type=open and proc.name=a", "o"), NULL},
		{RULE("r", "evt.type=open and evt.type=close", "o"), "no event can match"},
		/* An open makes no socket; other calls may use one, and one that fails has none. */
		{RULE("r", "evt.type=open and fd.type=ipv4", "o"), "never of a socket"},
		{RULE("r", "evt.type in (open, openat) and fd.type in (ipv4, ipv6)", "o"),
		 "never of a socket"},
		{RULE("r", "evt.type=open and (proc.name=a or user.uid=0) and fd.type=unix", "o"),
		 "never of a socket"},
		{RULE("r", "evt.type=open and fd.type in (ipv4, file)", "o"), NULL},
		{RULE("r", "evt.type=open and (proc.name=a or fd.type=ipv4)", "o"), NULL},
		{RULE("r", "evt.type=open and not fd.type=ipv4", "o"), NULL},
		{RULE("r", "evt.type=open and fd.type!=file", "o"), NULL},
		{RULE("r", "evt.type in (open, read) and fd.type=ipv4", "o"), NULL},
		{RULE("r", "evt.type=read and fd.type=ipv4", "o"), NULL},
		{RULE("r", "evt.type=open and fd.type=pipe", "o"), NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct yaml_report report;
		struct ruleset *ruleset;

		assert_int_equal(
			create(cases[i].text, &(struct ruleset_config){0}, &ruleset, &report), 0);
		assert_int_equal(report.counts[YAML_WARNING], cases[i].warning != NULL);
		if (cases[i].warning)
			assert_non_null(strstr(report.messages[0].text, cases[i].warning));
		yaml_report_finish(&report);
		ruleset_destroy(ruleset);
	}
}

static void test_rules_as_written(void **state)
{
	static const char tagged[] = RULE("One", "evt.type=open", "a") "  tags: [b]\n" RULE(
		"Two", "evt.type=open", "a") "  tags: [a, c]\n" RULE("Three", "evt.type=open", "a");
	const struct ruleset_config config = {.rules = {.least = PRIORITY_DEBUG,
							.wanted = {(const char *[]){"a", "b"}, 2},
							.excluded = {(const char *[]){"c"}, 1}}};
	struct yaml_report report;
	struct ruleset *ruleset;

	assert_int_equal(create(tagged, &config, &ruleset, &report), 0);
	assert_int_equal(ruleset_count(ruleset), 1);
	assert_string_equal(ruleset_rule(ruleset, 0)->name, "One");
	assert_string_equal(ruleset_rule(ruleset, 0)->text, "evt.type=open");
	yaml_report_finish(&report);
	ruleset_destroy(ruleset);
}

/* Entries of calls are in old files alone. */
static void test_warnings_about_entries(void **state)
{
	static const char text[] =
		RULE("R", "evt.type in (open, execve, connect) and evt.dir=>", "a");

	for (int recorded = 0; recorded < 2; recorded++) {
		struct yaml_report report;
		struct ruleset *ruleset;

		assert_int_equal(create(text, &(struct ruleset_config){.recorded = recorded},
					&ruleset, &report),
				 0);
		assert_int_equal(report.counts[YAML_WARNING], !recorded);
		yaml_report_finish(&report);
		ruleset_destroy(ruleset);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_json, formatted_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_text, formatted_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_text_with_format, formatted_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_container_info, formatted_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_matches, formatted_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_a_filter_beside_rules, formatted_setup,
					world_teardown),
	cmocka_unit_test(test_needs),
	cmocka_unit_test(test_wrong_outputs),
	cmocka_unit_test_setup_teardown(test_several_formats, formatted_setup, world_teardown),
	cmocka_unit_test(test_warnings_about_types),
	cmocka_unit_test(test_rules_as_written),
	cmocka_unit_test(test_warnings_about_entries),
};

UNIT_GROUP(tests);
