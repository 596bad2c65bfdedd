/* SPDX-License-Identifier: MIT */
/* What --sample opens, what it rejects, and what the report says. */
#include "agent/input/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/proc.h"
#include "unit.h"

static const uint32_t nobody[SELF_PIDS];

static int try_open(struct sampling *sampling, const char *text, pid_t self, struct error *err)
{
	const char *texts[] = {text};
	struct options options = {.samples = texts, .samples_count = text ? 1 : 0};
	const struct plan plan = {.options = &options};
	struct host host = {.self = self};
	int r;

	*sampling = (struct sampling){0};
	assert_int_equal(scap_proc_open("/proc", &host.proc, NULL), 0);
	r = sampling_open(sampling, &plan, &host, nobody, err);
	scap_proc_close(host.proc);
	return r;
}

static void samples_what_it_is_told(void **state)
{
	static struct scap_live_stats stats;
	struct sampling sampling;
	struct error err = {""};
	struct buf text = {0};
	int r = try_open(&sampling, "page-faults/period=1/", getpid(), &err);

	if (r == -EACCES || r == -EPERM) {
		sampling_finish(&sampling);
		skip();
	}
	assert_int_equal(r, 0);
	assert_non_null(sampling.samples);
	sampling_stop(&sampling);
	sampling_add_stats(&sampling, &stats);
	assert_int_equal(stats.seen[EVENT_perf_sample], 0);
	sampling_append_report(&sampling, &text);
	assert_int_equal(text.len, 0);
	sampling_append_plan(&sampling, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "PERF EVENT "));
	assert_non_null(strstr(text.data, "\npage-faults/period=1/ "));
	assert_non_null(strstr(text.data, " each time "));
	assert_non_null(strstr(text.data, " --sample\n"));
	buf_finish(&text);
	sampling_finish(&sampling);
}

/* Each trouble is a metric, from 0 on. */
static void has_metrics(void **state)
{
	static const char *const families[] = {
		"throttled",	 "without_symbols", "files_unread",	"files_slow",
		"mappings_lost", "lost_mixed",	    "cpus_not_followed"};
	struct sampling sampling;
	struct buf text = {0};
	struct exposition exposition = {.out = &text};
	int r = try_open(&sampling, "cpu-clock/freq=33/", getpid(), NULL);

	if (r == -EACCES || r == -EPERM) {
		sampling_finish(&sampling);
		skip();
	}
	assert_int_equal(r, 0);
	sampling_append_metrics(&sampling, &exposition);
	buf_append_char(&text, '\0');
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		char name[64];

		snprintf(name, sizeof(name), "\nlanner_samples_%s", families[i]);
		assert_non_null(strstr(text.data, name));
	}
	buf_finish(&text);
	sampling_append_plan(&sampling, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, " 33 times a second on each CPU "));
	buf_finish(&text);
	sampling_finish(&sampling);
}

static void samples_nothing_without(void **state)
{
	static struct scap_live_stats stats;
	struct sampling sampling;
	struct buf text = {0};

	assert_int_equal(try_open(&sampling, NULL, 1, NULL), 0);
	assert_null(sampling.samples);
	sampling_stop(&sampling);
	sampling_add_stats(&sampling, &stats);
	sampling_append_report(&sampling, &text);
	sampling_append_metrics(&sampling, NULL);
	sampling_append_plan(&sampling, &text);
	assert_int_equal(text.len, 0);
	sampling_finish(&sampling);
}

static void says_what_is_wrong(void **state)
{
	struct sampling sampling;
	struct error err = {""};

	assert_int_equal(try_open(&sampling, "page-fautls", getpid(), &err), -EINVAL);
	assert_non_null(strstr(err.text, "did you mean 'page-faults'?"));
	sampling_finish(&sampling);
	/* In another pid namespace. */
	assert_int_equal(try_open(&sampling, "page-faults", getpid() + 1, &err), -EXDEV);
	assert_non_null(strstr(err.text, "pid namespace of the host"));
	sampling_finish(&sampling);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(samples_what_it_is_told),
	cmocka_unit_test(has_metrics),
	cmocka_unit_test(samples_nothing_without),
	cmocka_unit_test(says_what_is_wrong),
};

UNIT_GROUP(tests);
