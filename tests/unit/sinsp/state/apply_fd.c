/* SPDX-License-Identifier: MIT */
/* Closing, copying and controlling descriptors, and pipes. */
#include <errno.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "unit.h"

static int setup(void **state)
{
	drive_setup_process(state);
	drive_open(*state, 100, 3, "/three", file_flags__O_CLOEXEC);
	return 0;
}

static bool is_cloexec(struct drive *drive, int64_t num)
{
	return state_fds_cloexec(drive_thread(drive, 100)->fds, num);
}

static void shows_a_descriptor_to_the_event_that_closes_it(void **state)
{
	struct drive *drive = *state;
	struct state_event *event = drive_close(drive, 100, 0, 3);

	assert_non_null(event->fd);
	assert_string_equal(event->fd->name, "/three");
	assert_true(drive_has_fd(drive, 100, 3));
	drive_any(drive, 100);
	assert_false(drive_has_fd(drive, 100, 3));
	event = drive_read(drive, 100, -EBADF, 3);
	assert_true(event->has_fd);
	assert_null(event->fd);
}

/* Where the result may be made up, nothing is closed, and a copy is looked up when it is used. */
static void doubtful_results_are_not_followed(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_close, 100);

	frame_put_i64(frame, close__res, 0);
	frame_put_i64(frame, close__fd, 3);
	frame->marks.contested = 1;
	drive_end(drive);
	drive_any(drive, 100);
	assert_true(drive_has_fd(drive, 100, 3));
	drive_open(drive, 100, 4, "/four", 0);
	frame = drive_begin(drive, EVENT_dup3, 100);
	frame_put_i64(frame, dup3__res, 4);
	frame_put_i64(frame, dup3__oldfd, 3);
	frame_put_i64(frame, dup3__newfd, 4);
	frame->marks.contested = 1;
	drive_end(drive);
	assert_false(drive_has_fd(drive, 100, 4));
	assert_true(drive_has_fd(drive, 100, 3));
}

static void closes_despite_errors(void **state)
{
	struct drive *drive = *state;

	drive_close(drive, 100, -EBADF, 3);
	drive_any(drive, 100);
	assert_true(drive_has_fd(drive, 100, 3));
	drive_close(drive, 100, -EIO, 3);
	drive_any(drive, 100);
	assert_false(drive_has_fd(drive, 100, 3));
	drive_close(drive, 100, 0, 55);
	drive_close(drive, 100, 0, -1);
	drive_close(drive, 999, 0, 3);
	drive_any(drive, 100);
}

static struct state_event *dup2_event(struct drive *drive, int64_t result, int64_t from, int64_t to)
{
	struct frame *frame = drive_begin(drive, EVENT_dup2, 100);

	frame_put_i64(frame, dup2__res, result);
	frame_put_i64(frame, dup2__oldfd, from);
	frame_put_i64(frame, dup2__newfd, to);
	return drive_end(drive);
}

static void copies(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_dup, 100);
	struct state_event *event;

	frame_put_i64(frame, dup__res, 4);
	frame_put_i64(frame, dup__oldfd, 3);
	event = drive_end(drive);
	assert_int_equal(event->fd_num, 4);
	assert_string_equal(event->fd->name, "/three");
	assert_true(is_cloexec(drive, 3));
	assert_false(is_cloexec(drive, 4));

	drive_open(drive, 100, 7, "/seven", 0);
	event = dup2_event(drive, 7, 3, 7);
	assert_int_equal(event->fd_num, 7);
	assert_string_equal(drive_name(drive, 100, 7), "/three");

	frame = drive_begin(drive, EVENT_dup3, 100);
	frame_put_i64(frame, dup3__res, 8);
	frame_put_i64(frame, dup3__oldfd, 4);
	frame_put_i64(frame, dup3__newfd, 8);
	frame_put_i64(frame, dup3__flags, file_flags__O_CLOEXEC);
	drive_end(drive);
	assert_true(is_cloexec(drive, 8));

	/* The copies outlive the first. */
	drive_close(drive, 100, 0, 3);
	drive_close(drive, 100, 0, 4);
	drive_close(drive, 100, 0, 7);
	drive_any(drive, 100);
	assert_string_equal(drive_name(drive, 100, 8), "/three");
}

static uint64_t made_instead_of(struct drive *drive, uint64_t ino)
{
	struct frame *frame = drive_begin(drive, EVENT_socket, 100);

	frame_put_i64(frame, socket__fd, 9);
	frame_put_i64(frame, socket__domain, socket_families__AF_INET);
	frame->file.ino = ino;
	return drive_end(drive)->replaced_ino;
}

static uint64_t ino_of_request(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_request, 100);

	frame_put_i64(frame, request__fd, 9);
	return state_fd_ino(drive_end(drive)->fd);
}

/* The close of what had the number may come later. What is said of it behind that event is still
 * its own. */
static void tells_what_had_the_number(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	assert_int_equal(made_instead_of(drive, 70), 0);
	assert_int_equal(made_instead_of(drive, 71), 70);
	assert_int_equal(ino_of_request(drive), 70);
	assert_int_equal(ino_of_request(drive), 70);
	drive_any(drive, 100);
	assert_int_equal(ino_of_request(drive), 71);
	/* It has another number. */
	frame = drive_begin(drive, EVENT_dup, 100);
	frame_put_i64(frame, dup__res, 10);
	frame_put_i64(frame, dup__oldfd, 9);
	drive_end(drive);
	assert_int_equal(made_instead_of(drive, 72), 0);
	assert_int_equal(ino_of_request(drive), 72);
}

