/* SPDX-License-Identifier: MIT */
/* When chosen processes wait, by an input that says how full its rings are. */
#include <string.h>
#include <unistd.h>

#include "agent/input/hold.h"
#include "unit.h"
#include "util/clock.h"

static unsigned int fill, continued;
static uint64_t held_ns;

static unsigned int fake_fill(const struct input *input)
{
	return fill;
}

static uint64_t fake_held_ns(const struct input *input)
{
	return held_ns;
}

static void fake_let_go(struct input *input)
{
	held_ns = 0;
	continued++;
}

static const struct input_live_ops live_ops = {
	.fill = fake_fill, .held_ns = fake_held_ns, .let_go = fake_let_go};
static struct input input = {.live = &live_ops};

static const char *report(const struct hold *hold, const struct options *options)
{
	static char text[100];
	struct buf out = buf_fixed(text, sizeof(text));

	hold_append_report(hold, options, &out);
	buf_append_char(&out, '\0');
	return text;
}

static void test_wanted(void **state)
{
	char *argv[] = {"true", NULL};
	pid_t pid = 1;

	assert_true(hold_is_wanted(&(struct options){.command = argv}));
	assert_false(hold_is_wanted(&(struct options){.pids = &pid, .pids_count = 1}));
	assert_true(
		hold_is_wanted(&(struct options){.pids = &pid, .pids_count = 1, .lossless = true}));
	assert_false(hold_is_wanted(&(struct options){
		.pids = &pid, .pids_count = 1, .lossless = true, .read = "a.scap"}));
}

/* Without a group that could be frozen: what the programs stopped goes on when rings are read. */
static void test_stopped(void **state)
{
	pid_t pid = getpid();
	const struct options options = {.pids = &pid, .pids_count = 1, .lossless = true};
	struct hold hold = {0};

	hold_step(&hold, &input);
	hold_begin(&hold, &options, 0);
	assert_true(hold.holds);
	fill = 40;
	hold_step(&hold, &input);
	assert_int_equal(hold.since_ns, 0);
	held_ns = clock_ns(CLOCK_BOOTTIME) - 2500000000;
	hold_step(&hold, &input);
	assert_int_equal(hold.since_ns, held_ns);
	fill = 5;
	hold_step(&hold, &input);
	assert_int_equal(continued, 0);
	fill = 4;
	hold_step(&hold, &input);
	assert_int_equal(continued, 1);
	assert_int_equal(hold.since_ns, 0);
	assert_true(hold.waited_ns >= 2500000000 && hold.waited_ns < 60000000000);
	hold.waited_ns = 2500000000;
	assert_string_equal(report(&hold, &options), "agent: the processes waited 2.5 s for us\n");
	hold.waited_ns = 1000;
	assert_string_equal(report(&hold, &options), "");
	hold_end(&hold, &input);
	hold_end(&hold, NULL);
	assert_int_equal(continued, 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_wanted),
	cmocka_unit_test(test_stopped),
};

UNIT_GROUP(tests);
