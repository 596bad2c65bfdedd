/* SPDX-License-Identifier: MIT */
/* Reloads of rules files that changed, with an input that notes what it is asked for. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/reload.h"

#include "etc_files.h"
#include "fake_input.h"
#include "fake_manager.h"
#include "printed.h"
#include "rules_text.h"
#include "unit.h"

enum { STEP_US = 1000, STEPS_MAX = 60000 };

static struct etc_files folder;
static struct options options;
static const char *path;
static struct fake_input input;
static struct run run;
static struct reload *reload;

/* A run with the rule "one" of a file, which matched twice. */
static int setup(void **state)
{
	static const struct state_event event = {.num = 1};
	struct buf messages = {0};
	struct error err = {""};

	etc_create(&folder);
	etc_write(&folder, "a.yaml",
		  "- rule: one\n  desc: d\n  condition: evt.num>=0\n"
		  "  output: o\n  priority: info\n  warn_evttypes: false\n");
	path = folder.path;
	options = (struct options){.rules = &path,
				   .rules_count = 1,
				   .priority = PRIORITY_DEBUG,
				   .format = &format_none};
	if (run_plan(&run, &options, &messages, &err))
		fail_msg("%s", err.text);
	assert_int_equal(messages.len, 0);
	fake_input_init(&input);
	run.input = &input.input;
	for (int i = 0; i < 2; i++)
		assert_int_equal(ruleset_next(run.plan->ruleset, &event, 0), 0);
	return reload_create(&run, &reload);
}

static int teardown(void **state)
{
	reload_destroy(reload);
	reload = NULL;
	run_finish(&run);
	etc_destroy(&folder);
	return 0;
}

/* Steps until the input was asked for as much, or the plan is another one if that is NULL. */
static void step_until(void *calls)
{
	const struct plan *before = run.plan;

	for (int i = 0; i < STEPS_MAX; i++) {
		reload_step(reload);
		if (calls ? strcmp(input.calls, calls) == 0 : run.plan != before)
			break;
		usleep(STEP_US);
	}
	/* More of them change nothing. */
	for (int i = 0; i < 3; i++)
		reload_step(reload);
}

/* Reloads, and compares the calls of the input and the end of what was said. */
static void expect_reload(const char *calls, const char *said)
{
	struct printed printed;
	size_t len = strlen(said);

	reload_request(reload, false);
	printed_call(step_until, (char *)calls, &printed);
	if (calls)
		assert_string_equal(input.calls, calls);
	assert_true(strlen(printed.err) >= len);
	assert_string_equal(printed.err + strlen(printed.err) - len, said);
	assert_string_equal(printed.out, "");
	printed_finish(&printed);
}

static uint64_t matches_of_one(void)
{
	uint64_t matches;

	assert_string_equal(ruleset_matches(run.plan->ruleset, 0, &matches), "one");
	return matches;
}

static void test_new_rules(void **state)
{
	etc_write(&folder, "b.yaml", NAMED_RULE("two", "evt.type=close"));
	expect_reload("begin prepare take ", "agent: new rules: 2 rules, 0 macros, 0 lists\n");
	assert_int_equal(ruleset_count(run.plan->ruleset), 2);
	assert_int_equal(matches_of_one(), 2);
	assert_true(run.plan->selection.events[EVENT_close] & WHY_FILTER);
}

/* Nothing happens without a request. */
static void test_no_request(void **state)
{
	const struct plan *before = run.plan;

	for (int i = 0; i < 10; i++)
		reload_step(reload);
	assert_ptr_equal(run.plan, before);
	assert_string_equal(input.calls, "");
}

static void test_rules_with_errors(void **state)
{
	const struct plan *before = run.plan;

	etc_write(&folder, "b.yaml", "- rule: [\n");
	expect_reload("begin drop ", "agent: the rules stay as they were: they have errors\n");
	assert_ptr_equal(run.plan, before);
	assert_int_equal(matches_of_one(), 2);
	/* The next reload succeeds. */
	etc_write(&folder, "b.yaml", NAMED_RULE("two", "evt.type=close"));
	expect_reload("begin drop begin prepare take ",
		      "agent: new rules: 2 rules, 0 macros, 0 lists\n");
}

/* Each error is printed with its place, before that. */
static void test_messages(void **state)
{
	struct printed printed;

	etc_write(&folder, "b.yaml", NAMED_RULE("two", "evt.type=close") "  output: again\n");
	reload_request(reload, false);
	printed_call(step_until, "begin drop ", &printed);
	printed_expect(printed.err, (const char *[]){"/b.yaml:6:", "error: ", NULL});
	printed_finish(&printed);
}

