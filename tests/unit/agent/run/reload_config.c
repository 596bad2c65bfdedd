/* SPDX-License-Identifier: MIT */
/* Reloads of a configuration file: filter and rules, the pid file, and what stays. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/reload.h"
#include "configured.h"
#include "fake_input.h"
#include "printed.h"
#include "rules_text.h"
#include "unit.h"

enum { STEP_US = 1000, STEPS_MAX = 60000 };

static struct configured configured;
static struct fake_input input;
static struct run run;
static struct reload *reload;
static char pid_path[TREE_PATH_BYTES];
static unsigned int ended; /* reloads so far */

static int begin(const char *text)
{
	struct buf messages = {0};
	struct error err = {""};

	ended = 0;
	configured_create(&configured);
	configured_right(&configured, text, NULL);
	if (run_plan(&run, &configured.options, &messages, &err))
		fail_msg("%s", err.text);
	fake_input_init(&input);
	run.input = &input.input;
	tree_path(&configured.tree, "agent.pid", pid_path);
	assert_int_equal(pid_file_open(&run.pid_file, pid_path, NULL), 0);
	return reload_create(&run, &reload);
}

static int setup(void **state)
{
	return begin("filter: evt.type=open\nformat: text\n");
}

/* A format would be one of lines, which outputs do not have. The field needs no containers. */
static int setup_plain(void **state)
{
	return begin("json-fields: evt.num\n");
}

static int teardown(void **state)
{
	reload_destroy(reload);
	run_finish(&run);
	configured_destroy(&configured);
	return 0;
}

static void wait_for_end(void *context)
{
	struct pid_status status = {.ended = ended};

	for (int i = 0; i < STEPS_MAX && status.ended == ended; i++) {
		reload_step(reload);
		usleep(STEP_US);
		buf_finish(&status.said);
		assert_int_equal(pid_file_read(pid_path, &status, NULL), 0);
	}
	ended = status.ended;
	buf_finish(&status.said);
}

/* Reloads with another text. What is said is also in the pid file. */
static void expect_forced(const char *text, bool forced, bool succeeds, const char *const *words)
{
	struct pid_status status;
	struct printed printed;

	tree_write(&configured.tree, "agent.yaml", text);
	reload_request(reload, forced);
	if (forced) /* another one, from elsewhere, does not take it back */
		reload_request(reload, false);
	reload_step(reload);
	printed_call(wait_for_end, NULL, &printed);
	assert_int_equal(pid_file_read(pid_path, &status, NULL), 0);
	if (status.succeeded != succeeds)
		fail_msg("%s", printed.err);
	assert_int_equal(status.said.len, strlen(printed.err));
	assert_memory_equal(status.said.data, printed.err, status.said.len);
	printed_expect(printed.err, words);
	printed_finish(&printed);
	buf_finish(&status.said);
}

static void expect_reload(const char *text, bool succeeds, const char *const *words)
{
	expect_forced(text, false, succeeds, words);
}

static void test_filter(void **state)
{
	expect_reload("filter: evt.type=close\nformat: text\n", true,
		      (const char *const[]){"agent: new configuration\n", NULL});
	assert_true(run.plan->selection.events[EVENT_close] & WHY_FILTER);
	assert_false(run.plan->selection.events[EVENT_openat] & WHY_FILTER);
	assert_string_equal(input.calls, "begin prepare take ");
}

/* Lines of rules in text have no line of the event; then they have again. */
static void test_rules_come_and_go(void **state)
{
	char text[TREE_PATH_BYTES + 64], path[TREE_PATH_BYTES];

	tree_write(&configured.tree, "rules.yaml", NAMED_RULE("one", "evt.type=close"));
	tree_path(&configured.tree, "rules.yaml", path);
	snprintf(text, sizeof(text), "rules: %s\nformat: text\n", path);
	assert_non_null(run.printer.formatter);
	expect_reload(text, true,
		      (const char *const[]){"agent: new configuration: 1 rule, 0 macros, 0 lists\n",
					    NULL});
	assert_int_equal(ruleset_count(run.plan->ruleset), 1);
	assert_null(run.printer.formatter);
	assert_ptr_equal(run.plan->printer, &run.printer);
	expect_reload("filter: evt.type=open\nformat: text\n", true,
		      (const char *const[]){"agent: new configuration\n", NULL});
	assert_null(run.plan->ruleset);
	assert_non_null(run.printer.formatter);
}

static void test_restart(void **state)
{
	expect_reload("filter: evt.type=open\nformat: json\nsnaplen: 5\n", true,
		      (const char *const[]){"agent: new configuration\n"
					    "agent: needs a restart: snaplen, format\n",
					    NULL});
	assert_ptr_equal(run.plan->options->format, &format_text);
}

/* Who asks for them has privileges that are gone by then, unless all are kept. */
static void test_translations(void **state)
{
	static const char text[] = "filter: request.peer.real.port=80\nformat: text\n";
	static const char *const needs[] = {"agent: needs a restart: request.peer.real.*", NULL};

	configured.options.privileges = PRIVILEGES_DROP;
	expect_reload(text, true, needs);
	assert_null(run.translations.translator);
	expect_reload(text, true, needs);
	configured.options.privileges = PRIVILEGES_KEEP;
	expect_reload(text, true, (const char *const[]){"agent: new configuration\n", NULL});
	assert_non_null(run.translations.translator);
}

static void test_errors(void **state)
{
	const struct plan *before = run.plan;

	expect_reload("filter: evt.type=close\nformt: text\n", false,
		      (const char *const[]){"/agent.yaml:2:1: error: there is no key 'formt'",
					    "agent: the configuration stays as it was: ", NULL});
	expect_reload("filter: evt.typ=close\n", false,
		      (const char *const[]){"agent: the configuration stays as it was: ", "evt.typ",
					    NULL});
	assert_ptr_equal(run.plan, before);
	assert_string_equal(input.calls, "begin drop begin drop ");
}

/* What was truncated does not end the outputs, unless that is wanted. */
static void test_outputs_that_are_missing(void **state)
{
	char path[TREE_PATH_BYTES], text[TREE_PATH_BYTES + 64];

	tree_path(&configured.tree, "log", path);
	snprintf(text, sizeof(text), "json-fields: evt.num\noutputs: file:%s\n", path);
	expect_reload(text, true, (const char *const[]){"agent: new configuration\n", NULL});
	expect_reload("", false,
		      (const char *const[]){"/agent.yaml: error: it has no keys",
					    "agent: the configuration stays as it was: ", NULL});
	expect_reload("json-fields: evt.num\n", false,
		      (const char *const[]){"it has no outputs, and the one that runs has 1: "
					    "'agent reload --force' takes it all the same\n",
					    NULL});
	assert_int_equal(run.outputs.count, 1);
	expect_forced("json-fields: evt.num\n", true, true,
		      (const char *const[]){"agent: new configuration\n", NULL});
	assert_int_equal(run.outputs.count, 0);
}

#define RELOAD_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	RELOAD_TEST(test_filter),
	RELOAD_TEST(test_rules_come_and_go),
	RELOAD_TEST(test_restart),
	RELOAD_TEST(test_errors),
	RELOAD_TEST(test_translations),
	cmocka_unit_test_setup_teardown(test_outputs_that_are_missing, setup_plain, teardown),
};

UNIT_GROUP(tests);
