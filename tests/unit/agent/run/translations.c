/* SPDX-License-Identifier: MIT */
/* Questions of requests, through the thread, and what the report says of them. */
#include "agent/run/translations.h"

#include <string.h>

#include "unit.h"

static void test_nobody(void **state)
{
	struct translations_run run = {0};
	struct buf text = {0};

	translations_run_step(&run, NULL);
	translations_run_wait(&run, NULL, NULL);
	translations_run_append_report(&run, true, &text);
	translations_run_append_metrics(&run, NULL);
	assert_int_equal(text.len, 0);
	translations_run_end(&run);
}

static void test_report(void **state)
{
	static const struct requests_config config;
	struct options options = {.host_root = "/no/such/root"};
	struct translations_run run = {0};
	struct requests *requests;
	struct input input = {0};
	struct buf text = {0};
	struct exposition exposition = {.out = &text};

	assert_int_equal(requests_create(&config, &requests), 0);
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	assert_int_equal(translations_run_begin(&run, &options, NULL), 0);
	assert_int_equal(requests_want_translations(requests, true), 0);
	translations_run_step(&run, requests);
	translations_run_wait(&run, requests, &input);
	translations_run_append_report(&run, false, &text);
	assert_int_equal(text.len, 0);
	run.late = 3;
	translations_run_append_report(&run, false, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "came too late: 3\n"));
	buf_clear(&text);
	translations_run_append_metrics(&run, &exposition);
	buf_append_char(&text, '\0');
	assert_non_null(
		strstr(text.data, "\nlanner_translations_total{result=\"translated\"} 0\n"));
	assert_non_null(strstr(text.data, "\nlanner_translations_not_waited_for_total 3\n"));
	translations_run_forget(&run);
	assert_int_equal(run.generation, 1);
	buf_finish(&text);
	translations_run_end(&run);
	requests_destroy(requests);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nobody),
	cmocka_unit_test(test_report),
};

UNIT_GROUP(tests);
