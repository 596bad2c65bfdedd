/* SPDX-License-Identifier: MIT */
/* What captures should not say of their machine: too much, and nonsense. */
#include <string.h>

#include "snapshots.h"
#include "unit.h"

static void keeps_to_its_limits(void **state)
{
	struct drive drive;
	struct state_stats stats;
	struct scap_snapshot *to;

	drive_create(&drive, &(struct state_config){.threads_max = 10, .fds_max = 20});
	to = state_snapshot(drive.state);
	GIVE(to, begin);
	for (int64_t tid = 1; tid <= 1000; tid++)
		give_thread(to, tid, tid, "many");
	GIVE(to, fds, 1000);
	for (int64_t num = 0; num < 1000; num++)
		give_file(to, num, "/many");
	GIVE(to, end);
	state_stats(drive.state, &stats);
	assert_int_equal(stats.threads, 10);
	assert_int_equal(stats.threads_evicted, 990);
	assert_int_equal(stats.fds, 20);
	assert_int_equal(stats.fds_rejected, 980);
	assert_dump_reloads(&drive);
	drive_destroy(&drive);
}

static void give_strange_fds(struct scap_snapshot *to)
{
	struct scap_fd strange = {.num = 5, .type = SCAP_FD_TYPES_COUNT, .name = "x"};

	give_file(to, -1, "/x");
	give_file(to, INT64_MIN, "/x");
	give_file(to, INT64_MAX, "/x");
	give_file(to, (int64_t)INT32_MAX + 1, "/x");
	GIVE(to, fd, &strange);
	strange.type = SCAP_FD_UNKNOWN;
	GIVE(to, fd, &strange);
	give_file(to, INT32_MAX, "/last");
	give_file(to, 3, "/first");
	give_file(to, 3, "/second");
}

static void survives_nonsense(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = state_snapshot(drive->state);
	struct scap_thread odd = thread_of(10, 10, "odd");
	struct state_stats stats;

	GIVE(to, begin);
	GIVE(to, fds, 77); /* of nobody */
	give_file(to, 1, "/x");
	give_thread(to, -5, 5, "negative");
	give_thread(to, INT64_MIN, INT64_MIN, "negative");
	give_thread(to, 5, 0, "no process");
	give_thread(to, 0, 0, "idle");
	odd.args = "\0\0\0x"; /* without its last NUL */
	odd.args_len = 4;
	odd.ptid = 11;
	memset(odd.comm, 'x', sizeof(odd.comm));
	GIVE(to, thread, &odd);
	odd.tid = odd.pid = 11;
	odd.ptid = 10; /* each the parent of the other */
	GIVE(to, thread, &odd);
	give_thread(to, 12, 13, "a");
	give_thread(to, 13, 12, "b"); /* each the process of the other */
	give_thread(to, 14, 14, "old");
	give_thread(to, 15, 14, "of old");
	give_thread(to, 14, 14, "twice");
	GIVE(to, fds, 14);
	give_strange_fds(to);
	GIVE(to, end);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.threads, 6);
	assert_int_equal(stats.fds, 2);
	assert_string_equal(drive_thread(drive, 10)->comm, "xxxxxxxxxxxxxxx");
	assert_string_equal(drive_thread(drive, 14)->comm, "twice");
	assert_int_equal(drive_thread(drive, 14)->nthreads, 2);
	assert_string_equal(drive_name(drive, 15, 3), "/second");
	assert_dump_reloads(drive);
	for (int64_t tid = 10; tid <= 15; tid++)
		drive_exit(drive, tid, -1);
	drive_any(drive, 1);
	assert_int_equal(drive->event.num, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup, drive_teardown)

static const struct CMUnitTest tests[] = {
	TEST(keeps_to_its_limits),
	TEST(survives_nonsense),
};

UNIT_GROUP(tests);
