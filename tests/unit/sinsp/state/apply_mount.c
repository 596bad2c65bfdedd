/* SPDX-License-Identifier: MIT */
/* Mounts that move, and the root: directories and files below them have other paths afterwards. */
#include <errno.h>

#include "drive.h"
#include "unit.h"

static int setup(void **state)
{
	drive_setup_process(state);
	drive_chdir(*state, 100, 0, "/mnt/a/sub");
	drive_openat(*state, 100, 3, -100, "../dir");
	drive_open(*state, 100, 4, "/mnt/ab/c", 0);
	return 0;
}

static void mount(struct drive *drive, int64_t result, const char *dev, const char *dir,
		  uint32_t flags)
{
	struct frame *frame = drive_begin(drive, EVENT_mount, 100);

	frame_put_i64(frame, mount__res, result);
	frame_put_string(frame, mount__dev, dev);
	frame_put_string(frame, mount__dir, dir);
	frame_put_i64(frame, mount__flags, flags);
	drive_end(drive);
}

static void pivot(struct drive *drive, const char *new_root, const char *put_old)
{
	struct frame *frame = drive_begin(drive, EVENT_pivot_root, 100);

	frame_put_i64(frame, pivot_root__res, 0);
	frame_put_string(frame, pivot_root__new_root, new_root);
	frame_put_string(frame, pivot_root__put_old, put_old);
	drive_end(drive);
}

/* The directory and the two descriptors, from the next event on. */
static void expect(struct drive *drive, const char *cwd, const char *three, const char *four)
{
	drive_any(drive, 1);
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, cwd);
	assert_string_equal(drive_name(drive, 100, 3), three);
	assert_string_equal(drive_name(drive, 100, 4), four);
}

static void follows_a_moved_mount(void **state)
{
	struct drive *drive = *state;

	drive_fork(drive, 100, 200);
	mount(drive, 0, "/mnt/a", "/srv/new/", mount_flags__MOVE);
	/* It is still to be seen as it was. */
	assert_string_equal(drive->event.thread->fs->cwd, "/mnt/a/sub/");
	expect(drive, "/srv/new/sub/", "/srv/new/dir", "/mnt/ab/c");
	assert_string_equal(drive_openat(drive, 100, 5, 3, "x")->fd->name, "/srv/new/dir/x");
	/* Another process may be in another namespace; an open file is the same for both. */
	assert_string_equal(drive_thread(drive, 200)->fs->cwd, "/mnt/a/sub/");
	assert_string_equal(drive_name(drive, 200, 3), "/srv/new/dir");
}

static void keeps_the_name_as_given(void **state)
{
	struct drive *drive = *state;
	size_t len;

	mount(drive, 0, "/mnt/a", "/new", mount_flags__MOVE);
	expect(drive, "/new/sub/", "/new/dir", "/mnt/ab/c");
	assert_string_equal(state_fd_given_name(drive_read(drive, 100, 1, 3)->fd, &len), "../dir");
}

static void other_mounts_move_nothing(void **state)
{
	struct drive *drive = *state;

	mount(drive, -EBUSY, "/mnt/a", "/new", mount_flags__MOVE);
	mount(drive, 0, "/mnt/a", "/new", mount_flags__BIND);
	mount(drive, 0, "/mnt/a/s", "/new", mount_flags__MOVE);
	mount(drive, 0, NULL, "/new", mount_flags__MOVE);
	mount(drive, 0, "/mnt/a", NULL, mount_flags__MOVE);
	drive_begin(drive, EVENT_mount, 999);
	drive_end(drive);
	expect(drive, "/mnt/a/sub/", "/mnt/a/dir", "/mnt/ab/c");
}

static void follows_move_mount(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_move_mount, 100);

	frame_put_i64(frame, move_mount__res, 0);
	frame_put_i64(frame, move_mount__from_dirfd, 3);
	frame_put_string(frame, move_mount__from_path, "..");
	frame_put_i64(frame, move_mount__to_dirfd, -100);
	frame_put_string(frame, move_mount__to_path, "../../b");
	drive_end(drive);
	expect(drive, "/mnt/b/sub/", "/mnt/b/dir", "/mnt/ab/c");
	/* A mount that was nowhere: the path of its descriptor is no place. */
	drive_open(drive, 100, 6, "/", 0);
	frame = drive_begin(drive, EVENT_move_mount, 100);
	frame_put_i64(frame, move_mount__res, 0);
	frame_put_i64(frame, move_mount__from_dirfd, 6);
	frame_put_string(frame, move_mount__from_path, ".");
	frame_put_i64(frame, move_mount__to_dirfd, -100);
	frame_put_string(frame, move_mount__to_path, "/c");
	drive_end(drive);
	expect(drive, "/mnt/b/sub/", "/mnt/b/dir", "/mnt/ab/c");
}

static void comes_to_a_new_root(void **state)
{
	struct drive *drive = *state;
	char path[64];

	pivot(drive, "..", "old");
	state_event_path(&drive->event, pivot_root__new_root, path, sizeof(path));
	assert_string_equal(path, "/mnt/a");
	expect(drive, "/sub/", "/dir", "/mnt/ab/c");
}

static void leaves_the_old_root(void **state)
{
	struct drive *drive = *state;

	pivot(drive, "/mnt/ab", "/mnt/ab/old");
	/* What was opened may be of another namespace. */
	expect(drive, "/old/mnt/a/sub/", "/mnt/a/dir", "/c");
	/* One root over the other. */
	pivot(drive, "/old", "/old");
	expect(drive, "/mnt/a/sub/", "/mnt/a/dir", "/c");
	/* The root itself is replaced. */
	drive_chdir(drive, 100, 0, "/");
	pivot(drive, "/mnt", "/mnt/x");
	expect(drive, "/", "/a/dir", "/c");
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(follows_a_moved_mount), TEST(keeps_the_name_as_given), TEST(other_mounts_move_nothing),
	TEST(follows_move_mount),    TEST(comes_to_a_new_root),	    TEST(leaves_the_old_root),
};

UNIT_GROUP(tests);
