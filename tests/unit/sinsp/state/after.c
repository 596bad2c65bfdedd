/* SPDX-License-Identifier: MIT */
/* What an event closed or ended is there until the next event. */
#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

static void closes_late(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, 100, 3, "/x", 0);
	drive_close(drive, 100, 0, 3);
	assert_string_equal(drive->event.fd->name, "/x");
	assert_true(drive_has_fd(drive, 100, 3));
	state_finish_last(drive->state);
	assert_false(drive_has_fd(drive, 100, 3));
	/* Once: a number that is opened again stays. */
	drive_open(drive, 100, 3, "/y", 0);
	state_finish_last(drive->state);
	state_finish_last(drive->state);
	assert_true(drive_has_fd(drive, 100, 3));
}

/* A request that ends with its socket is about that socket. */
static void is_there_for_requests(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, 100, 3, "/x", 0);
	drive_close(drive, 100, 0, 3);
	for (int i = 0; i < 2; i++) {
		frame_put_i64(drive_begin(drive, EVENT_request, 100), request__fd, 3);
		drive_end(drive);
		assert_non_null(drive->event.fd);
		assert_string_equal(drive->event.fd->name, "/x");
	}
	drive_any(drive, 100);
	assert_false(drive_has_fd(drive, 100, 3));
}

static void ends_late(void **state)
{
	struct drive *drive = *state;

	drive_exit(drive, 100, 1);
	assert_true(drive->event.thread->exiting);
	assert_ptr_equal(state_thread_find(drive->state, 100), drive->event.thread);
	state_finish_last(drive->state);
	assert_null(state_thread_find(drive->state, 100));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)
	TEST(closes_late),
	TEST(is_there_for_requests),
	TEST(ends_late),
};

UNIT_GROUP(tests);
