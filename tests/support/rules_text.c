/* SPDX-License-Identifier: MIT */
#include "rules_text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/tree.h"

enum { TEXTS_MAX = 4 };

static const char *const severities[] = {
	[YAML_ERROR] = "error", [YAML_WARNING] = "warning", [YAML_NOTE] = "note"};

void load_texts(struct loaded *loaded, const char *const *texts)
{
	static const char *const paths[TEXTS_MAX] = {"a.yaml", "b.yaml", "c.yaml", "d.yaml"};
	const struct rules_options options = {.least = PRIORITY_DEBUG};
	struct rules_input inputs[TEXTS_MAX];
	size_t n = 0;

	for (; texts[n]; n++) {
		assert_true(n < TEXTS_MAX);
		inputs[n] = (struct rules_input){
			.path = paths[n], .text = texts[n], .len = strlen(texts[n])};
	}
	*loaded = (struct loaded){0};
	loaded->code =
		rules_load(inputs, n, &options, &loaded->rules, &loaded->counts, &loaded->report);
}

void load_text(struct loaded *loaded, const char *text)
{
	load_texts(loaded, (const char *const[]){text, NULL});
}

static void print_messages(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->report.count; i++)
		print_message("%s", loaded->report.messages[i].text);
}

void load_right(struct loaded *loaded, const char *text)
{
	load_text(loaded, text);
	if (loaded->code || loaded->report.counts[YAML_WARNING]) {
		print_messages(loaded);
		fail_msg("not right: %s", text);
	}
}

void unload(struct loaded *loaded)
{
	rules_destroy(loaded->rules);
	yaml_report_finish(&loaded->report);
}

const struct rule *loaded_rule(const struct loaded *loaded, const char *name)
{
	const struct rule *rules;
	size_t n;

	assert_int_equal(loaded->code, 0);
	rules = rules_list(loaded->rules, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(rules[i].name, name) == 0)
			return &rules[i];
	fail_msg("no rule '%s'", name);
	return NULL;
}

void expect_condition(const struct loaded *loaded, const char *rule, const char *condition)
{
	struct buf text = {0};

	filter_print(loaded_rule(loaded, rule)->root, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, condition);
	buf_finish(&text);
}

void expect_messages(const char *text, const char *const *messages)
{
	struct loaded loaded;
	struct buf out = {0};
	size_t at = 0;

	load_text(&loaded, text);
	yaml_report_render(&loaded.report, YAML_WARNING, &out);
	for (size_t i = 0; i < loaded.report.count; i++) {
		const struct yaml_message *message = &loaded.report.messages[i];
		char head[64];

		if (message->severity == YAML_NOTE)
			continue;
		snprintf(head, sizeof(head), "%u:%u %s ", message->line, message->column,
			 severities[message->severity]);
		if (!messages[at] || strncmp(messages[at], head, strlen(head)) != 0 ||
		    !strstr(message->text, messages[at] + strlen(head)))
			fail_msg("of\n%s\nexpected %s, found\n%s%s", text,
				 messages[at] ? messages[at] : "no more", head, message->text);
		at++;
	}
	if (messages[at])
		fail_msg("of\n%s\nthere was no message %s", text, messages[at]);
	assert_int_equal(loaded.code != 0, loaded.report.counts[YAML_ERROR] != 0);
	buf_finish(&out);
	unload(&loaded);
}

char *repeat(size_t n, void (*append)(struct buf *out, size_t i))
{
	struct buf out = {0};

	for (size_t i = 0; i < n; i++)
		append(&out, i);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

void expect_limit(char *text, const char *what)
{
	struct loaded loaded;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, -EINVAL);
	assert_true(loaded.report.count > 0);
	for (size_t i = 0; i < loaded.report.count; i++)
		if (strstr(loaded.report.messages[i].text, what))
			what = "";
	assert_string_equal(what, "");
	unload(&loaded);
	free(text);
}
