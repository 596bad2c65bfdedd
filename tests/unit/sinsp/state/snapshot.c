/* SPDX-License-Identifier: MIT */
/* What a capture says of its machine, taken into the tables. */
#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "snapshots.h"
#include "unit.h"

static void fills_the_tables(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *thread;

	give_world(state_snapshot(drive->state));
	assert_string_equal(state_hostname(drive->state), "far");
	assert_string_equal(state_user_name(drive->state, 7), "seven");
	assert_string_equal(state_user(drive->state, 0)->home, "/chief");
	assert_null(state_user_name(drive->state, 1));
	assert_string_equal(state_group_name(drive->state, 8), "eight");
	assert_null(state_group_name(drive->state, 0));
	thread = drive_thread(drive, 200);
	assert_string_equal(thread->fs->cwd, "/srv/x/");
	assert_string_equal(thread->program->exepath, "/bin/rich");
	assert_int_equal(thread->nthreads, 3);
	/* Threads have what their process has, in whatever order they came. */
	assert_ptr_equal(drive_thread(drive, 201)->fds, thread->fds);
	assert_ptr_equal(drive_thread(drive, 202)->program, thread->program);
	assert_string_equal(drive_name(drive, 201, 2 * SCAP_FD_PIDFD), "name");
}

static void guesses_roles(void **state)
{
	struct drive *drive = *state;

	give_world(state_snapshot(drive->state));
	assert_string_equal(drive_name(drive, 300, 100), "127.0.0.2:5000->127.0.0.1:80");
	assert_string_equal(drive_name(drive, 300, 101), "127.0.0.1:5000->127.0.0.2:80");
	assert_string_equal(drive_name(drive, 300, 102), "127.0.0.1:80");
	assert_string_equal(drive_name(drive, 300, 103), "");
	assert_string_equal(drive_name(drive, 300, 104), "10.0.0.1->10.0.0.2");
	assert_string_equal(drive_name(drive, 200, 2 * SCAP_FD_IPV6), "<unknown>");
}

/* A main thread that had ended goes with the last thread of its process. */
static void keeps_ended_leaders(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = state_snapshot(drive->state);
	struct scap_thread leader = thread_of(500, 500, "leader");

	leader.flags = clone_flags__CLOSED;
	GIVE(to, begin);
	GIVE(to, thread, &leader);
	give_thread(to, 501, 500, "last");
	GIVE(to, end);
	assert_int_equal(drive_thread(drive, 500)->nthreads, 1);
	drive_exit(drive, 501, 0);
	drive_any(drive, 1);
	assert_null(state_thread_find(drive->state, 500));
}

static void begins_anew(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = state_snapshot(drive->state);
	struct state_stats stats;

	give_world(to);
	drive_any(drive, 200);
	drive_exit(drive, 300, 0);
	GIVE(to, begin);
	give_thread(to, 300, 300, "next");
	GIVE(to, fds, 300);
	give_socket(to, 7, 80, 5000);
	GIVE(to, end);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.threads, 1);
	assert_int_equal(stats.fds, 1);
	assert_null(state_user_name(drive->state, 7));
	assert_string_equal(state_hostname(drive->state), "");
	/* Nobody listens on that port any more. */
	assert_string_equal(drive_name(drive, 300, 7), "127.0.0.1:80->127.0.0.2:5000");
	assert_int_equal(drive_any(drive, 300)->num, 3);
}

static void asks_this_machine_nothing(void **state)
{
	static const uint8_t localhost[] = {127, 0, 0, 1};
	struct drive *drive = *state;
	struct state_stats stats;

	give_world(state_snapshot(drive->state));
	drive_any(drive, 1);
	drive_read(drive, 300, 1, 0);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.thread_lookups + stats.fd_lookups, 0);
	assert_null(state_host_name(drive->state, localhost, sizeof(localhost)));
	assert_null(state_user_name(drive->state, 65534));
}

/* Threads that nothing reported: what they open is known, not what they are. */
static void follows_strangers(void **state)
{
	struct drive *drive = *state;

	drive_any(drive, 900);
	assert_null(drive->event.thread);
	give_world(state_snapshot(drive->state));
	drive_begin(drive, EVENT_page_fault, 900); /* not a call */
	assert_null(drive_end(drive)->thread);
	drive_any(drive, 0);
	assert_null(drive->event.thread);
	drive_open(drive, 900, 3, "/etc/x", file_flags__O_RDONLY);
	assert_string_equal(drive_name(drive, 900, 3), "/etc/x");
	assert_int_equal(drive_thread(drive, 900)->pid, -1);
	assert_int_equal(drive_thread(drive, 900)->uid, UINT32_MAX);
	assert_dump_reloads(drive);
}

static void boots_differ(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = state_snapshot(drive->state);
	struct scap_machine machine = {.hostname = "a", .boot_ns = 5};
	uint64_t first;

	GIVE(to, machine, &machine);
	first = state_boot(drive->state);
	machine.boot_ns = 6;
	GIVE(to, machine, &machine);
	assert_int_not_equal(state_boot(drive->state), first);
	machine.boot_ns = 5;
	GIVE(to, machine, &machine);
	assert_int_equal(state_boot(drive->state), first);
}

/* Events that follow have the time of a clock that was set: so have the machine and its threads. */
static void times_follow_the_wall_clock(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = state_snapshot(drive->state);
	struct scap_thread thread = thread_of(200, 200, "cat");
	struct scap_event raw;
	char *text;

	thread.pidns_start_ns = 78000000001;
	thread.start_ns = 79000000001;
	give_machine(to);
	GIVE(to, thread, &thread);
	GIVE(to, end);
	frame_put_i64(drive_begin(drive, EVENT_syscall, 200), syscall__ID, SC_getppid);
	raw = frame_end(&drive->frame);
	raw.clock_step_ns = -7000000000;
	assert_int_equal(state_process(drive->state, &raw, &drive->event), 0);
	assert_int_equal(drive->event.clock_step_ns, -7000000000);
	text = dump_text(drive->state);
	assert_non_null(strstr(text, " 70000000000 far\n"));
	assert_non_null(strstr(text, " pidns=71000000001 "));
	assert_non_null(strstr(text, " start=72000000001\n"));
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup, drive_teardown)

static const struct CMUnitTest tests[] = {
	TEST(fills_the_tables),
	TEST(guesses_roles),
	TEST(keeps_ended_leaders),
	TEST(begins_anew),
	TEST(asks_this_machine_nothing),
	TEST(follows_strangers),
	TEST(boots_differ),
	TEST(times_follow_the_wall_clock),
};

UNIT_GROUP(tests);
