/* SPDX-License-Identifier: MIT */
/*
 * Rings of busy CPUs that are replaced by larger ones while programs write to them: every event
 * arrives, in order. Only calls of the test's children are captured. Skipped where BPF programs may
 * not be loaded.
 */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "own_events.h"
#include "patience.h"
#include "scap/live/live.h"
#include "unit.h"

enum {
	RING_BYTES = 1 << 20,
	EVENT_BYTES_MIN = 40, /* of a generic event in a record, at least */
	CALLS = RING_BYTES / EVENT_BYTES_MIN, /* of one storm: do not fit in two such rings */
	STORMS = 6,
};

static struct scap_live_stats stats;

static struct scap_live_config config = {.ring_bytes = RING_BYTES,
					 .snaplen = SNAPLEN_DEFAULT,
					 .syscalls[SYS_getppid] = true,
					 .events[EVENT_syscall] = true};

static struct scap_live *open_live(uint64_t rings_bytes)
{
	struct scap_live *live = NULL;
	struct error err = {""};
	int r;

	config.rings_bytes = rings_bytes;
	own_events_only(&config);
	r = scap_live_open(&config, &live, &err);
	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
	return live;
}

/* A child that makes calls on one CPU, and then some that are important. */
static pid_t start_storm(int calls, int binds)
{
	pid_t child = fork();
	cpu_set_t first;

	if (child != 0)
		return child;
	sched_getaffinity(0, sizeof(first), &first);
	for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++) {
		if (found)
			CPU_CLR(cpu, &first);
		found |= CPU_ISSET(cpu, &first) != 0;
	}
	sched_setaffinity(0, sizeof(first), &first);
	while (calls--)
		syscall(SYS_getppid);
	while (binds--)
		syscall(SYS_bind, -1, NULL, 0);
	_exit(0);
}

struct reading {
	uint64_t of_child, last_ts, all;
};

/* Reads until nothing comes for a moment, or until the end. */
static void read_events(struct scap_live *live, pid_t child, struct reading *reading)
{
	struct scap_event raw;
	struct event event;

	while (scap_source_next(scap_live_source(live), 50, &raw) == 1) {
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
		assert_true(event.ts_ns >= reading->last_ts);
		reading->last_ts = event.ts_ns;
		reading->of_child += event.tid == child;
		reading->all++;
	}
}

static uint64_t lost(void)
{
	return own_events_lost(&stats, EVENT_syscall);
}

static bool all_are_read(struct scap_live *live)
{
	assert_int_equal(scap_live_stats(live, &stats), 0);
	return own_events_seen(&stats, EVENT_syscall) == stats.delivered[EVENT_syscall] + lost();
}

/* Of children that have ended. */
static void read_all(struct scap_live *live, pid_t child, struct reading *reading)
{
	assert_true(waited_until((read_events(live, child, reading), all_are_read(live))));
}

/* Storms that nobody reads while they last: the ring grows after the first ones. */
static void test_grows(void **state)
{
	struct scap_live *live = open_live(UINT64_C(64) << 20);
	struct reading reading = {0};
	uint64_t lost_at_first;

	for (int i = 0; i < STORMS; i++) {
		pid_t child = start_storm(CALLS, 0);

		assert_int_equal(waitpid(child, NULL, 0), child);
		reading.of_child = 0;
		read_all(live, child, &reading);
		if (i < STORMS - 1)
			lost_at_first = lost();
	}
	/* By then the whole storm fits. */
	assert_int_equal(reading.of_child, CALLS);
	assert_int_equal(lost(), lost_at_first);
	assert_true(stats.rings_grown >= 1);
	assert_true(stats.ring_bytes > (uint64_t)stats.cpus * RING_BYTES);
	assert_true(stats.ring_bytes <= stats.ring_bytes_max);
	assert_int_equal(stats.out_of_order, 0);
	scap_live_stop(live);
	read_events(live, 0, &reading);
	assert_int_equal(scap_live_stats(live, &stats), 0);
	assert_int_equal(own_events_seen(&stats, EVENT_syscall),
			 stats.delivered[EVENT_syscall] + lost());
	assert_int_equal(stats.corrupt, 0);
	scap_source_destroy(scap_live_source(live));
}

/* A reader that is slow to begin, while the child goes on: what is in the old ring is not lost. */
static void test_replaced_under_load(void **state)
{
	struct scap_live *live = open_live(UINT64_C(64) << 20);
	struct reading reading = {0};
	pid_t child = start_storm(20 * CALLS, 0);

	while (waitpid(child, NULL, WNOHANG) == 0) {
		usleep(2000);
		read_events(live, child, &reading);
	}
	scap_live_stop(live);
	read_events(live, child, &reading);
	assert_int_equal(scap_live_stats(live, &stats), 0);
	assert_int_equal(stats.delivered[EVENT_syscall], reading.all);
	assert_int_equal(own_events_seen(&stats, EVENT_syscall),
			 stats.delivered[EVENT_syscall] + lost());
	assert_int_equal(stats.out_of_order, 0);
	assert_int_equal(stats.corrupt, 0);
	scap_source_destroy(scap_live_source(live));
}

/* Without a bound, or beyond it, they keep their size. */
static void test_bound(void **state)
{
	static const uint64_t bounds[] = {0, RING_BYTES};

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		struct scap_live *live = open_live(bounds[i]);
		struct reading reading = {0};
		pid_t child = start_storm(2 * CALLS, 0);

		assert_int_equal(waitpid(child, NULL, 0), child);
		read_events(live, child, &reading);
		assert_int_equal(scap_live_stats(live, &stats), 0);
		assert_int_equal(stats.rings_grown, 0);
		assert_int_equal(stats.ring_bytes, (uint64_t)stats.cpus * RING_BYTES);
		assert_true(lost() > 0);
		scap_source_destroy(scap_live_source(live));
	}
}

enum { BINDS = 200 };

/* A ring that one process floods has room for what is rare and important: it loses only its flood.
 */
static void test_reserved(void **state)
{
	struct scap_live *live;
	struct reading reading = {0};
	const __u64 *binds = stats.events[EVENT_bind].lost;
	pid_t child;

	config.events[EVENT_bind] = true;
	live = open_live(0);
	child = start_storm(4 * CALLS, BINDS);
	assert_int_equal(waitpid(child, NULL, 0), child);
	scap_live_stop(live);
	read_events(live, child, &reading);
	assert_int_equal(scap_live_stats(live, &stats), 0);
	config.events[EVENT_bind] = false;
	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		assert_int_equal(binds[cause], 0);
	assert_int_equal(stats.delivered[EVENT_bind], BINDS);
	assert_true(stats.events[EVENT_syscall].lost[LOSS_SHARE] > 0);
	assert_int_equal(stats.events[EVENT_syscall].lost[LOSS_RESERVED], 0);
	assert_int_equal(stats.events[EVENT_syscall].lost[LOSS_RING_FULL], 0);
	assert_int_equal(own_events_seen(&stats, EVENT_syscall),
			 stats.delivered[EVENT_syscall] + lost());
	assert_int_equal(own_events_seen(&stats, EVENT_bind), stats.delivered[EVENT_bind]);
	scap_source_destroy(scap_live_source(live));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_grows),
	cmocka_unit_test(test_replaced_under_load),
	cmocka_unit_test(test_bound),
	cmocka_unit_test(test_reserved),
};

UNIT_GROUP(tests, .unfilled = true);
