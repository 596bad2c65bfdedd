/* SPDX-License-Identifier: MIT */
/* Which views can take calls that were counted already, and that rows count like their events. */
#include "views/counted.h"

#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "unit.h"
#include "viewed.h"
#include "views/engine.h"

#define TIMES                                                                                      \
	"keys: [evt.type]\nvalues:\n- {name: n, aggregate: count}\n"                               \
	"- {name: time, aggregate: sum, field: evt.latency}\n"                                     \
	"- {name: mean, aggregate: mean, field: evt.latency}\n"                                    \
	"- {name: max, aggregate: max, field: evt.latency}\n"                                      \
	"- {name: failed, aggregate: count, if: evt.failed=true}\n"                                \
	"- {name: one, aggregate: sum, field: evt.count}\n"

#define THREADS                                                                                    \
	"keys: [proc.pid]\nvalues:\n- {name: n, aggregate: count}\n"                               \
	"- {name: ran, aggregate: sum, field: thread.exectime}\n"                                  \
	"- {name: tids, aggregate: distinct, field: thread.tid}\n"                                 \
	"- {name: file, aggregate: sum, field: evt.buflen.file}\n"                                 \
	"- {name: name, aggregate: last, field: proc.name}\n"

#define BUCKETS(unit)                                                                              \
	"kind: histogram\nvalues: [{name: b, aggregate: histogram, field: evt.latency, "           \
	"unit: " unit "}]\n"

static void knows_which_views_it_can_count(void **state)
{
	static const struct {
		const char *text, *filter;
		bool with_longest, can;
		uint32_t by;
	} rows[] = {
		{VIEW("keys: [evt.type]\nvalues: [{name: n, aggregate: count}]\n"), NULL, false,
		 true, 0},
		{VIEW("keys: [evt.cpu]\nvalues: [{name: n, aggregate: rate}]\n"),
		 "syscall.type exists", false, true, BY_CPU},
		{VIEW("keys: [evt.res]\nvalues: [{name: n, aggregate: count}]\n"),
		 "evt.failed=true and evt.type in (open, read)", false, true, BY_RESULT},
		{VIEW(TIMES), NULL, true, true, BY_RESULT},
		{VIEW(TIMES), NULL, false, false, 0},
		{VIEW("keys: [evt.type]\nvalues: [{name: n, aggregate: count}]\n"),
		 "evt.latency > 5", true, false, 0},
		{VIEW("keys: [evt.type]\nvalues: [{name: n, aggregate: count}]\n"),
		 "fd.name=/etc or evt.type=open", true, false, 0},
		{VIEW("keys: [fd.name]\nvalues: [{name: n, aggregate: count}]\n"), NULL, true,
		 false, 0},
		{VIEW("keys: [evt.type]\nvalues:\n"
		      "- {name: p, aggregate: percentile, percentile: 9, field: evt.latency}\n"),
		 NULL, true, false, 0},
		{VIEW("keys: [evt.type]\nvalues:\n"
		      "- {name: n, aggregate: count, if: fd.type=file}\n"),
		 NULL, true, true, BY_KIND | BY_RESULT},
		{VIEW("kind: list\nkeys: [evt.type]\n"), NULL, true, false, 0},
		{VIEW(THREADS), "evt.is_io=true or evt.type=switch", false, true,
		 BY_THREAD | BY_KIND | BY_RESULT},
		{VIEW("keys: [proc.pid]\nvalues: [{name: n, aggregate: count}]\n"), "proc.name=cat",
		 false, true, BY_THREAD},
		{VIEW("keys: [container.name, k8s.ns.name]\nvalues: [{name: n, aggregate: "
		      "count}]\n"),
		 "container.id != host", false, true, BY_THREAD},
		{VIEW(BUCKETS("us")), NULL, false, true, BY_US},
		{VIEW(BUCKETS("none")), NULL, false, true, BY_NS},
		{VIEW("keys: [proc.pid]\n" BUCKETS("ms")), NULL, false, true, BY_MS | BY_THREAD},
		{VIEW(BUCKETS("us, max: 10, width: 1")), NULL, false, false, 0},
		{VIEW(BUCKETS("kb")), NULL, false, false, 0},
		/* What changes is neither a key nor a condition; the last bytes are not known. */
		{VIEW("keys: [proc.vmrss]\nvalues: [{name: n, aggregate: count}]\n"), NULL, true,
		 false, 0},
		{VIEW("keys: [proc.pid]\nvalues: [{name: n, aggregate: last, field: "
		      "evt.buflen}]\n"),
		 NULL, true, false, 0},
		{VIEW("keys: [evt.type]\nvalues: [{name: n, aggregate: count}]\n"),
		 "evt.buflen > 5", true, false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct views_view *view = viewed_read(rows[i].text);
		struct filter *filter = NULL;
		struct filter_options options = {0};
		struct filter_error wrong;
		uint32_t by = 0;

		if (rows[i].filter)
			assert_int_equal(filter_create(rows[i].filter, &options, &filter, &wrong),
					 0);
		assert_int_equal(views_counted_by(view, filter, rows[i].with_longest, &by),
				 rows[i].can);
		assert_int_equal(by, rows[i].by);
		filter_destroy(filter);
		views_view_destroy(view);
	}
}

/* The event of a row, as it has been made for the view. */
static struct state_event like(struct viewed *viewed, int64_t *result)
{
	struct state_event event = {0};

	event.ev.desc = event_desc_get(EVENT_openat);
	event.ev.latency_ns = LATENCY_UNKNOWN;
	event.ev.params[0].data = (const uint8_t *)result;
	event.ev.params[0].len = sizeof(*result);
	event.state = viewed->drive.state;
	return event;
}

static void a_row_counts_like_its_events(void **state)
{
	const struct views_calls good = {5, 4, 400, 250}, bad = {2, 2, 100, 90};
	int64_t none = 0, error = -2;
	struct state_event event;
	struct viewed viewed;

	viewed_create(&viewed, VIEW(TIMES), 0, 0);
	event = like(&viewed, &none);
	views_engine_take_calls(viewed.engine, &event, &good);
	event = like(&viewed, &error);
	views_engine_take_calls(viewed.engine, &event, &bad);
	viewed_expect(&viewed, "openat 7 500 83.33 250 2 7\n");
	/* Beside events. */
	views_engine_take(viewed.engine, &event);
	viewed_expect(&viewed, "openat 8 500 83.33 250 3 8\n");
	viewed_destroy(&viewed);
}

/* The counts of the first powers of two of the only group. */
static void read_octaves(struct viewed *viewed, uint64_t counts[16])
{
	struct views_result result;
	struct views_rows rows;

	views_engine_rows(viewed->engine, 0, 0, &rows);
	assert_int_equal(rows.count, 1);
	assert_true(views_group_value(viewed->engine, rows.list[0], 0, &result));
	assert_int_equal(views_buckets_count(&viewed->view->values[0]), 64);
	for (unsigned int i = 0; i < 16; i++)
		counts[i] = views_bucket_of(&viewed->view->values[0], result.sketch, i).count;
}

static void powers_of_times_count_like_their_events(void **state)
{
	static const struct {
		uint64_t ns;
		unsigned int power;
	} times[] = {{10, 0},	{1500, 0},     {2000, 1},    {3999, 1},
		     {4000, 2}, {8191999, 12}, {8192000, 13}};
	const struct views_calls untimed = {.count = 3};
	uint64_t of_events[16], of_rows[16];
	struct viewed events, rows;
	struct state_event event;
	int64_t none = 0;

	viewed_create(&events, VIEW(BUCKETS("us")), 0, 0);
	viewed_create(&rows, VIEW(BUCKETS("us")), 0, 0);
	event = like(&rows, &none);
	views_engine_take_calls(rows.engine, &event, &untimed);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const struct views_calls calls = {
			.count = i + 1, .timed = i + 1, .power = times[i].power};

		views_engine_take_calls(rows.engine, &event, &calls);
		for (size_t n = 0; n <= i; n++)
			viewed_write(&events, 100, 10, times[i].ns);
	}
	read_octaves(&events, of_events);
	read_octaves(&rows, of_rows);
	assert_memory_equal(of_events, of_rows, sizeof(of_rows));
	assert_int_equal(of_rows[13], 7);
	viewed_destroy(&events);
	viewed_destroy(&rows);
}

