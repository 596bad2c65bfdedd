/* SPDX-License-Identifier: MIT */
/* Losses of an input, as outputs are told them. */
#include "agent/run/run.h"

#include <string.h>

#include "fake_target.h"
#include "unit.h"
#include "util/clock.h"

static struct event_counters lost[EVENT_ID_MAX];

static int losses(struct input *input, const struct event_counters **counters)
{
	*counters = lost;
	return 0;
}

static uint32_t silent_cpus;

static uint32_t silent(struct input *input, uint32_t *cpu)
{
	*cpu = 1;
	return silent_cpus;
}

static void append_nothing(struct input *of, struct buf *text)
{
}

static const struct input_live_ops live_ops = {
	.losses = losses, .silent = silent, .append_messages = append_nothing};
static struct input input = {.live = &live_ops};
static struct plan plan;
static struct run run;

static void add_output(const char *keys)
{
	struct output_config *config = fake_config(keys);
	struct output_view view = {.format = &format_text};
	struct output *output;

	if (config->filter)
		assert_int_equal(filter_create(config->filter, NULL, &view.filter, NULL), 0);
	assert_int_equal(output_create(config, &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
}

static int setup(void **state)
{
	fake_begin();
	memset(lost, 0, sizeof(lost));
	plan = (struct plan){0};
	plan.selection.events[EVENT_open] = WHY_FILTER;
	plan.selection.events[EVENT_dup] = WHY_FILTER;
	plan.selection.events[EVENT_close] = WHY_DESCRIPTORS;
	run = (struct run){.plan = &plan, .input = &input};
	return 0;
}

static int teardown(void **state)
{
	outputs_finish(&run.outputs);
	fake_end();
	return 0;
}

/* Waits until a drop record arrived, and fails unless it ends like that. */
static void expect_end(const char *end)
{
	fake_expect_calls(1);
	pthread_mutex_lock(&fake_target.lock);
	assert_true(fake_target.got.len > strlen(end));
	assert_memory_equal(fake_target.got.data + fake_target.got.len - strlen(end), end,
			    strlen(end));
	pthread_mutex_unlock(&fake_target.lock);
}

/* Only what can pass the filter of the output, and was asked for. */
static void test_by_type(void **state)
{
	add_output(",filter=evt.type in (dup, close)");
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	lost[EVENT_open].lost[LOSS_RING_FULL] = 5;
	lost[EVENT_dup].lost[LOSS_RING_FULL] = 7;
	lost[EVENT_close].lost[LOSS_RING_FULL] = 100;
	losses_end(&run.losses, &input, &plan.selection, &run.outputs);
	outputs_close(&run.outputs, NULL);
	expect_end(": lost in the kernel: ring full (dup 7)\n");
	assert_memory_equal(fake_target.got.data, "drop: 7 records", 15);
}

/* Each loss is said once, also if no event follows. */
static void test_once(void **state)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct buf messages = {0};

	add_output(",batch-age=0");
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	lost[EVENT_open].lost[LOSS_SCRATCH_BUSY] = 2;
	losses_step(&run.losses, &input, &plan.selection, &run.outputs, now);
	while (fake_target.called == 0)
		outputs_step(&run.outputs, now, &messages);
	expect_end(": lost in the kernel: scratch busy (open 2)\n");
	/* Not yet due. */
	lost[EVENT_open].lost[LOSS_SCRATCH_BUSY] = 5;
	losses_step(&run.losses, &input, &plan.selection, &run.outputs, now + 1);
	losses_end(&run.losses, &input, &plan.selection, &run.outputs);
	losses_end(&run.losses, &input, &plan.selection, &run.outputs);
	outputs_close(&run.outputs, NULL);
	expect_end(": lost in the kernel: scratch busy (open 3)\n");
	assert_int_equal(fake_target.called, 2);
	buf_finish(&messages);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void test_those_of_another_agent(void **state)
{
	add_output("");
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	lost[EVENT_open].lost[LOSS_RING_FULL] = 3;
	losses_skip(&run.losses, &input);
	lost[EVENT_open].lost[LOSS_RING_FULL] = 5;
	losses_step(&run.losses, &input, &plan.selection, &run.outputs, clock_ns(CLOCK_MONOTONIC));
	losses_end(&run.losses, &input, &plan.selection, &run.outputs);
	losses_end(&run.losses, NULL, &plan.selection, &run.outputs);
	outputs_close(&run.outputs, NULL);
	expect_end(": lost in the kernel: ring full (open 2)\n");
	assert_memory_equal(fake_target.got.data, "drop: 2 records", 15);
}

/* Looked for once a second, and said when it begins, grows and ends. */
static void test_silence(void **state)
{
	static const uint64_t second_ns = 1000000000;

	silent_cpus = 2;
	losses_say_silence(&run.losses, &input, 5);
	assert_int_equal(run.losses.silent, 2);
	silent_cpus = 0;
	losses_say_silence(&run.losses, &input, 6);
	assert_int_equal(run.losses.silent, 2);
	losses_say_silence(&run.losses, &input, 5 + second_ns);
	assert_int_equal(run.losses.silent, 0);
}

static const struct CMUnitTest tests[] = {
	TEST(test_by_type),
	TEST(test_once),
	TEST(test_those_of_another_agent),
	TEST(test_silence),
};

UNIT_GROUP(tests);
