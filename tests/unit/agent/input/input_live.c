/* SPDX-License-Identifier: MIT */
/*
 * The live input: warnings, counters, and the change from one capture to another. Captures without
 * a kernel stand in for real ones; the first state is that of this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/input/input.h"
#include "takeover/takeover_merge.h"
#include "sinsp/sinsp.h"
#include "sinsp/state/core.h"

#include "fake_live.h"
#include "frame.h"
#include "unit.h"

enum { TICK_MS = 1, TURNS_MAX = 5000 };

static const struct printer none = {.format = &format_none};
static struct scap_live first, second;

static struct plan *plan_of(const struct options *options)
{
	struct plan *plan;
	struct error err = {""};

	if (plan_create(options, &none, &plan, NULL, &err))
		fail_msg("%s", err.text);
	return plan;
}

static struct input *open_first(const struct plan *plan)
{
	struct input *input;

	fake_live_init(&first);
	first.endless = true;
	fake_live_offer(&first);
	assert_int_equal(input_live_open(plan, &(struct input_helpers){0}, &input, NULL), 0);
	return input;
}

static void add_close(struct scap_live *live, uint64_t ts_ns)
{
	static struct frame frame;
	struct scap_event event;

	frame_begin(&frame, EVENT_close, ts_ns, 7);
	frame_put_i64(&frame, close__res, 0);
	event = frame_end(&frame);
	fake_live_append(live, EVENT_close, &event);
}

static void expect_text(struct buf *text, const char *expected)
{
	buf_append_char(text, '\0');
	assert_string_equal(text->data, expected);
	buf_finish(text);
}

static void expect_reason(int error, const char *reason)
{
	const struct options options = {.verbose = true, .filter = "fd.name=/a"};
	const struct state_follow nobody = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	struct state *engine = NULL;
	struct buf text = {0};
	char lines[512];

	first.iterators[SCAP_LIVE_OPEN_FDS] = error;
	first.iterators[SCAP_LIVE_THREADS] = -EINVAL;
	assert_int_equal(input->ops->create_state(input, &nobody, &engine, NULL), 0);
	input->live->append_warnings(input, &text);
	snprintf(lines, sizeof(lines),
		 "agent: open descriptors were read from /proc, which takes longer than by an "
		 "iterator: %s\n"
		 "agent: threads were read from /proc, which takes longer than by an iterator: "
		 "Invalid argument\n",
		 reason);
	expect_text(&text, lines);
	state_destroy(engine);
	input->ops->destroy(input);
	plan_destroy(plan);
}

/* What fails while the capture runs is said once. */
static void test_messages(void **state)
{
	const struct options options = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	struct buf text = {0};
	size_t len;

	input->live->append_messages(input, &text);
	assert_int_equal(text.len, 0);
	first.answers_error = -EPERM;
	input->live->append_messages(input, &text);
	len = text.len;
	assert_true(len > 0);
	input->live->append_messages(input, &text);
	assert_int_equal(text.len, len);
	buf_finish(&text);
	input->ops->destroy(input);
	plan_destroy(plan);
}

/* Said only if asked for. */
static void test_without_iterator(void **state)
{
	expect_reason(-EXDEV, "the agent is not in the initial pid namespace");
	expect_reason(-EOPNOTSUPP, "the kernel has none, or rejects its program");
	expect_reason(-ENOMEM, "Cannot allocate memory");
}

/* Nor of what the plan does not need. */
static void test_without_need(void **state)
{
	const struct options options = {.verbose = true, .filter = "evt.type=setpgid"};
	const struct state_follow nobody = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	struct state *engine = NULL;
	struct buf text = {0};

	assert_int_equal(input->ops->create_state(input, &nobody, &engine, NULL), 0);
	input->live->append_warnings(input, &text);
	expect_text(&text, "agent: threads were read from /proc, which takes longer than by an "
			   "iterator: No data available\n");
	state_destroy(engine);
	input->ops->destroy(input);
	plan_destroy(plan);
}

