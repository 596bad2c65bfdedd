/* SPDX-License-Identifier: MIT */
/*
 * CPUs that come and go while the live source runs, some of which cannot be given a ring. The list
 * of CPUs and the kernel's answers are the test's; the rest is real. Skipped where BPF programs may
 * not be loaded, and on a machine with one CPU.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/event.h"
#include "fake_syscall.h"
#include "patience.h"
#include "scap/rings/cpus.h"
#include "scap/live/live.h"
#include "unit.h"
#include "util/clock.h"

enum { RING_BYTES = 1 << 16, LOOK_MS = 100 };

static struct {
	bool online[2]; /* the first CPUs; no other one is */
	bool rejected[2]; /* no ring can be opened for these */
} machine;

/* In place of the one that reads /sys. */
int scap_cpus_read(const char *path, uint32_t cpus, bool *online)
{
	memset(online, 0, cpus * sizeof(*online));
	memcpy(online, machine.online, sizeof(machine.online));
	return 0;
}

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	if (number == SYS_perf_event_open && arg[2] >= 0 && arg[2] < 2 &&
	    machine.rejected[arg[2]]) {
		errno = EMFILE;
		return -1;
	}
	return real_syscall(number, arg);
}

static struct scap_live *open_live(void)
{
	static const struct scap_live_config config = {.ring_bytes = RING_BYTES,
						       .snaplen = SNAPLEN_DEFAULT,
						       .events[EVENT_mkdirat] = true};
	struct scap_live *live = NULL;
	struct error err = {""};
	int r;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	r = scap_live_open(&config, &live, &err);
	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
	return live;
}

/*
 * Reads until so many CPUs have a ring, and so many have none; the CPUs are looked at each second.
 * Other programs of the machine may have any number of events meanwhile.
 */
static struct scap_live_stats *wait_for(struct scap_live *live, uint32_t cpus, uint32_t ringless)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	static struct scap_live_stats stats;
	struct scap_event event;

	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		scap_source_next(scap_live_source(live), LOOK_MS, &event);
		assert_int_equal(scap_live_stats(live, &stats), 0);
		if (stats.cpus == cpus && stats.ringless == ringless)
			return &stats;
	}
	fail_msg("%u CPUs have a ring and %u have none", stats.cpus, stats.ringless);
	return NULL;
}

/*
 * A CPU whose ring fails holds up none of those after it, neither to be opened nor to be retired.
 */
static void test_one_fails(void **state)
{
	struct scap_live_stats *stats;
	struct scap_live *live;

	memset(&machine, 0, sizeof(machine));
	live = open_live();
	wait_for(live, 0, 0);
	machine.online[0] = machine.online[1] = true;
	machine.rejected[0] = true;
	stats = wait_for(live, 1, 1);
	assert_int_equal(stats->ring_error, -EMFILE);
	assert_int_equal(stats->ring_error_cpu, 0);
	machine.online[1] = false;
	wait_for(live, 0, 1);
	machine.rejected[0] = false; /* tried again */
	wait_for(live, 1, 0);
	scap_source_destroy(scap_live_source(live));
}

/* At the start it is an error, with its message. */
static void test_fails_at_the_start(void **state)
{
	static const struct scap_live_config config = {.ring_bytes = RING_BYTES,
						       .snaplen = SNAPLEN_DEFAULT,
						       .events[EVENT_mkdirat] = true};
	struct scap_live *live = NULL;
	struct error err = {""};

	memset(&machine, 0, sizeof(machine));
	scap_source_destroy(scap_live_source(open_live()));
	machine.online[0] = machine.online[1] = true;
	machine.rejected[1] = true;
	assert_int_equal(scap_live_open(&config, &live, &err), -EMFILE);
	assert_null(live);
	if (!strstr(err.text, "CPU 1"))
		fail_msg("%s", err.text);
}

static int setup(void **state)
{
	fake_syscall_by(answer);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_fails),
	cmocka_unit_test(test_fails_at_the_start),
};

UNIT_GROUP(tests, .setup = setup, .slow = true);
