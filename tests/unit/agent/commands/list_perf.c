/* SPDX-License-Identifier: MIT */
/* The list of perf events: what this machine has, and what it lacks. */
#include <unistd.h>

#include "perf/machine.h"
#include "printed.h"
#include "unit.h"

static void lists_what_is_there(void **state)
{
	printed_expect_run("perf-list page-faults",
			   (const char *[]){"EVENT ", "page-faults or faults ", " software ",
					    " page faults\n", NULL});
	printed_expect_run("perf-list -j cgroup-switches",
			   (const char *[]){"{\"name\":\"cgroup-switches\",\"other_name\":null,"
					    "\"source\":\"software\",",
					    "\"unit\":null,\"available\":true,\"missing\":null}\n",
					    NULL});
}

/* What there is no counter for is hidden, or has a reason. */
static void says_what_is_missing(void **state)
{
	struct perf_machine machine;
	struct printed printed;

	assert_int_equal(perf_machine_open(&machine, NULL, NULL, NULL), 0);
	if (machine.cores)
		skip();
	perf_machine_close(&machine);
	printed_expect_run("perf-list -v bus-cycles",
			   (const char *[]){"bus-cycles ", " hardware ",
					    "this machine shows no counters", NULL});
	printed_run("perf-list bus-cycles", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.out, "");
	assert_string_equal(printed.err, "agent: this machine has none of the 1 events that match "
					 "'bus-cycles'; -v says why\n");
	printed_finish(&printed);
}

static void says_what_was_meant(void **state)
{
	struct printed printed;

	printed_run("perf-list fualts", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.err, "agent: no events match 'fualts'; did you mean 'faults'? "
					 "(-v searches more than their names)\n");
	printed_finish(&printed);
}

/* With -v tracepoints are opened, and so are the events that the kernel names. */
static void tries_what_the_kernel_names(void **state)
{
	struct perf_machine machine;
	int r;

	assert_int_equal(perf_machine_open(&machine, NULL, NULL, NULL), 0);
	r = geteuid() ? -1 : machine.tracefs;
	perf_machine_close(&machine);
	if (r < 0)
		skip();
	printed_expect_run(
		"perf-list -v -j sched:sched_switch",
		(const char *[]){"\"name\":\"sched:sched_switch\"", "\"available\":true", NULL});
	if (access("/sys/bus/event_source/devices/msr/events/tsc", F_OK) == 0)
		printed_expect_run(
			"perf-list -v -j msr/tsc/",
			(const char *[]){"\"name\":\"msr/tsc/\"", "\"available\":true", NULL});
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(tries_what_the_kernel_names),
	cmocka_unit_test(lists_what_is_there),
	cmocka_unit_test(says_what_is_missing),
	cmocka_unit_test(says_what_was_meant),
};

UNIT_GROUP(tests);
