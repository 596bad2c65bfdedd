/* SPDX-License-Identifier: MIT */
/* Frames of samples: what they have, what they lack, and texts that are too long. */
#include "scap/samples/frame.h"

#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "unit.h"

static uint8_t frame[SAMPLE_FRAME_BYTES];

static const struct sample_record sample = {
	.ip = 0x401136, .addr = 0x601040, .period = 7, .pid = 100, .tid = 101, .mode = 2};

static void has_all_values(void **state)
{
	const struct sample_texts texts = {"cpu-clock", "main", "main"};
	uint32_t len = sample_kinds[SAMPLE_PERF].write(&sample, &texts, 12345, frame);
	struct event event;

	assert_int_equal(event_decode(frame, len, 3, &event), 0);
	assert_int_equal(event.ts_ns, 12345);
	assert_int_equal(event.tid, 101);
	assert_string_equal(event_param_string(&event, perf_sample__event), "cpu-clock");
	assert_int_equal(event_param_u64(&event, perf_sample__period), 7);
	assert_int_equal(event_param_u64(&event, perf_sample__mode), 2);
	assert_int_equal(event_param_u64(&event, perf_sample__ip), 0x401136);
	assert_int_equal(event_param_u64(&event, perf_sample__addr), 0x601040);
	assert_string_equal(event_param_string(&event, perf_sample__symbol), "main");
	assert_string_equal(event_param_string(&event, perf_sample__stack), "main");
}

static void lacks_what_is_not_known(void **state)
{
	const struct sample_texts texts = {.event = "cs"};
	struct sample_record ended = {.tid = -1};
	uint32_t len = sample_kinds[SAMPLE_PERF].write(&ended, &texts, 1, frame);
	struct event event;

	assert_int_equal(event_decode(frame, len, 0, &event), 0);
	assert_int_equal(event.tid, -1);
	assert_false(event_param_present(&event, perf_sample__addr));
	assert_false(event_param_present(&event, perf_sample__symbol));
	assert_false(event_param_present(&event, perf_sample__stack));
}

static void writes_tracepoints_and_probes(void **state)
{
	const struct sample_texts texts = {
		.event = "sched:x", .symbol = "main", .args = "a=1\0b=\0", .args_bytes = 7};
	struct event event;
	uint32_t len = sample_kinds[SAMPLE_TRACEPOINT].write(&sample, &texts, 5, frame);

	assert_int_equal(event_decode(frame, len, 0, &event), 0);
	assert_int_equal(event.desc->id, EVENT_tracepoint);
	assert_int_equal(event.tid, 101);
	assert_string_equal(event_param_string(&event, tracepoint__name), "sched:x");
	assert_int_equal(event.params[tracepoint__args].len, 7);
	assert_memory_equal(event.params[tracepoint__args].data, texts.args, 7);
	len = sample_kinds[SAMPLE_PROBE].write(&sample, &(struct sample_texts){.event = "u:x"}, 5,
					       frame);
	assert_int_equal(event_decode(frame, len, 0, &event), 0);
	assert_int_equal(event.desc->id, EVENT_probe);
	assert_int_equal(event_param_u64(&event, probe__ip), 0x401136);
	assert_false(event_param_present(&event, probe__args));
	assert_false(event_param_present(&event, probe__symbol));
}

static void cuts_long_texts(void **state)
{
	enum { LONG = 1 << 17 };
	char *text = malloc(LONG);
	struct event event;
	uint32_t len;

	assert_non_null(text);
	memset(text, 'x', LONG - 1);
	text[LONG - 1] = '\0';
	len = sample_kinds[SAMPLE_PERF].write(&sample, &(struct sample_texts){text, text, text}, 1,
					      frame);
	assert_true(len <= FRAME_BYTES_MAX);
	assert_int_equal(event_decode(frame, len, 0, &event), 0);
	assert_int_equal(event.params[perf_sample__event].len, SAMPLE_NAME_BYTES);
	assert_int_equal(event.params[perf_sample__symbol].len, SAMPLE_SYMBOL_BYTES);
	assert_int_equal(event.params[perf_sample__stack].len, SAMPLE_STACK_BYTES);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_all_values),
	cmocka_unit_test(lacks_what_is_not_known),
	cmocka_unit_test(writes_tracepoints_and_probes),
	cmocka_unit_test(cuts_long_texts),
};

UNIT_GROUP(tests);