static void test_input_that_cannot_change(void **state)
{
	const struct plan *before = run.plan;

	input.prepare_code = -EPERM;
	expect_reload("begin prepare drop ",
		      "agent: the rules stay as they were: it cannot be prepared\n");
	input.begin_code = -ENOMEM;
	expect_reload("begin prepare drop begin drop ",
		      "agent: cannot reload the rules: Cannot allocate memory\n");
	assert_ptr_equal(run.plan, before);
}

/* The rules are there all the same: what could not be read is said. */
static void test_input_that_fails_at_the_end(void **state)
{
	etc_write(&folder, "b.yaml", NAMED_RULE("two", "evt.type=close"));
	input.take_code = -EIO;
	expect_reload("begin prepare take ", "agent: it cannot be taken\n"
					     "agent: new rules: 2 rules, 0 macros, 0 lists\n");
	assert_int_equal(ruleset_count(run.plan->ruleset), 2);
}

/* Of a file all events are read in any case. */
static void test_input_that_does_not_change(void **state)
{
	fake_input_init_fixed(&input);
	etc_write(&folder, "b.yaml", NAMED_RULE("two", "evt.type=close"));
	expect_reload(NULL, "agent: new rules: 2 rules, 0 macros, 0 lists\n");
	assert_int_equal(ruleset_count(run.plan->ruleset), 2);
}

/* It waits until the last change of the input is over. */
static void test_change_in_progress(void **state)
{
	input.input.changing = true;
	reload_request(reload, false);
	for (int i = 0; i < 10; i++)
		reload_step(reload);
	assert_string_equal(input.calls, "");
	input.input.changing = false;
	expect_reload("begin prepare take ", "agent: new rules: 1 rule, 0 macros, 0 lists\n");
}

/* Requests during a reload are one more reload, after it. */
static void test_requests_during_a_reload(void **state)
{
	reload_request(reload, false);
	reload_step(reload);
	reload_request(reload, false);
	expect_reload("begin prepare take begin prepare take ",
		      "agent: new rules: 1 rule, 0 macros, 0 lists\n"
		      "agent: new rules: 1 rule, 0 macros, 0 lists\n");
	assert_int_equal(matches_of_one(), 2);
}

static void test_end_during_a_reload(void **state)
{
	const struct plan *before = run.plan;

	reload_request(reload, false);
	reload_step(reload);
	reload_destroy(reload);
	reload = NULL;
	assert_string_equal(input.calls, "begin prepare drop ");
	assert_ptr_equal(run.plan, before);
}

static struct fake_manager manager;

static int setup_managed(void **state)
{
	int code = setup(state);

	fake_manager_open(&manager, false);
	service_begin(&run.service);
	fake_manager_expect(&manager, "STATUS=opening the input and loading programs");
	return code;
}

static int teardown_managed(void **state)
{
	fake_manager_close(&manager);
	return teardown(state);
}

static void expect_reloading(void)
{
	char text[128] = "";

	assert_true(fake_manager_take(&manager, text, sizeof(text)));
	text[strlen("RELOADING=1")] = '\0';
	assert_string_equal(text, "RELOADING=1");
}

/* The manager learns of the end once nothing is left to do, also if the rules stay as they were. */
static void test_manager(void **state)
{
	expect_reload("begin prepare take ", "agent: new rules: 1 rule, 0 macros, 0 lists\n");
	expect_reloading();
	fake_manager_expect(&manager, "READY=1");
	etc_write(&folder, "b.yaml", "- rule: [\n");
	expect_reload("begin prepare take begin drop ",
		      "agent: the rules stay as they were: they have errors\n");
	expect_reloading();
	fake_manager_expect(&manager, "READY=1");
	fake_manager_expect(&manager, NULL);
}

static void test_manager_waits_for_all(void **state)
{
	input.input.changing = true;
	reload_request(reload, false);
	reload_step(reload);
	expect_reloading();
	fake_manager_expect(&manager, NULL);
	input.input.changing = false;
	expect_reload("begin prepare take ", "agent: new rules: 1 rule, 0 macros, 0 lists\n");
	expect_reloading();
	fake_manager_expect(&manager, "READY=1");
	fake_manager_expect(&manager, NULL);
}

#define RELOAD_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	RELOAD_TEST(test_new_rules),
	RELOAD_TEST(test_no_request),
	RELOAD_TEST(test_rules_with_errors),
	RELOAD_TEST(test_messages),
	RELOAD_TEST(test_input_that_cannot_change),
	RELOAD_TEST(test_input_that_fails_at_the_end),
	RELOAD_TEST(test_input_that_does_not_change),
	RELOAD_TEST(test_change_in_progress),
	RELOAD_TEST(test_requests_during_a_reload),
	RELOAD_TEST(test_end_during_a_reload),
	cmocka_unit_test_setup_teardown(test_manager, setup_managed, teardown_managed),
	cmocka_unit_test_setup_teardown(test_manager_waits_for_all, setup_managed,
					teardown_managed),
};

UNIT_GROUP(tests);
