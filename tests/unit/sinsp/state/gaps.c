/* SPDX-License-Identifier: MIT */
/* Processes of which events are missing: which can have such a gap, and what is forgotten in it. */
#include "drive.h"
#include "sinsp/state/core.h"
#include "sinsp/state/engine.h"
#include "unit.h"

enum { PROCESS = 100, THREAD = 101, OTHER = 200 };

static int setup(void **state)
{
	int r = drive_setup_process(state);
	struct drive *drive = *state;

	drive_thread(drive, PROCESS)->exec_id = 7;
	return r;
}

static bool has_no_name_x(const struct state_thread *thread, void *context)
{
	(*(unsigned int *)context)++;
	return thread->comm[0] != 'x';
}

static bool is_whole(struct drive *drive, unsigned int expected)
{
	unsigned int asked = 0;
	bool found = state_process_is(drive->state, PROCESS, has_no_name_x, &asked);

	assert_int_equal(asked, expected);
	return found;
}

static void add_thread(struct drive *drive, uint32_t flags)
{
	const struct drive_clone clone = {.flags = flags, .pid = PROCESS, .ptid = 1, .comm = "sh"};

	drive_clone(drive, THREAD, 0, &clone);
}

static void knows_a_process(void **state)
{
	struct drive *drive = *state;

	assert_true(is_whole(drive, 1));
	/* What the last event has still to do with its table changes nothing. */
	drive_close(drive, PROCESS, 0, 3);
	assert_true(drive->state->after.pending);
	assert_true(is_whole(drive, 1));
	drive_thread(drive, PROCESS)->comm[0] = 'x';
	assert_false(is_whole(drive, 1));
	drive_thread(drive, PROCESS)->comm[0] = 's';
	drive_thread(drive, PROCESS)->exec_id = 0;
	assert_false(is_whole(drive, 0));
	drive_thread(drive, PROCESS)->exec_id = 7;
	assert_true(is_whole(drive, 1));
	drive_thread(drive, PROCESS)->program->exepath = "";
	assert_false(is_whole(drive, 0));
	assert_false(state_process_is(drive->state, OTHER, has_no_name_x, NULL));
}

static void knows_its_threads(void **state)
{
	struct drive *drive = *state;

	add_thread(drive, clone_flags__CLONE_THREAD | clone_flags__CLONE_FILES);
	assert_true(is_whole(drive, 2));
	drive_thread(drive, THREAD)->comm[0] = 'x';
	assert_false(state_process_is(drive->state, PROCESS, has_no_name_x, &(unsigned int){0}));
	drive_thread(drive, THREAD)->comm[0] = 's';
	/* One that was evicted is not known. */
	drive->state->threads.evicted = 1;
	assert_false(is_whole(drive, 0));
	drive->state->threads.evicted = 0;
	/* Too many to go through. */
	drive->state->threads.entries += STATE_WALKED_MAX;
	assert_false(is_whole(drive, 0));
	drive->state->threads.entries -= STATE_WALKED_MAX;
	assert_true(is_whole(drive, 2));
	/* It goes on without its main thread, which has the program. */
	drive_exit(drive, PROCESS, 1);
	assert_false(is_whole(drive, 0));
	state_finish_last(drive->state);
	assert_false(is_whole(drive, 0));
}

static void has_its_own_descriptors(void **state)
{
	struct drive *drive = *state;
	struct drive_clone clone = {
		.flags = clone_flags__CLONE_FILES, .pid = OTHER, .ptid = PROCESS, .comm = "sh"};

	add_thread(drive, clone_flags__CLONE_THREAD);
	assert_false(state_process_is(drive->state, PROCESS, has_no_name_x, &(unsigned int){0}));
	drive_exit(drive, THREAD, 0);
	drive_any(drive, PROCESS);
	assert_true(is_whole(drive, 1));
	drive_clone(drive, OTHER, 0, &clone);
	assert_false(is_whole(drive, 1));
}

/* In a gap, nothing is known but what an event tells itself. */
static void forgets(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, PROCESS, 3, "/before", 0);
	state_begin_gap(drive->state, PROCESS);
	assert_true(state_is_in_gap(drive_thread(drive, PROCESS)));
	assert_false(drive_has_fd(drive, PROCESS, 3));
	assert_string_equal(drive_open(drive, PROCESS, 4, "/within", 0)->fd->name, "/within");
	drive_any(drive, PROCESS);
	assert_false(drive_has_fd(drive, PROCESS, 4));
	/* A child is known from its beginning on. */
	drive_fork(drive, PROCESS, OTHER);
	drive_open(drive, OTHER, 5, "/child", 0);
	drive_any(drive, OTHER);
	assert_true(drive_has_fd(drive, OTHER, 5));
}

static void ends_at_a_time(void **state)
{
	struct drive *drive = *state;

	state_begin_gap(drive->state, PROCESS);
	state_end_gap(drive->state, PROCESS, drive->ts_ns, 0);
	assert_false(state_is_in_gap(drive_thread(drive, PROCESS)));
	drive_open(drive, PROCESS, 3, "/within", 0);
	drive_open(drive, PROCESS, 4, "/after", 0);
	drive_any(drive, PROCESS);
	assert_false(drive_has_fd(drive, PROCESS, 3));
	assert_true(drive_has_fd(drive, PROCESS, 4));
	/* Of one that is not known nothing begins or ends. */
	state_begin_gap(drive->state, OTHER);
	state_end_gap(drive->state, OTHER, 1, 0);
}

static void ends_by_a_thread(void **state)
{
	struct drive *drive = *state;

	add_thread(drive, clone_flags__CLONE_THREAD | clone_flags__CLONE_FILES);
	state_begin_gap(drive->state, PROCESS);
	state_end_gap(drive->state, PROCESS, UINT64_MAX - 1, THREAD);
	drive_open(drive, PROCESS, 3, "/within", 0);
	drive_open(drive, THREAD, 4, "/after", 0);
	drive_open(drive, PROCESS, 5, "/later", 0);
	drive_any(drive, PROCESS);
	assert_false(drive_has_fd(drive, PROCESS, 3));
	assert_true(drive_has_fd(drive, PROCESS, 4));
	assert_true(drive_has_fd(drive, PROCESS, 5));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(knows_a_process), TEST(knows_its_threads), TEST(has_its_own_descriptors),
	TEST(forgets),	       TEST(ends_at_a_time),	TEST(ends_by_a_thread),
};

UNIT_GROUP(tests);
