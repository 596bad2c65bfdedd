/* SPDX-License-Identifier: MIT */
/* What threads share, and what one of them gets for itself. */
#include "drive.h"
#include "sinsp/state/program.h"
#include "unit.h"

static int setup(void **state)
{
	drive_setup_process(state);
	drive_chdir(*state, 100, 0, "/w");
	drive_open(*state, 100, 3, "/x", 0);
	return 0;
}

static void shares_as_the_flags_say(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *creator = drive_thread(drive, 100);
	struct state_thread *thread = state_thread_add(drive->state, 101, 100);

	state_share(drive->state, thread, creator,
		    clone_flags__CLONE_FS | clone_flags__CLONE_FILES);
	assert_ptr_equal(thread->fs, creator->fs);
	assert_ptr_equal(thread->fds, creator->fds);
	assert_ptr_equal(thread->program, creator->program);
	state_share(drive->state, thread, creator, 0);
	assert_ptr_not_equal(thread->fs, creator->fs);
	assert_string_equal(thread->fs->cwd, "/w/");
	assert_ptr_not_equal(thread->fds, creator->fds);
	assert_string_equal(state_fds_find(thread->fds, 3)->name, "/x");
	assert_ptr_equal(thread->program, creator->program);
	assert_int_equal(creator->fs->refs, 1);
	assert_false(state_fds_shared(creator->fds));
}

static void unshares(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *creator = drive_thread(drive, 100);
	struct state_thread *thread = state_thread_add(drive->state, 101, 100);
	const struct state_fs *fs;
	const struct state_fds *fds;

	state_share(drive->state, thread, creator,
		    clone_flags__CLONE_FS | clone_flags__CLONE_FILES);
	state_unshare_fs(drive->state, thread);
	state_unshare_fds(thread);
	state_fs_set(&drive->state->pool, thread->fs, "/other", 6);
	state_fds_close(thread->fds, 3);
	assert_string_equal(creator->fs->cwd, "/w/");
	assert_true(drive_has_fd(drive, 100, 3));
	/* What is its own stays. */
	fs = thread->fs;
	fds = thread->fds;
	state_unshare_fs(drive->state, thread);
	state_unshare_fds(thread);
	assert_ptr_equal(thread->fs, fs);
	assert_ptr_equal(thread->fds, fds);
}

static void sets_names(void **state)
{
	struct state_thread *thread = drive_thread(*state, 100);
	static const char zeros[16];

	state_set_comm(thread, "sixteen-letters-");
	assert_string_equal(thread->comm, "sixteen-letters");
	state_set_comm(thread, NULL);
	assert_string_equal(thread->comm, "sixteen-letters");
	state_set_comm(thread, "x");
	assert_string_equal(thread->comm, "x");
	assert_memory_equal(thread->comm + 1, zeros, 15);
}

static void may_do_everything_in_its_namespace(void **state)
{
	struct state_thread *thread = drive_thread(*state, 100);

	thread->caps_inheritable = 5;
	state_enter_userns(thread);
	assert_int_equal(thread->caps_permitted, 0x1ffffffffff);
	assert_int_equal(thread->caps_effective, 0x1ffffffffff);
	assert_int_equal(thread->caps_inheritable, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(shares_as_the_flags_say),
	TEST(unshares),
	TEST(sets_names),
	TEST(may_do_everything_in_its_namespace),
};

UNIT_GROUP(tests);
