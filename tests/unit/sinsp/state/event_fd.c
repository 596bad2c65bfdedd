/* SPDX-License-Identifier: MIT */
/* Descriptors that an event opens, turns to or names. */
#include "drive.h"
#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"
#include "unit.h"

static int setup(void **state)
{
	static struct drive drive;

	drive_create(&drive, &(struct state_config){.fds_max = 2});
	drive_exec(&drive, 100, "shell");
	*state = &drive;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	return 0;
}

static void opens_and_sets(void **state)
{
	struct drive *drive = *state;
	struct apply_event event = {.thread = drive_thread(drive, 100), .fd_num = -1};
	const struct state_fds *fds = event.thread->fds;
	struct state_fd *fd = state_open_fd(&event, 5, SCAP_FD_PIPE, true);

	assert_int_equal(fd->type, SCAP_FD_PIPE);
	assert_string_equal(fd->name, "");
	assert_true(state_fds_cloexec(fds, 5));
	assert_null(event.fd);
	state_set_fd(&event, 5, fd);
	assert_true(event.has_fd && event.fd == fd && event.fd_num == 5);
	assert_non_null(state_open_fd(&event, 6, SCAP_FD_EVENT, false));
	assert_false(state_fds_cloexec(fds, 6));
	assert_null(state_open_fd(&event, 7, SCAP_FD_EVENT, false));
	assert_null(state_open_fd(&event, -1, SCAP_FD_EVENT, false));
}

static void notes_other_names(void **state)
{
	struct drive *drive = *state;
	struct apply_event event = {.thread = drive_thread(drive, 100)};

	event.fd = state_open_fd(&event, 5, SCAP_FD_UNIX, false);
	state_rename_fd(drive->state, &event, "", 0);
	assert_false(event.fd_named);
	state_rename_fd(drive->state, &event, "a", 1);
	assert_string_equal(event.fd->name, "a");
	assert_true(event.fd_named);
	event.fd_named = false;
	state_rename_fd(drive->state, &event, "a", 1);
	assert_false(event.fd_named);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(opens_and_sets),
	TEST(notes_other_names),
};

UNIT_GROUP(tests);
