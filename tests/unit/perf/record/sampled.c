/* SPDX-License-Identifier: MIT */
/* Attributes: of terms, of options, and usual ones. */
#include <string.h>
#include <time.h>

#include "perf/record/sampled.h"
#include "unit.h"

enum { RING_BYTES = 1 << 20 };

static void completes_usual_events(void **state)
{
	const struct perf_event clock = {.attr = {.type = PERF_TYPE_SOFTWARE}};
	const struct perf_event tracepoint = {.attr = {.type = PERF_TYPE_TRACEPOINT}};
	const struct perf_event probe = {.attr = {.type = 9}, .is_probe = true};
	struct perf_record_options options = {.clock = CLOCK_MONOTONIC};
	struct perf_event_attr attr;

	perf_record_complete(&clock, &options, RING_BYTES, &attr);
	assert_true(attr.freq && attr.sample_freq <= PERF_RECORD_FREQUENCY_HZ);
	assert_true(attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_true(attr.sample_id_all && attr.disabled && attr.use_clockid);
	assert_int_equal(attr.wakeup_watermark, RING_BYTES / 4);
	assert_int_equal(attr.sample_type & (PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN), 0);
	options.clock = -1;
	options.has_cpu = true;
	perf_record_complete(&tracepoint, &options, RING_BYTES, &attr);
	assert_true(!attr.freq && attr.sample_period == 1 && !attr.use_clockid);
	assert_true(attr.sample_type & PERF_SAMPLE_RAW && attr.sample_type & PERF_SAMPLE_CPU);
	assert_true(perf_record_is_discrete(&probe) && !perf_record_is_discrete(&clock));
}

static void takes_options_and_terms(void **state)
{
	struct perf_event event = {.attr = {.type = PERF_TYPE_SOFTWARE}};
	struct perf_record_options options = {.period = 100, .call_graph = PERF_CALL_GRAPH_FP};
	struct perf_event_attr attr;

	perf_record_complete(&event, &options, RING_BYTES, &attr);
	assert_true(!attr.freq && attr.sample_period == 100);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(attr.exclude_callchain_user);
	options.period = 0;
	options.frequency_hz = 49;
	options.call_graph = PERF_CALL_GRAPH_DWARF;
	options.stack_bytes = 4096;
	perf_record_complete(&event, &options, RING_BYTES, &attr);
	assert_true(attr.freq && attr.sample_freq == 49);
	assert_true(attr.exclude_callchain_user && attr.sample_stack_user == 4096);
	/* What is behind the event wins. */
	event.sampling = (struct perf_sampling){
		.given = PERF_GIVES_PERIOD | PERF_GIVES_CALL_GRAPH | PERF_GIVES_STACK_BYTES |
			 PERF_GIVES_FRAMES_MAX,
		.period = 5,
		.call_graph = PERF_CALL_GRAPH_DWARF,
		.stack_bytes = 64,
		.frames_max = 9,
	};
	perf_record_complete(&event, &options, RING_BYTES, &attr);
	assert_true(!attr.freq && attr.sample_period == 5 && attr.sample_stack_user == 64);
	assert_int_equal(attr.sample_max_stack, 9);
	event.sampling.call_graph = PERF_CALL_GRAPH_LBR;
	perf_record_complete(&event, &options, RING_BYTES, &attr);
	assert_true(attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_false(attr.sample_type & PERF_SAMPLE_STACK_USER);
	event.sampling = (struct perf_sampling){.given = PERF_GIVES_FREQ | PERF_GIVES_CALL_GRAPH,
						.freq_hz = 7};
	event.wants_most_precise = event.reads_group = true;
	perf_record_complete(&event, &options, RING_BYTES, &attr);
	assert_true(attr.freq && attr.sample_freq == 7 && attr.precise_ip == 3);
	assert_true(attr.read_format & PERF_FORMAT_GROUP && attr.sample_type & PERF_SAMPLE_READ);
	assert_false(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

static void tracks_what_is_wanted(void **state)
{
	struct perf_record_options options = {.has_namespaces = true, .no_build_ids = true};
	struct perf_event_attr attr;

	perf_record_make_tracker(&options, RING_BYTES, &attr);
	assert_true(attr.config == PERF_COUNT_SW_DUMMY && attr.mmap && attr.mmap2 && attr.comm &&
		    attr.task && attr.namespaces);
	assert_false(attr.build_id || attr.cgroup || attr.ksymbol);
	options = (struct perf_record_options){.has_cgroup = true, .has_bpf = true};
	perf_record_track(&options, &attr);
	assert_true(attr.build_id && attr.cgroup && attr.ksymbol && attr.bpf_event);
}

static void knows_what_records_end_with(void **state)
{
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	assert_int_equal(perf_record_trailer_bytes(type), 32);
	assert_int_equal(perf_record_behind_time(type), 16);
	assert_int_equal(perf_record_trailer_bytes(PERF_SAMPLE_IP), 0);
	assert_int_equal(perf_record_behind_time(PERF_SAMPLE_TID), UINT32_MAX);
	assert_true(perf_record_rate_max() > 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(completes_usual_events),
	cmocka_unit_test(takes_options_and_terms),
	cmocka_unit_test(tracks_what_is_wanted),
	cmocka_unit_test(knows_what_records_end_with),
};

UNIT_GROUP(tests);
