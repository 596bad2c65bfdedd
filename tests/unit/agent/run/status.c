/* SPDX-License-Identifier: MIT */
/* The status of a run, line by line. */
#include "agent/run/report.h"
#include "agent/run/run.h"

#include <errno.h>
#include <string.h>

#include "fake_input.h"
#include "unit.h"

static void test_lines(void **state)
{
	struct options options = {.format = &format_text};
	struct fake_input input;
	struct run run;
	struct buf out = {0};

	fake_input_run(&input, &run, &options);
	pages_append_status(&run, &out);
	buf_append_char(&out, '\0');
	assert_memory_equal(out.data, "version: ", 9);
	assert_non_null(strstr(out.data, "\nrunning: since 2"));
	assert_non_null(strstr(out.data, "\nstate: 0 threads and 0 descriptors in "));
	assert_non_null(strstr(out.data, "\nfilter: none, every event is shown\n"));
	assert_non_null(strstr(out.data, "\nevents: counters, matched 0"));
	buf_clear(&out);
	options.filter = (char *)"evt.type=open";
	input.counters_code = -EIO;
	pages_append_status(&run, &out);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\nfilter: evt.type=open\n"));
	assert_non_null(strstr(out.data, "\nevents: the driver's counters cannot be read\n"));
	buf_finish(&out);
	run_finish(&run);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};

UNIT_GROUP(tests);
