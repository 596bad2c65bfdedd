/* SPDX-License-Identifier: MIT */
/* What a run reports on standard error, with an input that has counters of its own. */
#include <errno.h>
#include <string.h>

#include "agent/run/report.h"
#include "agent/run/run.h"
#include "agent/run/summary.h"
#include "sinsp/sinsp.h"

#include "fake_input.h"
#include "printed.h"
#include "unit.h"

static struct options options;
static struct fake_input input;
static struct run run;

/* A run that printed 5 of 7 events. */
static int setup(void **state)
{
	options = (struct options){.format = &format_text};
	fake_input_run(&input, &run, &options);
	run.counts.matched = 7;
	run.counts.formatted = 6;
	run.line_writer.lines_lost = 1;
	return 0;
}

static int teardown(void **state)
{
	run_finish(&run);
	return 0;
}

static void expect(void (*print)(void *context), const char *out, const char *err)
{
	struct printed printed;

	printed_call(print, NULL, &printed);
	assert_string_equal(printed.out, out);
	assert_string_equal(printed.err, err);
	printed_finish(&printed);
}

static void print_line(void *context)
{
	report_print_line(&run, 2040000000);
}

static void test_line(void **state)
{
	expect(print_line, "",
	       "agent: after 2.0 s: counters, matched 7, printed 5; threads 0, descriptors 0\n");
	/* Better none than half a line. */
	input.counters_code = -EIO;
	expect(print_line, "", "");
}

static void print_report(void *context)
{
	report_print(&run);
}

static void test_report(void **state)
{
	expect(print_report, "", "agent: matched 7, printed 5\n");
	input.report_code = -EIO;
	expect(print_report, "", "agent: there are no counters\n");
}

/* What was asked for and cannot be. */
static void test_hints(void **state)
{
	run.counts.unshown = 7;
	expect(print_report, "", "agent: matched 7, printed 5\n");
	run.counts.formatted = run.line_writer.lines_lost = 0;
	expect(print_report, "",
	       "agent: matched 7, printed 0\n"
	       "agent: none of 7 events has all fields of -p: with * in front (-p '*%...') a "
	       "missing one is <NA>\n");
	run.counts.unshown = 0;
	options.read = "a.scap";
	expect(print_report, "", "agent: matched 7, printed 0\n");
	assert_int_equal(filter_create("evt.latency>1", &(struct filter_options){0},
				       &run.plan->filter, NULL),
			 0);
	expect(print_report, "",
	       "agent: matched 7, printed 0\n"
	       "agent: a.scap does not say how long calls took: evt.latency has no value\n");
	run.counts.timed = 1;
	expect(print_report, "", "agent: matched 7, printed 0\n");
	options.read = NULL;
}

static void print_begin(void *context)
{
	report_print_begin(&run);
}

/* On a terminal it says more: cli/test_terminal. */
static void test_begin(void **state)
{
	expect(print_begin, "", "");
	options.verbose = true;
	expect(print_begin, "", "agent: capturing\n");
	options.read = "a.scap";
	expect(print_begin, "", "");
	options.read = NULL;
}

static void test_quiet(void **state)
{
	options.quiet = true;
	expect(print_report, "", "");
	/* Missing events are always reported. */
	input.incomplete = true;
	assert_true(report_is_incomplete(&run));
	expect(print_report, "", "agent: matched 7, printed 5\n");
	input.incomplete = false;
	assert_false(report_is_incomplete(&run));
	options.verbose = true;
	expect(print_report, "", "agent: matched 7, printed 5\n");
}

static void print_progress(void *context)
{
	report_print_progress(&run, "\n");
}

static void test_progress(void **state)
{
	expect(print_progress, "", "\r 50%\n");
	input.percent = 100;
	expect(print_progress, "", "\r100%\n");
	input.percent = -1;
	expect(print_progress, "", "");
	fake_input_init_fixed(&input);
	expect(print_progress, "", "");
}

static void print_summary(void *context)
{
	assert_int_equal(report_print_summary(&run, NULL), 0);
}

static const char summary[] = "0 events, 0 of them failed calls\n";

/* Not requested. */
static void test_no_summary(void **state)
{
	expect(print_summary, "", "");
}

static void test_summary(void **state)
{
	const struct output_format *format;

	assert_int_equal(summary_create(&run.summary), 0);
	for (unsigned int i = 0; (format = output_format_get(i)); i++) {
		run.printer.format = format;
		expect(print_summary, format->for_programs ? "" : summary,
		       format->for_programs ? summary : "");
	}
	run.printer.format = &format_json;
	expect(print_summary, "", summary);
	run.printer.format = &format_none;
	options.write = "-";
	expect(print_summary, "", summary);
	options.write = "a.scap";
	expect(print_summary, summary, "");
}

#define REPORT_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	REPORT_TEST(test_line),	      REPORT_TEST(test_report),	 REPORT_TEST(test_quiet),
	REPORT_TEST(test_hints),      REPORT_TEST(test_begin),	 REPORT_TEST(test_progress),
	REPORT_TEST(test_no_summary), REPORT_TEST(test_summary),
};

UNIT_GROUP(tests);
