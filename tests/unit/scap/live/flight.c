/* SPDX-License-Identifier: MIT */
/*
 * A flight recorder on the running kernel: what its rings have when they are asked, and what waits
 * for that. Only events of the test's children are captured. Skipped where BPF programs may not be
 * loaded.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "own_events.h"
#include "scap/live/flight.h"
#include "scap/live/flight_rings.h"
#include "scap/live/live.h"
#include "scap/rings/backward.h"
#include "unit.h"
#include "util/clock.h"

enum {
	CALLS_LAP = BACKWARD_BYTES_MIN / 40, /* more than a ring has */
	LOOKS_MAX = 2000,
	LOOK_MS = 10,
};

/* The exits of others cannot be left out. */
enum { CHILDREN_MAX = 1 << 13 };
static pid_t children[CHILDREN_MAX];
static size_t children_count;

static struct scap_live *live;
static struct scap_flight *flight;

static struct scap_live_config config = {
	.ring_bytes = 1 << 20,
	.backward_bytes = BACKWARD_BYTES_MIN,
	.snaplen = SNAPLEN_DEFAULT,
	.events = {[EVENT_lseek] = true, [EVENT_prctl] = true, [EVENT_procexit] = true},
	.read_at_once = {[EVENT_prctl] = true, [EVENT_procexit] = true},
};

static void flight_begin(uint64_t window_ns, uint64_t waiting_bytes_max)
{
	const struct scap_flight_config kept = {window_ns, waiting_bytes_max};
	struct error err = {""};
	int r;

	children_count = 0;
	own_events_only(&config);
	r = scap_live_open(&config, &live, &err);
	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
	assert_int_equal(scap_flight_create(live, &kept, &flight), 0);
}

static void flight_end(void)
{
	scap_source_destroy(scap_flight_source(flight));
	scap_source_destroy(scap_live_source(live));
}

static pid_t fork_child(void)
{
	pid_t child = fork();

	assert_true(child >= 0 && children_count < CHILDREN_MAX);
	if (child)
		children[children_count++] = child;
	return child;
}

static bool is_of_child(const struct event *ev)
{
	for (size_t i = children_count; i-- > 0;)
		if ((pid_t)ev->tid == children[i])
			return true;
	return false;
}

