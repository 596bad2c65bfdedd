/* SPDX-License-Identifier: MIT */
/* Opening files, and the current directory. */
#include <errno.h>
#include <string.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "unit.h"

static void opens_under_the_current_directory(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;

	drive_chdir(drive, 100, 0, "/home/u");
	event = drive_open(drive, 100, 3, "notes/../today", file_flags__O_RDONLY);
	assert_true(event->has_fd);
	assert_int_equal(event->fd_num, 3);
	assert_non_null(event->fd);
	assert_string_equal(event->fd->name, "/home/u/today");
	assert_int_equal(event->fd->name_len, strlen("/home/u/today"));
	assert_int_equal(event->fd->type, SCAP_FD_FILE);
	assert_int_equal(event->fd->dev, 7);
	assert_int_equal(state_fd_ino(event->fd), 77);
	assert_int_equal(event->fd->flags, file_flags__O_RDONLY);
	assert_true(event->fd_named);
	assert_string_equal(drive_read(drive, 100, 10, 3)->fd->name, "/home/u/today");
}

static void expect_given(const struct state_event *event, const char *given)
{
	size_t len;

	assert_string_equal(state_fd_given_name(event->fd, &len), given);
	assert_int_equal(len, strlen(given));
}

/* For all events of the descriptor and of its copies. */
static void keeps_the_name_as_given(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	drive_chdir(drive, 100, 0, "/w");
	expect_given(drive_openat(drive, 100, 3, -100, "z//n1"), "z/n1");
	assert_string_equal(drive->event.fd->name, "/w/z/n1");
	expect_given(drive_read(drive, 100, 1, 3), "z/n1");
	frame = drive_begin(drive, EVENT_dup2, 100);
	frame_put_i64(frame, dup2__res, 9);
	frame_put_i64(frame, dup2__oldfd, 3);
	frame_put_i64(frame, dup2__newfd, 9);
	expect_given(drive_end(drive), "z/n1");
	assert_false(drive->event.fd_named);
	drive_fork(drive, 100, 200);
	expect_given(drive_close(drive, 100, 0, 3), "z/n1");
	expect_given(drive_read(drive, 200, 1, 3), "z/n1");
	/* What is the path itself takes no memory. */
	assert_int_equal(drive_open(drive, 100, 4, "/w/z/n1", 0)->fd->given_len, 0);
	assert_int_equal(drive_open(drive, 100, 4, "//w///z/n1", 0)->fd->given_len, 0);
	expect_given(drive_open(drive, 100, 4, "/w/z/../n2/", 0), "/w/z/../n2/");
	assert_string_equal(drive->event.fd->name, "/w/n2");
}

static void names_what_is_opened(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	assert_true(drive_open(drive, 100, 3, "x", 0)->fd_named);
	assert_false(drive_read(drive, 100, 1, 3)->fd_named);
	assert_true(drive_openat(drive, 100, 3, -100, "x")->fd_named);
	assert_false(drive_close(drive, 100, 0, 3)->fd_named);
	assert_null(drive_openat(drive, 100, -ENOENT, -100, "x")->fd);
	frame = drive_begin(drive, EVENT_openat2, 100);
	frame_put_i64(frame, openat2__fd, 3);
	frame_put_i64(frame, openat2__dirfd, -100);
	frame_put_string(frame, openat2__name, "x");
	assert_true(drive_end(drive)->fd_named);
	frame = drive_begin(drive, EVENT_creat, 100);
	frame_put_i64(frame, creat__fd, 3);
	frame_put_string(frame, creat__name, "x");
	assert_true(drive_end(drive)->fd_named);
	frame = drive_begin(drive, EVENT_pipe2, 100);
	frame_put_i64(frame, pipe2__res, 0);
	frame_put_i64(frame, pipe2__fd1, 4);
	frame_put_i64(frame, pipe2__fd2, 5);
	assert_false(drive_end(drive)->fd_named);
}