static void test_failure_to_open(void **state)
{
	const struct options options = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = NULL;
	struct error err = {""};

	fake_live_offer(NULL);
	assert_int_equal(input_live_open(plan, &(struct input_helpers){0}, &input, &err), -EPERM);
	assert_null(input);
	assert_string_equal(err.text, "there is no capture");
	plan_destroy(plan);
}

/* Those of the capture, and of the host. */
static void test_warnings(void **state)
{
	const struct options options = {.write = "-"};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	struct buf text = {0};

	input->live->append_warnings(input, &text);
	assert_int_equal(text.len, 0);
	first.rejected[0] = EVENT_chdir;
	input->live->append_warnings(input, &text);
	expect_text(&text, "agent: this kernel rejects the program for chdir: such events are "
			   "missing (-v shows why)\n");
	input_destroy(input);
	assert_null(first.inject);
	plan_destroy(plan);
}

/* From /proc: at least this process is known. */
static void test_state(void **state)
{
	const struct options options = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	struct state_stats stats;
	struct error err = {""};
	struct state *engine;

	if (input->ops->create_state(input, &(struct state_follow){0}, &engine, &err))
		fail_msg("%s", err.text);
	state_stats(engine, &stats);
	assert_true(stats.threads > 0);
	state_destroy(engine);
	input_destroy(input);
	plan_destroy(plan);
}

/* The name of the node, for pods of which nobody says it. */
static void expect_node(const struct options *options, const char *variable, const char *node)
{
	struct plan *plan = plan_of(options);
	struct input *input = open_first(plan);
	struct error err = {""};
	struct state *engine;

	assert_int_equal(setenv("NODE_NAME", variable, 1), 0);
	assert_int_equal(input->ops->create_state(input, &(struct state_follow){0}, &engine, &err),
			 0);
	if (node)
		assert_string_equal(engine->containers.pods.node, node);
	else
		assert_null(engine->containers.pods.node);
	assert_string_equal(engine->containers.pods.cluster, "prod");
	state_destroy(engine);
	input_destroy(input);
	plan_destroy(plan);
	unsetenv("NODE_NAME");
}

static void test_node_and_cluster(void **state)
{
	struct options options = {.k8s_cluster = "prod"};

	expect_node(&options, "", NULL);
	expect_node(&options, "node-1", "node-1");
	options.kubernetes.node = "node-2";
	expect_node(&options, "node-1", "node-2");
}

/* What --budget measures and asks for reaches the capture. */
static void test_mutes(void **state)
{
	const struct options options = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	uint64_t ns;

	assert_int_equal(input->live->mute_set(input, 7, 99, &ns), -ENOENT);
	assert_int_equal(input->live->mute_propose(input, 7, &ns), 0);
	assert_int_equal(first.muted, 7);
	assert_int_equal(input->live->mute_set(input, 7, 99, &ns), 0);
	assert_int_equal(first.muted_program, 99);
	input->live->mute_end(input, 7, &ns);
	assert_int_equal(first.muted, 0);
	input_destroy(input);
	plan_destroy(plan);
}

static void test_shed(void **state)
{
	const struct options options = {.budget = 5};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	const struct shed shed = {{0, 1, 2, 3, 4}};
	uint64_t ns;

	assert_true(first.config.has_budget);
	first.run_ns = 17;
	assert_int_equal(input->live->run_ns(input, &ns), 0);
	assert_true(ns == 17);
	assert_int_equal(input->live->shed(input, &shed), 0);
	assert_memory_equal(&first.shed, &shed, sizeof(shed));
	first.shed_code = -EPERM;
	assert_int_equal(input->live->run_ns(input, &ns), -EPERM);
	assert_int_equal(input->live->shed(input, &shed), -EPERM);
	input_destroy(input);
	plan_destroy(plan);
}

