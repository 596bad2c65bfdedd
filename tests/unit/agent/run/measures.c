/* SPDX-License-Identifier: MIT */
/* Metrics of requests are handed to outputs by time, and at the end. */
#include "agent/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "fake_target.h"
#include "unit.h"

enum { NS_PER_MS = 1000000 };

static struct output_kind kind;
static struct run run;
static struct drive drive;

static void add_output(bool takes_metrics)
{
	struct output_view view = {.format = &format_text};
	struct output_config *config = fake_config(takes_metrics ? ",x=1" : "");
	struct output *output;

	kind = fake_kind;
	kind.takes_metrics = true;
	if (takes_metrics)
		config->kind = &kind;
	assert_int_equal(output_create(config, &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
}

static int setup(void **state)
{
	struct frame *frame;

	fake_begin();
	run = (struct run){0};
	assert_int_equal(
		request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS, 10, &run.request_metrics),
		0);
	drive_create(&drive, NULL);
	drive_exec(&drive, 100, "server");
	frame = drive_begin(&drive, EVENT_request, 100);
	frame_put_i64(frame, request__protocol, request_protocols__redis);
	frame_put_i64(frame, request__role, request_roles__server);
	frame_put_string(frame, request__method, "GET");
	request_metrics_take(run.request_metrics, drive_end(&drive));
	setenv("OTEL_METRIC_EXPORT_INTERVAL", "1000", 1);
	return 0;
}

static int teardown(void **state)
{
	unsetenv("OTEL_METRIC_EXPORT_INTERVAL");
	outputs_finish(&run.outputs);
	request_metrics_destroy(run.request_metrics);
	drive_destroy(&drive);
	fake_end();
	return 0;
}

static void hands_them_over_by_time(void **state)
{
	uint64_t now_ns = 5000 * (uint64_t)NS_PER_MS;

	add_output(false);
	add_output(true);
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	measures_step(&run, now_ns, false);
	measures_step(&run, now_ns + 999 * NS_PER_MS, false);
	assert_int_equal(run.outputs.list[1]->number, 0);
	measures_step(&run, now_ns + 1000 * NS_PER_MS, false);
	assert_int_equal(run.outputs.list[1]->number, 1);
	measures_step(&run, now_ns + 1999 * NS_PER_MS, false);
	assert_int_equal(run.outputs.list[1]->number, 1);
	measures_step(&run, now_ns + 1999 * NS_PER_MS, true);
	assert_int_equal(run.outputs.list[1]->number, 2);
	assert_int_equal(run.outputs.list[0]->number, 0);
}

/* Without the variable, or with a wrong one: a minute. */
static void has_an_interval_of_a_minute(void **state)
{
	setenv("OTEL_METRIC_EXPORT_INTERVAL", "soon", 1);
	add_output(true);
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	measures_step(&run, 1, false);
	measures_step(&run, 59999 * (uint64_t)NS_PER_MS, false);
	assert_int_equal(run.outputs.list[0]->number, 0);
	measures_step(&run, 60000 * (uint64_t)NS_PER_MS + 1, false);
	assert_int_equal(run.outputs.list[0]->number, 1);
}

static void does_nothing_without_such_outputs(void **state)
{
	add_output(false);
	assert_int_equal(outputs_open(&run.outputs, false, NULL, NULL), 0);
	measures_step(&run, 1, true);
	assert_int_equal(run.outputs.list[0]->number, 0);
	assert_int_equal(run.measures.interval_ns, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(hands_them_over_by_time),
	CASE(has_an_interval_of_a_minute),
	CASE(does_nothing_without_such_outputs),
};

UNIT_GROUP(tests);