/* What the kernel opened counts, whatever the caller's memory holds by now. */
static void believes_the_kernel(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_openat, 100);

	frame_put_i64(frame, openat__fd, 3);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, "asked");
	frame_put_string(frame, openat__path, "/srv/opened");
	drive_end(drive);
	assert_string_equal(drive->event.fd->name, "/srv/opened");

	frame = drive_begin(drive, EVENT_open, 100);
	frame_put_i64(frame, open__fd, 4);
	frame_put_string(frame, open__path, "/srv/unreadable");
	drive_end(drive);
	assert_string_equal(drive->event.fd->name, "/srv/unreadable");

	frame = drive_begin(drive, EVENT_chdir, 100);
	frame_put_i64(frame, chdir__res, 0);
	frame_put_string(frame, chdir__path, "link");
	frame_put_string(frame, chdir__cwd, "/real/place");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/real/place/");
	frame = drive_begin(drive, EVENT_fchdir, 100);
	frame_put_i64(frame, fchdir__res, 0);
	frame_put_i64(frame, fchdir__fd, 99);
	frame_put_string(frame, fchdir__cwd, "/");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/");
}

static void opens_directories(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, 100, 3, "/srv", file_flags__O_DIRECTORY | file_flags__O_TMPFILE);
	assert_int_equal(drive->event.fd->type, SCAP_FD_DIRECTORY);
	drive_openat(drive, 100, 4, 3, "x/y");
	assert_string_equal(drive->event.fd->name, "/srv/x/y");
	drive_openat(drive, 100, 5, 3, "..");
	assert_string_equal(drive->event.fd->name, "/");
	drive_openat(drive, 100, 6, 5, "etc");
	assert_string_equal(drive->event.fd->name, "/etc");
	drive_openat(drive, 100, 7, 99, "deep");
	assert_string_equal(drive->event.fd->name, "<UNKNOWN>deep");
	drive_openat(drive, 100, 8, 99, "/absolute");
	assert_string_equal(drive->event.fd->name, "/absolute");
}

static void does_not_know_the_first_directory(void **state)
{
	struct drive *drive = *state;

	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "");
	drive_openat(drive, 100, 3, -100, "x");
	assert_string_equal(drive->event.fd->name, "<UNKNOWN>x");
	drive_chdir(drive, 100, 0, "sub");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "");
	drive_chdir(drive, 100, 0, "/");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/");
	drive_openat(drive, 100, 3, -100, "x");
	assert_string_equal(drive->event.fd->name, "/x");
}

static void keeps_nothing_of_failed_calls(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;

	drive_chdir(drive, 100, 0, "/a");
	drive_open(drive, 100, 3, "/kept", 0);
	event = drive_open(drive, 100, -ENOENT, "missing", 0);
	assert_true(event->has_fd);
	assert_int_equal(event->fd_num, -ENOENT);
	assert_null(event->fd);
	drive_chdir(drive, 100, -ENOENT, "/b");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/a/");
	assert_int_equal(state_fds_count(drive_thread(drive, 100)->fds), 1);
}

static void replaces_a_number_that_was_open(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, 100, 3, "/first", 0);
	drive_open(drive, 100, 3, "/second", 0);
	assert_string_equal(drive_name(drive, 100, 3), "/second");
	assert_int_equal(state_fds_count(drive_thread(drive, 100)->fds), 1);
}

static void opens_by_handle(void **state)
{
	struct frame *frame = drive_begin(*state, EVENT_open_by_handle_at, 100);
	struct state_event *event;

	frame_put_i64(frame, open_by_handle_at__fd, 3);
	frame_put_i64(frame, open_by_handle_at__mountfd, -100);
	frame_put_i64(frame, open_by_handle_at__flags, file_flags__O_RDWR | file_flags__O_CLOEXEC);
	frame_put_string(frame, open_by_handle_at__path, "/srv/file");
	frame_put_i64(frame, open_by_handle_at__dev, 7);
	frame_put_i64(frame, open_by_handle_at__ino, 77);
	event = drive_end(*state);
	assert_int_equal(event->fd_num, 3);
	assert_string_equal(event->fd->name, "/srv/file");
	assert_int_equal(event->fd->type, SCAP_FD_FILE);
	assert_int_equal(event->fd->dev, 7);
	assert_int_equal(state_fd_ino(event->fd), 77);
	assert_true(state_fds_cloexec(event->thread->fds, 3));

	frame = drive_begin(*state, EVENT_open_by_handle_at, 100);
	frame_put_i64(frame, open_by_handle_at__fd, -ESTALE);
	assert_null(drive_end(*state)->fd);
	assert_int_equal(state_fds_count(drive_thread(*state, 100)->fds), 1);
}