static void test_counters(void **state)
{
	const struct options options = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	const struct account account = {
		.matched = 2, .printed = 1, .reasons = plan->selection.events};
	const struct state_stats clean = {0}, corrupt = {.corrupt = 1};
	struct buf text = {0};
	struct error err = {""};

	add_close(&first, 1000);
	add_close(&first, 2000);
	assert_false(input->ops->is_incomplete(input, &clean));
	assert_true(input->ops->is_incomplete(input, &corrupt));
	first.stats.seen[EVENT_close]++;
	first.stats.events[EVENT_close].lost[LOSS_RING_FULL]++;
	first.throttled = (struct scap_live_throttled){.pid = 7, .name = "cat", .lost = 1};
	assert_true(input->ops->is_incomplete(input, &clean));
	assert_int_equal(input->ops->append_report(input, &account, &text, NULL), 0);
	expect_text(&text, "agent: seen 3 = delivered 2 + lost 1; matched 2, printed 1\n"
			   "agent: lost by cause: ring full 1\n"
			   "agent: lost by event: close 1 of 3\n"
			   "agent: lost of what was asked for 1, of what only keeps the state 0\n"
			   "agent: lost most over --process-limit: 1 of process 7 (cat)\n");
	text = (struct buf){0};
	first.stats_code = -EIO;
	assert_true(input->ops->is_incomplete(input, &clean));
	assert_int_equal(input->ops->append_counters(input, &text), -EIO);
	assert_int_equal(input->ops->append_report(input, &account, &text, &err), -EIO);
	assert_string_equal(err.text, "the driver's counters cannot be read: Input/output error");
	assert_int_equal(text.len, 0);
	input_destroy(input);
	plan_destroy(plan);
}

static void test_end(void **state)
{
	const struct options options = {0};
	struct plan *plan = plan_of(&options);
	struct input *input = open_first(plan);
	struct scap_event event;
	struct error err = {""};

	assert_int_equal((input->ops->fail)(input, -EIO, &err), -EIO);
	assert_string_equal(err.text, "reading events: Input/output error");
	assert_int_equal(scap_source_next(input->ops->step(input), 0, &event), 0);
	add_close(&first, 1000);
	assert_int_equal(scap_source_next(input->ops->stop(input), 0, &event), 1);
	assert_true(first.stopped);
	assert_int_equal(scap_source_next(input->ops->step(input), 0, &event), -ENODATA);
	input_destroy(input);
	plan_destroy(plan);
}

/* Rules that need the same events need no other capture. */
static void test_change_without_capture(void **state)
{
	const struct options options = {.filter = "evt.type=close"};
	struct plan *from = plan_of(&options), *to = plan_of(&options);
	struct input *input = open_first(from);

	fake_live_offer(NULL);
	assert_int_equal(input->live->change_begin(input), 0);
	assert_int_equal(input->live->change_prepare(input, from, to, NULL), 0);
	assert_int_equal(input->live->change_take(input, from, to, NULL, NULL), 0);
	assert_false(input->changing);
	assert_ptr_equal(input->ops->step(input), &first.source);
	assert_false(first.stopped);
	input_destroy(input);
	plan_destroy(from);
	plan_destroy(to);
}

/* A change that fails, or is dropped, leaves the first capture as it is. */
static void test_change_that_is_dropped(void **state)
{
	const struct options closes = {.filter = "evt.type=close"};
	const struct options opens = {.filter = "evt.type=open"};
	struct plan *from = plan_of(&closes), *to = plan_of(&opens);
	struct input *input = open_first(from);
	struct error err = {""};

	fake_live_offer(NULL);
	assert_int_equal(input->live->change_begin(input), 0);
	assert_int_equal(input->live->change_prepare(input, from, to, &err), -EPERM);
	input->live->change_drop(input);
	fake_live_init(&second);
	fake_live_offer(&second);
	assert_int_equal(input->live->change_begin(input), 0);
	assert_int_equal(input->live->change_prepare(input, from, to, NULL), 0);
	assert_true(second.config.events[EVENT_open] && !second.config.events[EVENT_close]);
	assert_int_equal(second.config.boot_offset_ns, scap_live_boot_offset(&first));
	input->live->change_drop(input);
	assert_null(second.inject);
	assert_ptr_equal(input->ops->step(input), &first.source);
	assert_false(first.stopped);
	input_destroy(input);
	plan_destroy(from);
	plan_destroy(to);
}

