/* SPDX-License-Identifier: MIT */
/* Threads of the engine are found by their ids, also by those of their namespace. */
#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

static void adds_a_thread_with_all_parts(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *thread = state_thread_add(drive->state, 5, 4);

	assert_int_equal(thread->tid, 5);
	assert_int_equal(thread->pid, 4);
	assert_int_equal(thread->vtid, -1);
	assert_string_equal(thread->program->exepath, "");
	assert_string_equal(thread->fs->cwd, "");
	assert_int_equal(state_fds_count(thread->fds), 0);
	assert_string_equal(thread->cgroups, "");
	assert_ptr_equal(state_thread_get(drive->state, 5), thread);
	assert_null(state_thread_get(drive->state, 4));
}

/* An id for which /proc was asked without success is no thread. */
static void finds_no_unknown_thread(void **state)
{
	struct drive *drive = *state;
	struct state_thread_entry *entry = state_threads_add(&drive->state->threads, 6, 6);

	entry->unknown = true;
	drive->state->threads.unknown++;
	assert_null(state_thread_get(drive->state, 6));
}

static void finds_who_is_named(void **state)
{
	struct drive *drive = *state;
	struct state_thread *outside = state_thread_add(drive->state, 10, 10), *other, *inside;

	other = state_thread_add(drive->state, 20, 20);
	inside = state_thread_add(drive->state, 30, 30);
	/* Nothing is known of its namespace. */
	assert_ptr_equal(state_thread_named(drive->state, outside, 0), outside);
	assert_null(state_thread_named(drive->state, outside, 20));
	outside->vpid = outside->vtid = 10;
	assert_true(state_is_outside(outside));
	assert_ptr_equal(state_thread_named(drive->state, outside, 20), other);
	assert_null(state_thread_named(drive->state, outside, 99));
	inside->vpid = inside->vtid = 1;
	assert_false(state_is_outside(inside));
	assert_ptr_equal(state_thread_named(drive->state, inside, 1), inside);
	assert_null(state_thread_named(drive->state, inside, 20));
}

static void remembers_exits(void **state)
{
	struct drive *drive = *state;

	state_remember_exit(drive->state, 7);
	state_remember_exit(drive->state, 8);
	assert_true(state_has_exited(drive->state, 7) && state_has_exited(drive->state, 8));
	state_forget_exit(drive->state, 7);
	assert_false(state_has_exited(drive->state, 7));
	/* A place holds one id. */
	state_remember_exit(drive->state, 8 + EXITED_COUNT);
	state_forget_exit(drive->state, 8);
	assert_false(state_has_exited(drive->state, 8));
	assert_true(state_has_exited(drive->state, 8 + EXITED_COUNT));
	assert_int_equal(drive->state->stats.exits_dropped, 1);
	/* For 5 s; later another one may have its place, or its id. */
	drive->state->now_ns += EXIT_REMEMBERED_NS;
	assert_true(state_has_exited(drive->state, 8 + EXITED_COUNT));
	drive->state->now_ns++;
	assert_false(state_has_exited(drive->state, 8 + EXITED_COUNT));
	state_remember_exit(drive->state, 8);
	assert_int_equal(drive->state->stats.exits_dropped, 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup, drive_teardown)
	TEST(adds_a_thread_with_all_parts),
	TEST(finds_no_unknown_thread),
	TEST(finds_who_is_named),
	TEST(remembers_exits),
};

UNIT_GROUP(tests);