/* Rows of two threads of a process, of reads of a file, and a switch. */
static void rows_of_threads_count_like_their_events(void **state)
{
	const struct views_calls reads = {.count = 5, .bytes = 4000}, failed = {.count = 2},
				 switches = {.count = 3, .timed = 2, .latency_ns = 700};
	const struct state_fd file = {.type = SCAP_FD_FILE};
	int64_t none = 0, error = -2;
	struct state_thread thread;
	struct state_event event;
	struct viewed viewed;

	viewed_create(&viewed, VIEW(THREADS), 0, 0);
	drive_exec(&viewed.drive, 7, "before");
	thread = *state_thread_find(viewed.drive.state, 7);
	event = like(&viewed, &none);
	event.ev.desc = event_desc_get(EVENT_read);
	event.thread = &thread;
	event.ev.tid = thread.tid;
	event.fd = &file;
	views_engine_take_calls(viewed.engine, &event, &reads);
	viewed_expect(&viewed, "7 5 0 1 4000 before\n");
	event.ev.params[0].data = (const uint8_t *)&error;
	views_engine_take_calls(viewed.engine, &event, &failed);
	viewed_expect(&viewed, "7 7 0 1 4000 before\n");
	thread.tid = event.ev.tid = 8;
	strcpy(thread.comm, "after");
	event.ev.desc = event_desc_get(EVENT_switch);
	event.fd = NULL;
	views_engine_take_calls(viewed.engine, &event, &switches);
	viewed_expect(&viewed, "7 10 700 2 4000 after\n");
	viewed_destroy(&viewed);
}

static void calls_without_a_row_are_counted_apart(void **state)
{
	const struct views_calls calls = {5, 0, 0, 0},
				 shared = {.count = 6, .loss = VIEWS_CALLS_SHARE};
	struct views_rows rows;
	struct viewed viewed;

	viewed_create(&viewed, VIEW(TIMES), 0, 0);
	views_engine_take_calls(viewed.engine, NULL, &calls);
	views_engine_rows(viewed.engine, 0, 0, &rows);
	assert_int_equal(rows.count, 0);
	assert_null(rows.crowd);
	assert_int_equal(views_engine_losses(viewed.engine)->merged, 5);
	views_engine_take_calls(viewed.engine, NULL, &shared);
	assert_int_equal(views_engine_losses(viewed.engine)->merged, 5);
	assert_int_equal(views_engine_losses(viewed.engine)->shared, 6);
	viewed_destroy(&viewed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(knows_which_views_it_can_count),
	cmocka_unit_test(a_row_counts_like_its_events),
	cmocka_unit_test(powers_of_times_count_like_their_events),
	cmocka_unit_test(rows_of_threads_count_like_their_events),
	cmocka_unit_test(calls_without_a_row_are_counted_apart),
};

UNIT_GROUP(tests);
