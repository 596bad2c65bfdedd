/* SPDX-License-Identifier: MIT */
/* What the manager of the service receives of a run, with an input that has counters of its own. */
#include <errno.h>
#include <stdlib.h>

#include "agent/run/report.h"
#include "agent/run/run.h"
#include "sinsp/sinsp.h"

#include "fake_input.h"
#include "fake_manager.h"
#include "fake_target.h"
#include "printed.h"
#include "unit.h"

#define SECOND_NS UINT64_C(1000000000)

static struct options options;
static struct fake_input input;
static struct fake_manager manager;
static struct run run;

/* A run that printed 5 of 7 events. */
static int setup(void **state)
{
	fake_manager_open(&manager, false);
	options = (struct options){.format = &format_text};
	fake_input_run(&input, &run, &options);
	run.counts.matched = 7;
	run.counts.formatted = 5;
	return 0;
}

static int teardown(void **state)
{
	run_finish(&run);
	fake_manager_close(&manager);
	return 0;
}

static void expect(const char *text)
{
	fake_manager_expect(&manager, text);
}

static void test_course(void **state)
{
	service_begin(&run.service);
	expect("STATUS=opening the input and loading programs");
	service_notify(&run.service, NOTIFY_READY);
	expect("READY=1");
	report_step_service(&run, SECOND_NS);
	expect("STATUS=counters, matched 7, printed 5; threads 0, descriptors 0");
	report_step_service(&run, 10 * SECOND_NS);
	expect(NULL);
	run.counts.matched = 8;
	report_step_service(&run, 11 * SECOND_NS);
	expect("STATUS=counters, matched 8, printed 5; threads 0, descriptors 0");
	service_notify(&run.service, NOTIFY_STOPPING);
	expect("STOPPING=1");
	service_end(&run.service);
	report_step_service(&run, 50 * SECOND_NS);
	expect(NULL);
}

static void test_watchdog(void **state)
{
	setenv("WATCHDOG_USEC", "4000000", 1);
	service_begin(&run.service);
	expect("STATUS=opening the input and loading programs");
	report_step_service(&run, SECOND_NS);
	expect("WATCHDOG=1");
	expect("STATUS=counters, matched 7, printed 5; threads 0, descriptors 0");
	report_step_service(&run, 2 * SECOND_NS);
	expect(NULL);
	report_step_service(&run, 3 * SECOND_NS);
	expect("WATCHDOG=1");
}

/* An output whose thread has done the same since the machine started. */
static void add_output(enum output_heartbeat_place place)
{
	struct output_view view = {.format = &format_text};
	struct output *output;

	assert_int_equal(output_create(fake_config(""), &view, &output, NULL), 0);
	assert_int_equal(outputs_add(&run.outputs, output), 0);
	atomic_store(&output->sender.heartbeat.state, place);
}

static void step_with_a_thread_that_hangs(void *context)
{
	service_begin(&run.service);
	report_step_service(&run, 150 * SECOND_NS);
	report_step_service(&run, 160 * SECOND_NS);
}

/* A dead target costs records, and no restart; only one helps a thread that hangs. */
static void test_threads_of_outputs(void **state)
{
	struct printed printed;

	setenv("WATCHDOG_USEC", "4000000", 1);
	add_output(HEARTBEAT_IN_TARGET);
	service_begin(&run.service);
	expect("STATUS=opening the input and loading programs");
	report_step_service(&run, 150 * SECOND_NS);
	expect("WATCHDOG=1");
	service_end(&run.service);
	fake_manager_close(&manager);
	fake_manager_open(&manager, false);
	run.service = (struct service){0};
	atomic_store(&run.outputs.list[0]->sender.heartbeat.state, HEARTBEAT_WORKS);
	printed_call(step_with_a_thread_that_hangs, NULL, &printed);
	assert_string_equal(printed.err,
			    "agent: the watchdog is not fed any more: output 1 (fake): "
			    "its thread has been in code of the agent for 150 s: it "
			    "hangs\n");
	printed_finish(&printed);
	expect("STATUS=opening the input and loading programs");
	expect("STATUS=counters, matched 7, printed 5; threads 0, descriptors 0");
}

/* Counters that cannot be read leave the line as it is, and the watchdog is fed. */
static void test_no_counters(void **state)
{
	input.counters_code = -EPERM;
	setenv("WATCHDOG_USEC", "4000000", 1);
	service_begin(&run.service);
	expect("STATUS=opening the input and loading programs");
	report_step_service(&run, SECOND_NS);
	expect("WATCHDOG=1");
	expect(NULL);
}

static void begin_and_notify(void *context)
{
	service_begin(&run.service);
	service_notify(&run.service, NOTIFY_READY);
}

/* What cannot be sent is reported, and the run goes on. */
static void test_trouble_is_printed(void **state)
{
	struct printed printed;

	fake_manager_leave(&manager);
	printed_call(begin_and_notify, NULL, &printed);
	assert_string_equal(printed.err, "agent: cannot notify the service manager of READY=1: "
					 "No such file or directory\n");
	printed_finish(&printed);
	fake_manager_return(&manager);
	service_end(&run.service);
	setenv("NOTIFY_SOCKET", "nowhere", 1);
	printed_call(begin_and_notify, NULL, &printed);
	printed_expect(printed.err, (const char *[]){"agent: NOTIFY_SOCKET=nowhere: ", NULL});
	printed_finish(&printed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_course),	TEST(test_watchdog),	       TEST(test_threads_of_outputs),
	TEST(test_no_counters), TEST(test_trouble_is_printed),
};

UNIT_GROUP(tests);
