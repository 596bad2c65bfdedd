/* SPDX-License-Identifier: MIT */
/*
 * The programs of a capture in the running kernel: what is loaded, and when it runs. Skipped where
 * BPF programs may not be loaded.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/libbpf.h>

#include "event/event.h"
#include "scap/live/live.h"
#include "unit.h"

enum { RING_BYTES = 1 << 20, CALLS = 100 };

static const struct scap_live_config config = {
	.ring_bytes = RING_BYTES,
	.snaplen = SNAPLEN_DEFAULT,
	.events = {[EVENT_mkdirat] = true},
};

/* By scap_live_load() or scap_live_open(). */
static struct scap_live *create(int (*make)(const struct scap_live_config *, struct scap_live **,
					    struct error *))
{
	struct scap_live *live = NULL;
	struct error err = {""};
	int r = make(&config, &live, &err);

	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
	return live;
}

/* Calls that fail, which are events too. */
static void call_mkdirat(void)
{
	for (int i = 0; i < CALLS; i++)
		assert_int_equal(mkdirat(-1, "x", 0700), -1);
}

/* The events of these calls so far, also those that nobody read. */
static uint64_t seen_so_far(struct scap_live *live)
{
	static struct scap_live_stats stats;

	assert_int_equal(scap_live_stats(live, &stats), 0);
	return stats.seen[EVENT_mkdirat];
}

static void test_loaded_programs_do_not_run(void **state)
{
	struct scap_live *live = create(scap_live_load);

	call_mkdirat();
	assert_int_equal(seen_so_far(live), 0);
	scap_source_destroy(scap_live_source(live));
}

static void test_they_run_until_the_stop(void **state)
{
	struct scap_live *live = create(scap_live_open);
	uint64_t seen;

	call_mkdirat();
	scap_live_stop(live);
	seen = seen_so_far(live);
	assert_true(seen >= CALLS);
	call_mkdirat();
	assert_int_equal(seen_so_far(live), seen);
	scap_live_stop(live); /* there is nothing left to detach */
	scap_source_destroy(scap_live_source(live));
}

/* Nothing but what the configuration wants, and none of it rejected. */
static void test_programs(void **state)
{
	struct scap_live *live = create(scap_live_load);
	const char *program, *hook;
	bool mkdirat_found = false;
	unsigned int n = 0;

	for (; scap_live_program(live, n, &program, &hook); n++) {
		mkdirat_found |= strcmp(program, "fill_mkdirat") == 0;
		assert_string_not_equal(program, "fill_openat");
	}
	assert_true(mkdirat_found);
	assert_false(scap_live_program(live, n + 1, &program, &hook));
	assert_int_equal(scap_live_rejected(live)[0], 0);
	assert_int_equal(scap_live_enter_error(live), 0);
	assert_int_equal(scap_live_sends_error(live), 0);
	assert_int_equal(scap_live_filters_error(live), 0);
	assert_int_equal(scap_live_answers_error(live), 0);
	/* A ring can make directories, too; whether the kernel shows that differs. */
	assert_int_not_equal(scap_live_uring(live), LIVE_URING_UNNEEDED);
	/* Slots for each possible CPU, in memory that the kernel accounts for. */
	assert_true(scap_live_map_bytes(live) >=
		    (int64_t)((size_t)libbpf_num_possible_cpus() * SCRATCH_SLOTS_PER_CPU *
			      sizeof(struct scratch_slot)));
	scap_source_destroy(scap_live_source(live));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_loaded_programs_do_not_run),
	cmocka_unit_test(test_they_run_until_the_stop),
	cmocka_unit_test(test_programs),
};

UNIT_GROUP(tests, .unfilled = true);