static void creates(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_creat, 100);

	frame_put_i64(frame, creat__fd, 5);
	frame_put_string(frame, creat__name, "/new");
	frame_put_i64(frame, creat__ino, 9);
	drive_end(drive);
	assert_string_equal(drive->event.fd->name, "/new");
	assert_int_equal(state_fd_ino(drive->event.fd), 9);
	assert_true(drive->event.fd->flags & file_flags__O_CREAT);
}

static void opens_inside_a_root(void **state)
{
	struct drive *drive = *state;
	static const struct {
		const char *name, *opened;
	} cases[] = {
		{"a", "/root/fs/a"},
		{"/a", "/root/fs/a"},
		{"//a/../../../b", "/root/fs/b"},
		{"/", "/root/fs"},
	};

	drive_open(drive, 100, 3, "/root/fs", 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct frame *frame = drive_begin(drive, EVENT_openat2, 100);

		frame_put_i64(frame, openat2__fd, 4);
		frame_put_i64(frame, openat2__dirfd, 3);
		frame_put_string(frame, openat2__name, cases[i].name);
		frame_put_i64(frame, openat2__resolve, openat2_flags__RESOLVE_IN_ROOT);
		drive_end(drive);
		assert_string_equal(drive->event.fd->name, cases[i].opened);
	}
}

static void moves_by_descriptor(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	drive_open(drive, 100, 3, "/var/log", 0);
	frame = drive_begin(drive, EVENT_fchdir, 100);
	frame_put_i64(frame, fchdir__res, 0);
	frame_put_i64(frame, fchdir__fd, 3);
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/var/log/");
	frame = drive_begin(drive, EVENT_fchdir, 100);
	frame_put_i64(frame, fchdir__res, -EBADF);
	frame_put_i64(frame, fchdir__fd, 30);
	drive_end(drive);
	drive_chdir(drive, 100, 0, "../tmp/./x/");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/var/tmp/x/");
}

static void threads_share_a_directory_and_forks_do_not(void **state)
{
	struct drive *drive = *state;
	const uint32_t thread_flags =
		clone_flags__CLONE_THREAD | clone_flags__CLONE_FS | clone_flags__CLONE_FILES;

	drive_chdir(drive, 100, 0, "/one");
	drive_clone(drive, 101, 0,
		    &(struct drive_clone){.flags = thread_flags, .pid = 100, .ptid = 1});
	drive_fork(drive, 100, 200);
	drive_chdir(drive, 101, 0, "/two");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/two/");
	assert_string_equal(drive_thread(drive, 200)->fs->cwd, "/one/");
	drive_chdir(drive, 200, 0, "/three");
	assert_string_equal(drive_thread(drive, 101)->fs->cwd, "/two/");
	/* The process of a clone with CLONE_FS alone shares it as well. */
	drive_clone(drive, 300, 0,
		    &(struct drive_clone){.flags = clone_flags__CLONE_FS, .pid = 300, .ptid = 200});
	drive_chdir(drive, 300, 0, "/four");
	assert_string_equal(drive_thread(drive, 200)->fs->cwd, "/four/");
}

static void copes_with_absent_parameters(void **state)
{
	struct drive *drive = *state;
	static const uint16_t ids[] = {EVENT_open,  EVENT_openat, EVENT_openat2,
				       EVENT_creat, EVENT_chdir,  EVENT_fchdir};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		drive_begin(drive, ids[i], 100);
		assert_false(drive_end(drive)->has_fd);
	}
	/* A name that could not be read, of a number that had another. */
	drive_open(drive, 100, 3, "/old", 0);
	drive_open(drive, 100, 3, NULL, 0);
	assert_null(drive->event.fd);
	assert_int_equal(drive->event.fd_num, 3);
	assert_false(drive_has_fd(drive, 100, 3));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)
	TEST(opens_under_the_current_directory),
	TEST(keeps_the_name_as_given),
	TEST(names_what_is_opened),
	TEST(believes_the_kernel),
	TEST(opens_directories),
	TEST(does_not_know_the_first_directory),
	TEST(keeps_nothing_of_failed_calls),
	TEST(replaces_a_number_that_was_open),
	TEST(opens_by_handle),
	TEST(creates),
	TEST(opens_inside_a_root),
	TEST(moves_by_descriptor),
	TEST(threads_share_a_directory_and_forks_do_not),
	TEST(copes_with_absent_parameters),
};

UNIT_GROUP(tests);
