/* SPDX-License-Identifier: MIT */
/*
 * The BPF object in the running kernel: what is loaded, attached and counted, and what it is given.
 * Skipped where BPF programs may not be loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "event/event.h"
#include "scap/live/driver.h"
#include "scap/rings/ring.h"
#include "unit.h"

enum { RING_BYTES = 1 << 20, CALLS = 100 };

static const struct scap_live_config config = {
	.ring_bytes = RING_BYTES,
	.snaplen = SNAPLEN_DEFAULT,
	.events = {[EVENT_mkdirat] = true},
};

static struct live_driver *create_driver_of(const struct scap_live_config *wanted)
{
	struct live_driver *driver = NULL;
	struct error err = {""};
	int r = live_driver_create(wanted, 0, &driver, &err);

	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
	return driver;
}

static struct live_driver *create_driver(void)
{
	return create_driver_of(&config);
}

/* Calls that fail, which are events too. */
static void call_mkdirat(void)
{
	for (int i = 0; i < CALLS; i++)
		assert_int_equal(mkdirat(-1, "x", 0700), -1);
}

/* The events of these calls so far, also those that found no ring. */
static uint64_t seen_so_far(struct live_driver *driver)
{
	static struct scap_live_stats stats;

	memset(&stats, 0, sizeof(stats));
	assert_int_equal(live_driver_stats(driver, &stats), 0);
	return stats.seen[EVENT_mkdirat];
}

/* Programs run from attaching to detaching, and no longer. */
static void test_attach_and_detach(void **state)
{
	struct live_driver *driver = create_driver();
	struct error err = {""};
	uint64_t seen;

	call_mkdirat();
	assert_int_equal(seen_so_far(driver), 0);
	assert_int_equal(live_driver_attach(driver, &err), 0);
	call_mkdirat();
	live_driver_detach(driver);
	seen = seen_so_far(driver);
	assert_true(seen >= CALLS);
	call_mkdirat();
	assert_int_equal(seen_so_far(driver), seen);
	live_driver_detach(driver); /* there is nothing left to detach */
	live_driver_destroy(driver);
	live_driver_destroy(NULL);
}

/* Nothing but what the configuration wants, and none of it rejected. */
static void test_programs(void **state)
{
	struct live_driver *driver = create_driver();
	const char *program, *hook;
	bool mkdirat_found = false;
	unsigned int n = 0;

	for (; live_driver_program(driver, n, &program, &hook); n++) {
		mkdirat_found |= strcmp(program, "fill_mkdirat") == 0;
		assert_string_not_equal(program, "fill_openat");
	}
	assert_true(mkdirat_found);
	assert_false(live_driver_program(driver, n + 1, &program, &hook));
	assert_int_equal(live_driver_rejected(driver)[0], 0);
	assert_int_equal(live_driver_enter_error(driver), 0);
	assert_int_equal(live_driver_sends_error(driver), 0);
	assert_int_equal(live_driver_filters_error(driver), 0);
	assert_int_equal(live_driver_answers_error(driver), 0);
	live_driver_destroy(driver);
}

/* Slots for each possible CPU, free at first, in memory that the kernel accounts for. */
static void test_slots(void **state)
{
	struct live_driver *driver = create_driver();
	uint32_t cpus = 0;
	struct scratch_slot *slots = live_driver_slots(driver, &cpus);

	assert_int_equal(cpus, libbpf_num_possible_cpus());
	for (uint32_t i = 0; i < cpus * SCRATCH_SLOTS_PER_CPU; i++) {
		assert_int_equal(slots[i].state.users, 0);
		assert_int_equal(slots[i].state.since_ns, 0);
		assert_int_equal(slots[i].state.batch.count, 0);
	}
	assert_true(live_driver_map_bytes(driver) >=
		    (int64_t)(cpus * SCRATCH_SLOTS_PER_CPU * sizeof(*slots)));
	live_driver_destroy(driver);
}

/* A ring is given and taken away once; what is no ring, and what is no CPU, is rejected. */
static void test_rings(void **state)
{
	struct live_driver *driver = create_driver();
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct scap_ring ring;
	struct error err = {""};
	uint32_t cpus;

	live_driver_slots(driver, &cpus);
	assert_int_equal(scap_ring_open(0, RING_BYTES, &ring, &err), 0);
	assert_int_equal(live_driver_set_ring(driver, 0, -1), -ENOENT);
	assert_int_equal(live_driver_set_ring(driver, 0, ring.fd), 0);
	assert_int_equal(live_driver_set_ring(driver, 0, -1), 0);
	assert_int_equal(live_driver_set_ring(driver, 0, -1), -ENOENT);
	assert_true(live_driver_set_ring(driver, cpus, ring.fd) < 0);
	assert_true(live_driver_set_ring(driver, 0, null) < 0);
	close(null);
	scap_ring_close(&ring);
	live_driver_destroy(driver);
}

enum { MESSAGES = 5 };

static void call_sendmmsg(void)
{
	struct mmsghdr messages[MESSAGES] = {0};
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	for (int i = 0; i < CALLS; i++) {
		sendmmsg(ends[0], messages, MESSAGES, MSG_DONTWAIT);
		recvmmsg(ends[1], messages, MESSAGES, MSG_DONTWAIT, NULL);
	}
	close(ends[0]);
	close(ends[1]);
}

/*
 * A call for several messages keeps its slot from one to the next; whatever ends it, a limit here,
 * gives the slot back.
 */
static void test_slots_are_given_back(void **state)
{
	static struct scap_live_stats stats;
	struct scap_live_config limited = config;
	struct scratch_slot *slots;
	struct live_driver *driver;
	uint32_t cpus;

	limited.events[EVENT_sendmmsg] = limited.events[EVENT_recvmmsg] = true;
	limited.rate_limits[RATE_OF_PROCESS] = 2 * MESSAGES + 1;
	driver = create_driver_of(&limited);
	assert_int_equal(live_driver_attach(driver, NULL), 0);
	call_sendmmsg();
	live_driver_detach(driver);
	slots = live_driver_slots(driver, &cpus);
	for (uint32_t i = 0; i < cpus * SCRATCH_SLOTS_PER_CPU; i++) {
		assert_int_equal(slots[i].state.users, 0);
		assert_int_equal(slots[i].messages.tid, 0);
	}
	assert_int_equal(live_driver_stats(driver, &stats), 0);
	assert_true(stats.events[EVENT_sendmmsg].lost[LOSS_PROCESS_LIMIT] > 0);
	live_driver_destroy(driver);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_attach_and_detach),
	cmocka_unit_test(test_programs),
	cmocka_unit_test(test_slots),
	cmocka_unit_test(test_rings),
	cmocka_unit_test(test_slots_are_given_back),
};

UNIT_GROUP(tests);