static struct input *begin_change(const struct plan *from, const struct plan *to)
{
	struct input *input = open_first(from);

	fake_live_init(&second);
	second.endless = true;
	fake_live_offer(&second);
	assert_int_equal(input->live->change_begin(input), 0);
	assert_int_equal(input->live->change_prepare(input, from, to, NULL), 0);
	assert_int_equal(input->live->change_take(input, from, to, NULL, NULL), 0);
	assert_true(input->changing);
	return input;
}

/* While both captures are read, events of either may be the ones that are taken. */
static void test_limits_during_change(void **state)
{
	const struct options closes = {.filter = "evt.type=close"};
	const struct options both = {.filter = "evt.type in (close, kill)"};
	struct plan *from = plan_of(&closes), *to = plan_of(&both);
	struct input *input = begin_change(from, to);

	input->live->limit_stream(input, 7, 500);
	assert_int_equal(first.limited_ino, 7);
	assert_int_equal(second.limited_ino, 7);
	assert_int_equal(second.limited_bytes, 500);
	input_destroy(input);
	plan_destroy(from);
	plan_destroy(to);
}

/* Both captures are read for a while, and their events counted once. */
static void test_change(void **state)
{
	const struct options closes = {.filter = "evt.type=close"};
	const struct options both = {.filter = "evt.type in (close, kill)"};
	struct plan *from = plan_of(&closes), *to = plan_of(&both);
	struct input *input = begin_change(from, to);
	const struct account account = {0};
	struct scap_event event;
	struct buf text = {0};
	unsigned int got = 0, turns;

	add_close(&first, 1000);
	add_close(&second, 1000); /* the same event */
	add_close(&second, 900000000);
	for (turns = 0; input->changing && turns < TURNS_MAX; turns++)
		got += scap_source_next(input->ops->step(input), TICK_MS, &event) == 1;
	assert_true(turns < TURNS_MAX);
	assert_true(first.stopped);
	assert_null(first.inject);
	assert_ptr_equal(input->ops->step(input), &second.source);
	while (scap_source_next(input->ops->step(input), 0, &event) == 1)
		got++;
	assert_int_equal(got, 2);
	assert_int_equal(input->ops->append_report(input, &account, &text, NULL), 0);
	expect_text(&text, "agent: seen 2 = delivered 2 + lost 0; matched 0, printed 0\n");
	input_destroy(input);
	assert_null(second.inject);
	plan_destroy(from);
	plan_destroy(to);
}

/* The end of the run during a change stops both. */
static void test_stop_during_change(void **state)
{
	const struct options closes = {.filter = "evt.type=close"};
	const struct options both = {.filter = "evt.type in (close, kill)"};
	struct plan *from = plan_of(&closes), *to = plan_of(&both);
	struct input *input = begin_change(from, to);
	struct scap_source *rest;
	struct scap_event event;
	unsigned int got = 0;
	int code;

	add_close(&first, 1000);
	add_close(&second, 900000000);
	rest = input->ops->stop(input);
	assert_true(first.stopped && second.stopped);
	while ((code = scap_source_next(rest, TICK_MS, &event)) >= 0)
		got += code;
	assert_int_equal(code, -ENODATA);
	assert_int_equal(got, 2);
	input_destroy(input);
	assert_null(first.inject);
	assert_null(second.inject);
	plan_destroy(from);
	plan_destroy(to);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_failure_to_open),
	cmocka_unit_test(test_warnings),
	cmocka_unit_test(test_messages),
	cmocka_unit_test(test_without_iterator),
	cmocka_unit_test(test_without_need),
	cmocka_unit_test(test_state),
	cmocka_unit_test(test_node_and_cluster),
	cmocka_unit_test(test_mutes),
	cmocka_unit_test(test_shed),
	cmocka_unit_test(test_counters),
	cmocka_unit_test(test_end),
	cmocka_unit_test(test_change_without_capture),
	cmocka_unit_test(test_change_that_is_dropped),
	cmocka_unit_test(test_limits_during_change),
	cmocka_unit_test(test_change),
	cmocka_unit_test(test_stop_during_change),
};

UNIT_GROUP(tests);
