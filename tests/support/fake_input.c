/* SPDX-License-Identifier: MIT */
#include "fake_input.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct fake_input *of(struct input *input)
{
	return (struct fake_input *)input;
}

static int note(struct input *input, const char *call, int code)
{
	struct fake_input *fake = of(input);

	if (strlen(fake->calls) + strlen(call) < sizeof(fake->calls))
		strcat(fake->calls, call);
	return code;
}

static int change_begin(struct input *input)
{
	return note(input, "begin ", of(input)->begin_code);
}

static int change_prepare(struct input *input, const struct plan *from, const struct plan *to,
			  struct error *err)
{
	int code = note(input, "prepare ", of(input)->prepare_code);

	return code ? error_set(err, code, "it cannot be prepared") : 0;
}

static int change_take(struct input *input, const struct plan *from, const struct plan *to,
		       struct state *state, struct error *err)
{
	int code = note(input, "take ", of(input)->take_code);

	return code ? error_set(err, code, "it cannot be taken") : 0;
}

static void change_drop(struct input *input)
{
	note(input, "drop ", 0);
}

static int append_counters(struct input *input, struct buf *text)
{
	buf_append_string(text, "counters");
	return of(input)->counters_code;
}

static int append_metrics(struct input *input, const struct plan *plan,
			  struct exposition *exposition)
{
	static const struct exposition_family family = {"lanner_fake", METRIC_COUNTER, NULL,
							"Fake."};

	exposition_add(exposition, &family, 1);
	return 0;
}

static int append_report(struct input *input, const struct account *account, struct buf *text,
			 struct error *err)
{
	if (of(input)->report_code)
		return error_set(err, of(input)->report_code, "there are no counters");
	buf_printf(text, "agent: matched %" PRIu64 ", printed %" PRIu64 "\n", account->matched,
		   account->printed);
	return 0;
}

static int percent_read(const struct input *input)
{
	return ((const struct fake_input *)input)->percent;
}

static bool is_incomplete(struct input *input, const struct state_stats *state)
{
	return of(input)->incomplete;
}

static void destroy(struct input *input)
{
	note(input, "destroy ", 0);
}

static void accept_groups(struct input *input)
{
}

static uint32_t silent(struct input *input, uint32_t *cpu)
{
	return 0;
}

static const struct input_live_ops live_ops = {
	.change_begin = change_begin,
	.change_prepare = change_prepare,
	.change_take = change_take,
	.change_drop = change_drop,
	.accept_groups = accept_groups,
	.silent = silent,
};

static const struct input_ops ops = {
	.append_counters = append_counters,
	.append_metrics = append_metrics,
	.append_report = append_report,
	.percent_read = percent_read,
	.is_incomplete = is_incomplete,
	.destroy = destroy,
};

void fake_input_init(struct fake_input *fake)
{
	*fake = (struct fake_input){.input = {.ops = &ops, .live = &live_ops}, .percent = 50};
}

void fake_input_init_fixed(struct fake_input *fake)
{
	*fake = (struct fake_input){.input.ops = &ops, .percent = -1};
}

void fake_input_run(struct fake_input *fake, struct run *run, struct options *options)
{
	struct error err = {""};

	if (run_plan(run, options, NULL, &err) ||
	    state_create(&(struct state_config){0}, &run->state, &err))
		fail_msg("%s", err.text);
	fake_input_init(fake);
	run->input = &fake->input;
}
