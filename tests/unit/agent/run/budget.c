/* SPDX-License-Identifier: MIT */
/* Ticks of an input without a kernel: the cost of its programs is what the test says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/run/budget.h"
#include "unit.h"

#define TICK_NS UINT64_C(100000000)

static struct fake {
	struct input input;
	uint64_t run_ns;
	struct shed shed;
	unsigned int calls; /* that shed anything */
	int code;
} fake;

static int run_ns(struct input *input, uint64_t *ns)
{
	*ns = fake.run_ns;
	return fake.code;
}

static int shed(struct input *input, const struct shed *shares)
{
	fake.shed = *shares;
	fake.calls++;
	return 0;
}

static const struct input_live_ops live_ops = {.run_ns = run_ns, .shed = shed};

static uint64_t now;

/* Ticks in which the programs take so much of two CPUs, in percent. */
static void tick(struct budget *budget, unsigned int ticks, double percent, struct buf *messages)
{
	for (unsigned int i = 0; i < ticks; i++) {
		now += TICK_NS;
		fake.run_ns += (uint64_t)(percent / 100 * 2 * (double)TICK_NS);
		budget_step(budget, &fake.input, now, messages);
	}
}

static struct budget begin(void)
{
	fake = (struct fake){.input.live = &live_ops};
	now = 1000 * TICK_NS;
	return (struct budget){.level.budget = 50, .cpus = 2, .stats_fd = -1};
}

static void expect(struct buf *text, const char *wanted)
{
	buf_append_char(text, '\0');
	assert_string_equal(text->data, wanted);
	buf_finish(text);
	*text = (struct buf){0};
}

static void test_none(void **state)
{
	struct budget budget;
	struct buf text = {0};
	struct error err = {""};

	begin();
	assert_int_equal(budget_open(&budget, 0, &err), 0);
	tick(&budget, 3, 90, &text);
	budget_append_report(&budget, &text);
	assert_int_equal(text.len, 0);
	budget_close(&budget);
	/* A capture file has no programs. */
	budget = begin();
	fake.input.live = NULL;
	tick(&budget, 3, 90, &text);
	assert_int_equal(text.len, 0);
}

static void test_below(void **state)
{
	struct budget budget = begin();
	struct buf text = {0};

	tick(&budget, 30, 20, &text);
	assert_int_equal(fake.calls, 0);
	assert_int_equal(text.len, 0);
	assert_true(budget.cost_ns / budget.span_ns >= 0.2 &&
		    budget.cost_ns / budget.span_ns < 0.3);
	/* A reload ends a capture: its time is not taken off. */
	fake.run_ns = 0;
	tick(&budget, 30, 20, &text);
	assert_int_equal(fake.calls, 0);
	budget_append_report(&budget, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "agent: budget 50 %: the capture cost "));
	assert_null(strstr(text.data, "shed"));
	buf_finish(&text);
}

static void test_sheds_and_ends(void **state)
{
	struct budget budget = begin();
	struct buf text = {0};

	tick(&budget, 15, 95, &text);
	assert_true(fake.calls > 0 && fake.shed.shares[SHED_TRANSFERS] > 0);
	assert_int_equal(fake.shed.shares[SHED_NEVER], 0);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "agent: --budget 50: the capture costs 9"));
	assert_non_null(strstr(text.data, "least important events are lost from now on"));
	assert_null(strstr(text.data, "captured again"));
	buf_finish(&text);
	text = (struct buf){0};
	tick(&budget, 60, 5, &text);
	assert_int_equal(fake.shed.shares[SHED_TRANSFERS], 0);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "all events are captured again"));
	buf_finish(&text);
	text = (struct buf){0};
	/* Soon after, nothing is said again. */
	tick(&budget, 12, 95, &text);
	assert_true(fake.shed.shares[SHED_TRANSFERS] > 0);
	tick(&budget, 30, 5, &text);
	assert_int_equal(text.len, 0);
	budget_append_report(&budget, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "; events were shed for "));
	buf_finish(&text);
}

static void test_exhausted(void **state)
{
	struct budget budget = begin();
	struct buf text = {0};
	const char *first;

	tick(&budget, 100, 95, &text);
	buf_append_char(&text, '\0');
	first = strstr(text.data, "though all is lost that may be");
	assert_non_null(first);
	assert_null(strstr(first + 1, "though all is lost that may be"));
	buf_finish(&text);
}

static void test_fails(void **state)
{
	struct budget budget = begin();
	struct buf text = {0};

	fake.code = -EPERM;
	tick(&budget, 5, 95, &text);
	expect(&text, "agent: --budget: the cost cannot be measured or bounded: Operation not "
		      "permitted\n");
}

static void test_metrics(void **state)
{
	struct budget budget = begin();
	struct buf text = {0}, messages = {0};
	struct exposition exposition = {.out = &text};

	tick(&budget, 40, 95, &messages);
	budget_append_metrics(&budget, &exposition);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "\nlanner_budget_ratio 0.5\n"));
	assert_non_null(strstr(text.data, "\nlanner_cost_ratio 0.9"));
	assert_non_null(strstr(text.data, "\nlanner_kept_ratio{class=\"important\"} 1\n"));
	assert_non_null(strstr(text.data, "\nlanner_kept_ratio{class=\"transfers\"} 0\n"));
	buf_finish(&text);
	buf_finish(&messages);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_none),	       cmocka_unit_test(test_below),
	cmocka_unit_test(test_sheds_and_ends), cmocka_unit_test(test_exhausted),
	cmocka_unit_test(test_fails),	       cmocka_unit_test(test_metrics),
};

UNIT_GROUP(tests);
