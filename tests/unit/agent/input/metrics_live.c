/* SPDX-License-Identifier: MIT */
/* The counters of a capture as metrics: which series exist, and their values. */
#include "agent/input/metrics.h"

#include <stdlib.h>

#include "event/event.h"
#include "scap/live/live.h"
#include "unit.h"

static void test_events_and_causes(void **state)
{
	struct scap_live_stats *stats = calloc(1, sizeof(*stats));
	struct selection selection = {.events = {[EVENT_openat] = WHY_FILTER}};
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	stats->seen[EVENT_close] = 5;
	stats->delivered[EVENT_close] = 3;
	stats->events[EVENT_close].filtered = 4;
	stats->events[EVENT_close].lost[LOSS_RING_FULL] = 1;
	stats->events[EVENT_close].lost[LOSS_TOO_LARGE] = 1;
	stats->cpus = 2;
	metrics_live_append(stats, &selection, &exposition);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "\nlanner_events_seen_total{event=\"close\"} 5\n"));
	assert_non_null(strstr(out.data, "\nlanner_events_delivered_total{event=\"close\"} 3\n"));
	assert_non_null(
		strstr(out.data, "\nlanner_events_lost_by_event_total{event=\"close\"} 2\n"));
	assert_non_null(strstr(out.data, "\nlanner_events_filtered_total{event=\"close\"} 4\n"));
	/* Of what is captured, from 0 on; of others only what was counted. */
	assert_non_null(strstr(out.data, "\nlanner_events_seen_total{event=\"openat\"} 0\n"));
	assert_null(strstr(out.data, "{event=\"mkdirat\"}"));
	assert_non_null(strstr(out.data, "\nlanner_events_lost_total{cause=\"ring_full\"} 1\n"));
	assert_non_null(strstr(out.data, "\nlanner_events_lost_total{cause=\"too_large\"} 1\n"));
	assert_non_null(strstr(out.data, "\nlanner_events_lost_total{cause=\"scratch_busy\"} 0\n"));
	assert_non_null(strstr(out.data, "\nlanner_rings 2\n"));
	buf_finish(&out);
	free(stats);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_events_and_causes)};

UNIT_GROUP(tests);
