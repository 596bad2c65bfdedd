/* SPDX-License-Identifier: MIT */
/* The metrics of a run: its own counters, those of the state and of the input, in valid text. */
#include "agent/run/metrics.h"
#include "agent/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "fake_input.h"
#include "unit.h"

static struct options options;
static struct fake_input input;
static struct run run;

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

static char *append(bool openmetrics)
{
	struct buf out = {0};

	metrics_append(&run, openmetrics, &out);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

static void test_values(void **state)
{
	char *text = append(false);

	assert_non_null(strstr(text, "\nlanner_events_matched_total 7\n"));
	assert_non_null(strstr(text, "\nlanner_events_printed_total 5\n"));
	assert_non_null(strstr(text, "\nlanner_state_threads 0\n"));
	assert_non_null(strstr(text, "\nlanner_container_requests_total{result=\"found\"} 0\n"));
	assert_non_null(strstr(text, "\nlanner_fake_total 1\n"));
	assert_null(strstr(text, "# EOF"));
	free(text);
}

/* Each family stands once, with all its samples behind its comments. */
static void test_families(void **state)
{
	char *text = append(true), *line, *rest, *seen[256];
	size_t count = 0;

	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "# TYPE ", 7))
			continue;
		line[7 + strcspn(line + 7, " ")] = '\0';
		for (size_t i = 0; i < count; i++)
			assert_string_not_equal(seen[i], line + 7);
		seen[count++] = line + 7;
	}
	assert_true(count > 20);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_values, setup, teardown),
	cmocka_unit_test_setup_teardown(test_families, setup, teardown),
};

UNIT_GROUP(tests);