/* A child makes calls with the numbers from `first` on, then one that is read at once; and ends. */
static void calls(long first, long count)
{
	pid_t child = fork_child();
	int status;

	if (child == 0) {
		while (count--)
			lseek(-1, first++, SEEK_SET);
		prctl(PR_SET_NAME, "flight");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
}

struct taken {
	long first, last; /* of the numbers; 0: there was none */
	unsigned int lseeks, named, exits; /* not hidden */
	unsigned int hidden;
};

static void take(struct taken *taken, const struct scap_event *event)
{
	struct event ev;
	long number;

	assert_int_equal(event_decode(event->frame, event->len, event->cpu, &ev), 0);
	if (!is_of_child(&ev))
		return;
	if (event->hidden) {
		assert_int_not_equal(ev.desc->id, EVENT_lseek);
		taken->hidden++;
		return;
	}
	taken->named += ev.desc->id == EVENT_prctl;
	taken->exits += ev.desc->id == EVENT_procexit;
	if (ev.desc->id != EVENT_lseek)
		return;
	number = (long)event_param_u64(&ev, lseek__offset);
	if (taken->lseeks++)
		assert_int_equal(number, taken->last + 1);
	else
		taken->first = number;
	taken->last = number;
}

/* Asks, and takes what is given. */
static struct taken give(struct scap_flight_given *given)
{
	struct taken taken = {0};
	struct scap_event event;

	assert_int_equal(scap_flight_give(flight), 0);
	assert_true(scap_flight_gives(flight));
	assert_int_equal(scap_flight_give(flight), -EBUSY);
	while (scap_source_next(scap_flight_source(flight), 0, &event) == 1)
		take(&taken, &event);
	assert_false(scap_flight_gives(flight));
	scap_flight_given(flight, given);
	assert_true(given->events >= taken.lseeks + taken.named + taken.exits);
	assert_int_equal(given->busy_slots, 0);
	assert_int_equal(given->corrupt, 0);
	assert_true(given->since_ns < given->until_ns);
	return taken;
}

/* Little enough that nothing is overwritten; then the rest of it is what came since. */
static void count_heard(void *context, const struct scap_event *event)
{
	struct event ev;

	if (event_decode(event->frame, event->len, event->cpu, &ev) == 0 && is_of_child(&ev)) {
		assert_int_not_equal(ev.desc->id, EVENT_lseek);
		++*(unsigned int *)context;
	}
}

static void test_all(void **state)
{
	unsigned int heard = 0;
	struct scap_flight_given given, later;
	struct scap_live_stats *stats = calloc(1, sizeof(*stats));
	struct scap_event event;
	struct taken taken;

	flight_begin(0, 1 << 20);
	scap_flight_listen(flight, count_heard, &heard);
	calls(1, 100);
	/* Nothing comes before it is asked for. */
	assert_int_equal(scap_source_next(scap_flight_source(flight), LOOK_MS, &event), 0);
	taken = give(&given);
	assert_int_equal(heard, 2);
	scap_flight_listen(flight, NULL, NULL);
	assert_int_equal(given.limit, FLIGHT_LIMIT_START);
	assert_int_equal(taken.first, 1);
	assert_int_equal(taken.last, 100);
	assert_int_equal(taken.named, 1);
	assert_int_equal(taken.exits, 1);
	assert_int_equal(taken.hidden, 0);
	calls(101, 50);
	taken = give(&later);
	assert_int_equal(later.limit, FLIGHT_LIMIT_BEFORE);
	assert_int_equal(later.since_ns, given.until_ns);
	assert_int_equal(taken.first, 101);
	assert_int_equal(taken.last, 150);
	assert_int_equal(taken.named, 1);
	calls(151, 7);
	scap_live_stop(live);
	assert_non_null(stats);
	assert_int_equal(scap_live_stats(live, stats), 0);
	assert_int_equal(own_events_seen(stats, EVENT_lseek), 157);
	assert_int_equal(stats->delivered[EVENT_lseek], 150);
	assert_int_equal(stats->unread, 7);
	assert_true(stats->backward_bytes >= BACKWARD_BYTES_MIN);
	assert_int_equal(stats->backward_bytes % BACKWARD_BYTES_MIN, 0);
	free(stats);
	flight_end();
}

/* The latest calls are there, up to the last one, without a gap; those of threads that are before
 * are hidden. */
static void test_overwritten(void **state)
{
	struct scap_flight_given given;
	struct taken taken;
	long next = 1;

	flight_begin(0, 1 << 20);
	for (int i = 0; i < 4; i++, next += CALLS_LAP)
		calls(next, CALLS_LAP);
	taken = give(&given);
	assert_int_equal(given.limit, FLIGHT_LIMIT_RINGS);
	assert_true(taken.first > 1);
	assert_int_equal(taken.last, next - 1);
	assert_true(taken.lseeks > CALLS_LAP / 10);
	assert_int_equal(taken.hidden + taken.named + taken.exits, 8);
	assert_true(taken.exits >= 1 && taken.hidden >= 2);
	flight_end();
}

/* Once the rings were written around since, they need not wait any more. */
static void test_waits_for_a_lap(void **state)
{
	struct scap_event event;
	struct taken taken = {0};
	long next = 1;

	flight_begin(0, 1 << 20);
	for (int i = 0; i < LOOKS_MAX && taken.hidden < 2; i++, next += CALLS_LAP / 2) {
		calls(next, CALLS_LAP / 2);
		while (scap_source_next(scap_flight_source(flight), LOOK_MS, &event) == 1)
			take(&taken, &event);
		assert_true(i || !taken.hidden);
	}
	assert_true(taken.hidden >= 2);
	assert_int_equal(taken.exits, 0);
	assert_true(flight_rings_since(scap_live_flight_rings(live)) > 0);
	flight_end();
}

static void test_window(void **state)
{
	const uint64_t window_ns = 200000000;
	struct scap_flight_given given;
	struct scap_event event;
	struct taken taken = {0}, then;

	flight_begin(window_ns, 1 << 20);
	calls(1, 20);
	for (int i = 0; i < LOOKS_MAX && taken.hidden < 2; i++)
		while (scap_source_next(scap_flight_source(flight), LOOK_MS, &event) == 1)
			take(&taken, &event);
	assert_int_equal(taken.hidden, 2);
	calls(21, 20);
	then = give(&given);
	assert_int_equal(given.limit, FLIGHT_LIMIT_WINDOW);
	assert_int_equal(given.until_ns - given.since_ns, window_ns);
	/* The machine may have been too slow for these. */
	assert_true(then.lseeks == 0 || then.first > 20);
	flight_end();
}

/* Events that have no room to wait are returned before their time, and nothing before them is
 * given. */
static void test_room(void **state)
{
	struct scap_flight_given given;
	struct scap_event event;
	struct taken taken = {0};

	flight_begin(0, 0);
	calls(1, 20);
	for (int i = 0; i < LOOKS_MAX && taken.hidden < 2; i++)
		while (scap_source_next(scap_flight_source(flight), LOOK_MS, &event) == 1)
			take(&taken, &event);
	assert_int_equal(taken.hidden, 2);
	calls(21, 20);
	taken = give(&given);
	assert_int_equal(given.limit, FLIGHT_LIMIT_WAITING);
	assert_int_equal(taken.first, 21);
	assert_int_equal(taken.last, 40);
	flight_end();
}

static void end_by(int number)
{
	const struct rlimit none = {0};
	pid_t child = fork_child();
	int status;

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &none);
		signal(number, SIG_DFL);
		raise(number);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static bool look_for_crash(int looks)
{
	struct scap_event event;
	bool crashed = false;

	for (int i = 0; i < looks && !crashed; i++) {
		while (scap_source_next(scap_flight_source(flight), LOOK_MS, &event) == 1)
			continue;
		crashed = scap_flight_take_crashed(flight);
	}
	return crashed;
}

/* Others may crash, too, but not each time. */
static void test_crash(void **state)
{
	bool crashed = true;

	flight_begin(0, 1 << 20);
	for (int i = 0; i < 20 && crashed; i++) {
		look_for_crash(1);
		end_by(SIGTERM);
		end_by(SIGKILL);
		crashed = look_for_crash(2);
	}
	assert_false(crashed);
	end_by(SIGSEGV);
	assert_true(look_for_crash(LOOKS_MAX));
	flight_end();
}

/* What is there may be asked for when the programs do not run any more. */
static void test_stopped(void **state)
{
	struct scap_flight_given given;
	struct scap_event event;
	struct taken taken;

	flight_begin(0, 1 << 20);
	calls(1, 30);
	scap_live_stop(live);
	taken = give(&given);
	assert_int_equal(taken.last, 30);
	assert_int_equal(scap_source_next(scap_flight_source(flight), 0, &event), -ENODATA);
	flight_end();
}

/* What the kernel makes of the rings of CPUs that go offline. */
static void end_rings(void)
{
	const struct flight_rings *rings = scap_live_flight_rings(live);

	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		if (rings->rings[cpu].backward.fd >= 0)
			assert_int_equal(
				ioctl(rings->rings[cpu].backward.fd, PERF_EVENT_IOC_DISABLE, 0), 0);
}

/* A CPU that was offline so shortly that nobody saw it has another ring within a second or two. */
static void test_cpu_was_away(void **state)
{
	struct scap_flight_given given;
	struct scap_event event;
	struct taken taken;
	uint64_t end_ns;

	flight_begin(0, 1 << 20);
	calls(1, 20);
	end_rings();
	end_ns = clock_ns(CLOCK_MONOTONIC) + UINT64_C(2500000000);
	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		assert_int_equal(scap_source_next(scap_flight_source(flight), LOOK_MS, &event), 0);
	calls(21, 20);
	taken = give(&given);
	assert_int_equal(given.limit, FLIGHT_LIMIT_RINGS);
	assert_int_equal(taken.first, 21);
	assert_int_equal(taken.last, 40);
	flight_end();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),	    cmocka_unit_test(test_cpu_was_away),
	cmocka_unit_test(test_overwritten), cmocka_unit_test(test_waits_for_a_lap),
	cmocka_unit_test(test_window),	    cmocka_unit_test(test_room),
	cmocka_unit_test(test_crash),	    cmocka_unit_test(test_stopped),
};

UNIT_GROUP(tests);