static void copies_to_itself_and_from_nothing(void **state)
{
	struct drive *drive = *state;
	struct state_event *event = dup2_event(drive, 3, 3, 3);

	assert_int_equal(event->fd_num, 3);
	assert_true(is_cloexec(drive, 3));
	event = dup2_event(drive, -EBADF, 50, 3);
	assert_int_equal(event->fd_num, 50);
	assert_null(event->fd);
	assert_string_equal(drive_name(drive, 100, 3), "/three");
	/* What is at 3 now is a copy of something that no event showed. */
	event = dup2_event(drive, 3, 50, 3);
	assert_int_equal(event->fd_num, 3);
	assert_null(event->fd);
	assert_false(drive_has_fd(drive, 100, 3));
}

static void control(struct drive *drive, int64_t result, int64_t fd, int command, uint64_t arg)
{
	struct frame *frame = drive_begin(drive, EVENT_fcntl, 100);

	frame_put_i64(frame, fcntl__res, result);
	frame_put_i64(frame, fcntl__fd, fd);
	frame_put_i64(frame, fcntl__cmd, command);
	frame_put_i64(frame, fcntl__arg, (int64_t)arg);
	drive_end(drive);
}

static void controls(void **state)
{
	struct drive *drive = *state;

	control(drive, 20, 3, fcntl_commands__F_DUPFD, 20);
	assert_int_equal(drive->event.fd_num, 20); /* as of dup */
	assert_string_equal(drive_name(drive, 100, 20), "/three");
	assert_false(is_cloexec(drive, 20));
	control(drive, 21, 3, fcntl_commands__F_DUPFD_CLOEXEC, 20);
	assert_true(is_cloexec(drive, 21));
	control(drive, 0, 20, fcntl_commands__F_SETFD, 1);
	assert_int_equal(drive->event.fd_num, 20);
	assert_true(is_cloexec(drive, 20));
	control(drive, 0, 20, fcntl_commands__F_SETFD, 2);
	assert_false(is_cloexec(drive, 20));
	control(drive, -EBADF, 21, fcntl_commands__F_SETFD, 0);
	assert_true(is_cloexec(drive, 21));
	control(drive, -EMFILE, 3, fcntl_commands__F_DUPFD, 0);
	assert_int_equal(drive->event.fd_num, 3);
	control(drive, 0, 3, fcntl_commands__F_GETFD, 0);
	assert_int_equal(state_fds_count(drive_thread(drive, 100)->fds), 3);
}

static void opens_pipes(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_pipe, 100);
	struct state_event *event;

	frame_put_i64(frame, pipe__res, 0);
	frame_put_i64(frame, pipe__fd1, 4);
	frame_put_i64(frame, pipe__fd2, 5);
	frame_put_i64(frame, pipe__ino, 1234);
	event = drive_end(drive);
	assert_int_equal(event->fd_num, 5);
	assert_int_equal(event->fd->type, SCAP_FD_PIPE);
	assert_string_equal(event->fd->name, "");
	assert_int_equal(state_fd_ino(event->fd), 1234);
	assert_int_equal(state_fd_ino(state_fds_find(event->thread->fds, 4)), 1234);

	frame = drive_begin(drive, EVENT_pipe2, 100);
	frame_put_i64(frame, pipe2__res, 0);
	frame_put_i64(frame, pipe2__fd1, 6);
	frame_put_i64(frame, pipe2__fd2, 7);
	frame_put_i64(frame, pipe2__flags, file_flags__O_CLOEXEC | file_flags__O_NONBLOCK);
	drive_end(drive);
	assert_true(is_cloexec(drive, 6) && is_cloexec(drive, 7));
	assert_false(is_cloexec(drive, 4) || is_cloexec(drive, 5));

	frame = drive_begin(drive, EVENT_pipe, 100);
	frame_put_i64(frame, pipe__res, -EFAULT);
	frame_put_i64(frame, pipe__fd1, -1);
	frame_put_i64(frame, pipe__fd2, -1);
	event = drive_end(drive);
	assert_int_equal(event->fd_num, -1);
	assert_null(event->fd);
	assert_int_equal(state_fds_count(drive_thread(drive, 100)->fds), 5);
}

static void exec_closes_what_is_marked(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, 100, 4, "/four", 0);
	drive_open(drive, 100, 1000, "/thousand", file_flags__O_CLOEXEC);
	drive_exec(drive, 100, "cat");
	assert_false(drive_has_fd(drive, 100, 3));
	assert_false(drive_has_fd(drive, 100, 1000));
	assert_string_equal(drive_name(drive, 100, 4), "/four");
	assert_int_equal(state_fds_count(drive_thread(drive, 100)->fds), 1);
}

static void copes_with_absent_parameters(void **state)
{
	struct drive *drive = *state;
	static const uint16_t ids[] = {EVENT_close, EVENT_dup,	EVENT_dup2, EVENT_dup3,
				       EVENT_fcntl, EVENT_pipe, EVENT_pipe2};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		drive_begin(drive, ids[i], 100);
		drive_end(drive);
		drive_begin(drive, ids[i], 999);
		drive_end(drive);
	}
	assert_string_equal(drive_name(drive, 100, 3), "/three");
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(shows_a_descriptor_to_the_event_that_closes_it),
	TEST(doubtful_results_are_not_followed),
	TEST(closes_despite_errors),
	TEST(copies),
	TEST(tells_what_had_the_number),
	TEST(copies_to_itself_and_from_nothing),
	TEST(controls),
	TEST(opens_pipes),
	TEST(exec_closes_what_is_marked),
	TEST(copes_with_absent_parameters),
};

UNIT_GROUP(tests);
