/* SPDX-License-Identifier: MIT */
/*
 * Rules files: any bytes are rejected with messages, or are rules. Compiled together they match
 * what each matches when compiled alone, and their output is valid JSON. A NUL separates two files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rules/ruleset.h"
#include "sinsp/format/formatter.h"

enum { ALONE_MAX = 16, FILES_MAX = 2 };

static const struct ruleset_line line = {&format_json};
static const struct ruleset_config config = {
	.rules.least = PRIORITY_DEBUG,
	.lines = &line,
	.lines_count = 1,
};

struct files {
	struct rules_input list[FILES_MAX];
	size_t count;
};

struct both {
	struct ruleset *together;
	struct filter *alone[ALONE_MAX];
	size_t count;
	bool comparable;
	struct formatter *fields;
	struct buf out;
};

static void check_report(struct yaml_report *report, int code)
{
	struct buf out = {0};

	REQUIRE(code == 0 || code == -EINVAL, "%d", code);
	REQUIRE((report->counts[YAML_ERROR] > 0) == (code != 0), "%zu errors",
		report->counts[YAML_ERROR]);
	yaml_report_render(report, YAML_NOTE, &out);
	REQUIRE(code == 0 || out.len, "rejected in silence");
	for (size_t i = 0; i < report->count; i++)
		REQUIRE(report->messages[i].text, "message %zu", i);
	buf_finish(&out);
	yaml_report_finish(report);
}

static struct rules *load(const struct files *files)
{
	struct yaml_report report = {0};
	struct rules_counts counts;
	struct rules *rules = NULL;

	check_report(&report, rules_load(files->list, files->count, &config.rules, &rules, &counts,
					 &report));
	return rules;
}

static struct ruleset *compile(const struct files *files)
{
	struct yaml_report report = {0};
	struct rules_counts counts;
	struct ruleset *ruleset = NULL;
	int r = ruleset_create(files->list, files->count, &config, &ruleset, &counts, &report);

	check_report(&report, r);
	return ruleset;
}

/* Fields that remember events (evt.deltatime, util.cnt) share their memory between all rules. */
static bool remembers(const char *condition)
{
	return strstr(condition, "evt.deltatime") || strstr(condition, "util.cnt");
}

static void compile_alone(struct both *both, const struct rules *rules)
{
	const struct rule *list = rules_list(rules, &both->count);

	REQUIRE(both->count == ruleset_count(both->together), "%zu rules", both->count);
	if (both->count > ALONE_MAX)
		both->count = ALONE_MAX;
	for (size_t i = 0; i < both->count; i++) {
		const struct filter_group_item item = {list[i].root, list[i].text};
		struct filter_error err;
		size_t failed;

		REQUIRE(filter_group_create(&item, 1, &config.rules.filter, &both->alone[i],
					    &failed, &err) == 0,
			"%s: %s", list[i].name, err.text);
	}
}

static void check_event(const struct state_event *event, void *context)
{
	struct both *both = context;
	size_t next = ruleset_next(both->together, event, 0);

	for (size_t i = 0; i < both->count; i++) {
		bool matches = next == i;

		if (both->comparable)
			REQUIRE(filter_match(both->alone[i], event) == matches, "rule %zu, %s", i,
				event->ev.desc->name);
		if (!matches)
			continue;
		buf_clear(&both->out);
		ruleset_append(both->together, i, 0, event, both->fields, &both->out);
		REQUIRE(!both->out.failed, "memory");
		fuzz_check_json(&both->out);
		next = ruleset_next(both->together, event, i + 1);
	}
}

static void check(const struct files *files)
{
	struct rules *rules = load(files);
	struct ruleset *together = compile(files);
	struct both both = {.together = together, .comparable = true};

	REQUIRE(rules || !together, "rules that cannot be loaded are compiled");
	if (together) {
		for (size_t i = 0; i < files->count; i++)
			both.comparable &= !remembers(files->list[i].text);
		compile_alone(&both, rules);
		REQUIRE(formatter_create(&format_json, NULL, 0, &both.fields, NULL) == 0,
			"memory");
		fuzz_show_events(check_event, &both);
	}
	for (size_t i = 0; i < both.count; i++)
		filter_destroy(both.alone[i]);
	formatter_destroy(both.fields);
	buf_finish(&both.out);
	ruleset_destroy(together);
	rules_destroy(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	size_t first = strlen(text);
	struct files files = {{{"first.yaml", text, first}}, 1};

	if (first < size)
		files.list[files.count++] =
			(struct rules_input){"second.yaml", text + first + 1, size - first - 1};
	check(&files);
	free(text);
	return 0;
}
