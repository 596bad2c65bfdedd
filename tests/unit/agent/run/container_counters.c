/* SPDX-License-Identifier: MIT */
/* Metrics of the perf events of containers, and of the rings of CPUs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/run/container_counters.h"
#include "agent/input/metrics.h"
#include "fake_live.h"
#include "perf/count/target.h"
#include "unit.h"

#define ID "0fed0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"

static char *append(struct container_counters *counters, const struct state *state)
{
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	container_counters_append(counters, state, &exposition);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

/* A group as a runtime makes it, where this process can make any. Returns whether there is one. */
static bool make_group(char path[256])
{
	for (const char *const *at = perf_target_hierarchies; *at; at++) {
		snprintf(path, 256, "%s/cgroup.procs", *at);
		if (access(path, W_OK) != 0)
			continue;
		snprintf(path, 256, "%s/libpod-" ID ".scope", *at);
		return mkdir(path, 0755) == 0;
	}
	return false;
}

static void counts_containers(void **state)
{
	const char *events[] = {"faults,task-clock"};
	struct options options = {.counters_count = 0};
	const struct state_config nothing = {0};
	struct container_counters *counters;
	struct error err = {""};
	struct state *known;
	char path[256], *text = NULL;
	int r;

	assert_int_equal(container_counters_start(&options, &counters, &err), 0);
	assert_null(counters);
	container_counters_stop(NULL);
	options.counters = events;
	options.counters_count = 1;
	r = container_counters_start(&options, &counters, &err);
	if (r == -EACCES || r == -EPERM || r == -ENOENT || (r == 0 && !make_group(path))) {
		container_counters_stop(r == 0 ? counters : NULL);
		skip();
	}
	assert_int_equal(r, 0);
	assert_int_equal(state_create(&nothing, &known, NULL), 0);
	for (int i = 0; i < 200; i++) {
		container_counters_ask(counters);
		container_counters_step(counters, known, UINT64_C(1000000000) * (uint64_t)(i + 1));
		free(text);
		text = append(counters, known);
		if (strstr(text, "container_id=\"" ID "\""))
			break;
		usleep(10000);
	}
	assert_int_equal(rmdir(path), 0);
	assert_non_null(strstr(text, "\nlanner_container_perf_events_total{container_name=\""
				     "0fed01234567\",container_id=\"" ID "\",event=\"faults\"} "
				     "0\n"));
	assert_non_null(strstr(text, "\nlanner_container_perf_seconds_total{container_name=\""
				     "0fed01234567\",container_id=\"" ID "\",event=\""
				     "task-clock\"} 0\n"));
	assert_non_null(strstr(text, "\nlanner_perf_late 0\n"));
	assert_non_null(
		strstr(text, "\nlanner_perf_containers_left_out_total{cause=\"no_room\"} 0\n"));
	free(text);
	state_destroy(known);
	container_counters_stop(counters);
}

/* Of CPUs without a ring nothing is said. */
static void shows_rings(void **state)
{
	struct scap_live live;
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	fake_live_init(&live);
	live.cpus_count = 3;
	live.cpus[0] = (struct scap_live_cpu){.ring_bytes = 4096, .wakeups = 7, .lost = 1};
	live.cpus[2] = (struct scap_live_cpu){.ring_bytes = 8192, .backward_bytes = 65536};
	metrics_live_append_cpus(&live, &exposition);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\nlanner_cpu_ring_bytes{cpu=\"2\"} 8192\n"));
	assert_non_null(strstr(out.data, "\nlanner_cpu_ring_wakeups_total{cpu=\"0\"} 7\n"));
	assert_non_null(strstr(out.data, "\nlanner_cpu_ring_lost_records_total{cpu=\"0\"} 1\n"));
	assert_non_null(strstr(out.data, "\nlanner_cpu_ring_overwritten_bytes{cpu=\"2\"} 65536\n"));
	assert_null(strstr(out.data, "cpu=\"1\""));
	buf_finish(&out);
	scap_source_destroy(scap_live_source(&live));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(counts_containers),
	cmocka_unit_test(shows_rings),
};

UNIT_GROUP(tests);
