/* SPDX-License-Identifier: MIT */
/* What fields ask of the engine: other threads, and names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

static int setup(void **state)
{
	static struct drive drive;

	drive_create(&drive, &(struct state_config){
				     .hostname = "here", .boot_id = "one", .etc = "/nowhere"});
	*state = &drive;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	return 0;
}

static struct state_thread *add(struct drive *drive, int64_t tid, int64_t pid, int64_t ptid)
{
	struct state_thread *thread = state_thread_add(drive->state, tid, pid);

	state_threads_set_parent(&drive->state->threads, thread, ptid);
	return thread;
}

static void finds_the_family(void **state)
{
	struct drive *drive = *state;
	const struct state *engine = drive->state;
	const struct state_thread *init = add(drive, 1, 1, 0), *shell = add(drive, 10, 10, 1);
	const struct state_thread *helper = add(drive, 11, 10, 1), *child = add(drive, 20, 20, 11);
	const struct state_thread *lost = add(drive, 31, 30, 11), *alone = add(drive, 40, 40, 99);

	assert_ptr_equal(state_thread_find(engine, 11), helper);
	assert_null(state_thread_find(engine, 99));
	assert_ptr_equal(state_thread_main(engine, helper), shell);
	assert_ptr_equal(state_thread_main(engine, shell), shell);
	assert_null(state_thread_main(engine, lost));
	/* The parent is a process, whichever of its threads made the child. */
	assert_ptr_equal(state_thread_parent(engine, child), shell);
	assert_ptr_equal(state_thread_parent(engine, helper), init);
	assert_ptr_equal(state_thread_parent(engine, lost), shell);
	assert_null(state_thread_parent(engine, alone));
	assert_null(state_thread_parent(engine, init));
}

static void knows_its_machine(void **state)
{
	struct drive *drive = *state, other;

	assert_string_equal(state_hostname(drive->state), "here");
	drive_create(&other, &(struct state_config){.boot_id = "two"});
	assert_int_not_equal(state_boot(other.state), state_boot(drive->state));
	drive_destroy(&other);
}

static void names_what_has_a_name(void **state)
{
	static const uint8_t address[4] = {127, 0, 0, 1};
	struct drive *drive = *state;
	const struct state_user user = {.id = 7, .name = "ann", .home = "/home/ann"};

	assert_null(state_user(drive->state, 7));
	assert_null(state_user_name(drive->state, 7));
	assert_null(state_group_name(drive->state, 7));
	assert_null(state_host_name(drive->state, address, sizeof(address)));
	state_users_add(&drive->state->names->users, &user);
	state_users_add(&drive->state->names->groups, &user);
	assert_string_equal(state_user_name(drive->state, 7), "ann");
	assert_string_equal(state_user(drive->state, 7)->home, "/home/ann");
	assert_string_equal(state_group_name(drive->state, 7), "ann");
}

static uint64_t switch_run_ns(struct drive *drive, uint16_t cpu, int64_t from, int64_t to)
{
	struct scap_event raw;

	frame_put_i64(drive_begin(drive, EVENT_switch, from), switch__next, to);
	raw = frame_end(&drive->frame);
	raw.cpu = cpu;
	assert_int_equal(state_process(drive->state, &raw, &drive->event), 0);
	return state_run_ns(&drive->event);
}

static void reports_how_long_a_thread_ran(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *snapshot = state_snapshot(drive->state);

	assert_int_equal(switch_run_ns(drive, 0, 5, 6), 0);
	assert_int_equal(switch_run_ns(drive, 0, 6, 5), 1000);
	assert_int_equal(switch_run_ns(drive, UINT16_MAX, 7, 8), 0);
	assert_int_equal(switch_run_ns(drive, UINT16_MAX, 8, 7), 1000);
	assert_int_equal(switch_run_ns(drive, 0, 5, 6), 3000);
	/* What a snapshot describes knows none of the switches before. */
	assert_int_equal(snapshot->ops->begin(snapshot), 0);
	assert_int_equal(switch_run_ns(drive, 0, 6, 5), 0);
	assert_int_equal(switch_run_ns(drive, UINT16_MAX, 7, 8), 0);
	assert_int_equal(switch_run_ns(drive, UINT16_MAX, 8, 7), 1000);
}

/* From leaving a CPU to coming to one, told when that is left. */
static void reports_how_long_a_thread_was_off(void **state)
{
	struct drive *drive = *state;

	drive_exec(drive, 5, "a");
	drive_exec(drive, 6, "b");
	switch_run_ns(drive, 0, 5, 6);
	assert_int_equal(state_off_ns(&drive->event), 0);
	switch_run_ns(drive, 0, 6, 5);
	assert_int_equal(state_off_ns(&drive->event), 0);
	switch_run_ns(drive, 1, 7, 6);
	switch_run_ns(drive, 0, 5, 7);
	assert_int_equal(state_off_ns(&drive->event), 1000);
	switch_run_ns(drive, 1, 6, 5);
	assert_int_equal(state_off_ns(&drive->event), 1000);
	switch_run_ns(drive, 0, 7, 6);
	switch_run_ns(drive, 0, 9, 7);
	/* Since when it ran is not known. */
	switch_run_ns(drive, 0, 6, 9);
	assert_int_equal(state_off_ns(&drive->event), 0);
	drive_any(drive, 5);
	switch_run_ns(drive, 1, 5, 7);
	assert_int_equal(state_off_ns(&drive->event), 1000);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(finds_the_family),
	TEST(knows_its_machine),
	TEST(names_what_has_a_name),
	TEST(reports_how_long_a_thread_ran),
	TEST(reports_how_long_a_thread_was_off),
};

UNIT_GROUP(tests);
