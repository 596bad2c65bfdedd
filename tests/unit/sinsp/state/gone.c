/* SPDX-License-Identifier: MIT */
/* Sockets that nobody has any more, by the end of a process, an exec or a close_range. */
#include <string.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "sinsp/state/fds.h"
#include "unit.h"

enum { SELF = 100, CHILD = 200, MANY = 100 };

static int setup(void **state)
{
	struct drive *drive;

	drive_setup_process(state);
	drive = *state;
	state_tell_gone(drive->state);
	return 0;
}

/* Descriptor `num` is a socket whose inode is 1000 + num. */
static void make_socket(struct drive *drive, int64_t num, bool cloexec)
{
	struct frame *frame = drive_begin(drive, EVENT_socket, SELF);

	frame_put_i64(frame, socket__fd, num);
	frame_put_i64(frame, socket__domain, socket_families__AF_INET);
	frame_put_i64(frame, socket__type, 1);
	frame->file.ino = (uint64_t)(1000 + num);
	drive_end(drive);
	state_fds_set_cloexec(drive_thread(drive, SELF)->fds, num, cloexec);
}

static void copy(struct drive *drive, int64_t from, int64_t to)
{
	struct frame *frame = drive_begin(drive, EVENT_dup2, SELF);

	frame_put_i64(frame, dup2__res, to);
	frame_put_i64(frame, dup2__oldfd, from);
	frame_put_i64(frame, dup2__newfd, to);
	drive_end(drive);
}

static struct state_event *close_range_event(struct drive *drive, uint32_t first, uint32_t last,
					     uint32_t flags)
{
	struct frame *frame = drive_begin(drive, EVENT_close_range, SELF);

	frame_put_i64(frame, close_range__res, 0);
	frame_put_i64(frame, close_range__first, first);
	frame_put_i64(frame, close_range__last, last);
	frame_put_i64(frame, close_range__flags, flags);
	return drive_end(drive);
}

/* The event took so many, and these first. */
static void expect_gone(const struct state_event *event, uint32_t count, const int64_t *numbers)
{
	assert_int_equal(event->gone_count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(event->gone[i].num, numbers[i]);
		assert_int_equal(state_fd_ino(event->gone[i].fd), 1000 + numbers[i]);
	}
}

#define EXPECT_GONE(event, ...)                                                                    \
	expect_gone(event, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                     \
		    (int64_t[]){__VA_ARGS__})

static void ends_with_the_process(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, SELF, 3, "/three", 0);
	make_socket(drive, 4, false);
	make_socket(drive, 5, true);
	EXPECT_GONE(drive_exit(drive, SELF, 1), 4, 5);
	/* The event after it has none of them. */
	assert_int_equal(drive_any(drive, SELF)->gone_count, 0);
	drive_exec(drive, SELF, "again");
	assert_int_equal(drive_exit(drive, SELF, 1)->gone_count, 0);
}

static void ends_with_the_last_thread(void **state)
{
	const struct drive_clone thread = {
		.flags = clone_flags__CLONE_THREAD | clone_flags__CLONE_FILES,
		.pid = SELF,
		.ptid = 1,
		.comm = "sh",
	};
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	for (int64_t tid = SELF + 1; tid <= SELF + 2; tid++) {
		drive_clone(drive, tid, 0, &thread);
		drive_clone(drive, SELF, tid, &thread);
	}
	assert_int_equal(drive_exit(drive, SELF + 1, SELF)->gone_count, 0);
	/* The first thread stays in the table until the last one ends. */
	assert_int_equal(drive_exit(drive, SELF, SELF + 2)->gone_count, 0);
	EXPECT_GONE(drive_exit(drive, SELF + 2, 1), 4);
}

/* Who was forked has it, too, until it ends. */
static void ends_with_the_last_process(void **state)
{
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	make_socket(drive, 40, true);
	drive_fork(drive, SELF, CHILD);
	/* From here on the two have tables of their own. */
	drive_open(drive, CHILD, 3, "/three", 0);
	assert_int_equal(drive_exit(drive, SELF, 1)->gone_count, 0);
	EXPECT_GONE(drive_exit(drive, CHILD, 1), 4, 40);
}

static void table_of_two_processes_stays(void **state)
{
	struct drive_clone sharing = {
		.flags = clone_flags__CLONE_FILES, .pid = CHILD, .ptid = SELF, .comm = "sh"};
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	drive_clone(drive, CHILD, 0, &sharing);
	sharing.pid = SELF;
	sharing.ptid = 1;
	drive_clone(drive, SELF, CHILD, &sharing);
	assert_int_equal(drive_exit(drive, CHILD, SELF)->gone_count, 0);
	EXPECT_GONE(drive_exit(drive, SELF, 1), 4);
}

static void exec_closes(void **state)
{
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	make_socket(drive, 5, true);
	make_socket(drive, 6, true);
	copy(drive, 6, 7); /* the copy stays */
	EXPECT_GONE(drive_exec(drive, SELF, "other"), 5);
	assert_true(drive_has_fd(drive, SELF, 4));
	assert_false(drive_has_fd(drive, SELF, 5));
	assert_true(drive_has_fd(drive, SELF, 7));
}

static void close_range_closes(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	for (int64_t num = 4; num < 10; num++)
		make_socket(drive, num, false);
	assert_int_equal(
		close_range_event(drive, 4, 5, close_range_flags__CLOSE_RANGE_CLOEXEC)->gone_count,
		0);
	EXPECT_GONE(close_range_event(drive, 5, 7, 0), 5, 6, 7);
	/* What is said of them behind that event still has their descriptors. */
	frame = drive_begin(drive, EVENT_request, SELF);
	frame_put_i64(frame, request__fd, 6);
	assert_int_equal(state_fd_ino(drive_end(drive)->fd), 1006);
	/* It closed none itself. */
	assert_int_equal(drive->event.gone_count, 0);
	frame = drive_begin(drive, EVENT_request, SELF);
	frame_put_i64(frame, request__fd, 8);
	assert_int_equal(state_fd_ino(drive_end(drive)->fd), 1008);
	drive_any(drive, SELF);
	frame = drive_begin(drive, EVENT_request, SELF);
	frame_put_i64(frame, request__fd, 6);
	assert_null(drive_end(drive)->fd);
}

/* A socket under several numbers goes with the last of them. */
static void counts_its_numbers(void **state)
{
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	copy(drive, 4, 5);
	copy(drive, 4, 50);
	assert_int_equal(close_range_event(drive, 4, 5, 0)->gone_count, 0);
	copy(drive, 50, 51);
	assert_int_equal(drive_exit(drive, SELF, 1)->gone_count, 1);
	assert_int_equal(drive->event.gone[0].num, 51);
	assert_int_equal(state_fd_ino(drive->event.gone[0].fd), 1004);
}

/* Of more than that in one table it is not known. */
static void knows_few_with_several_numbers(void **state)
{
	struct drive *drive = *state;

	for (int64_t num = 0; num < MANY; num++) {
		make_socket(drive, 10 + num, false);
		copy(drive, 10 + num, 1000 + num);
	}
	assert_int_equal(drive_exit(drive, SELF, 1)->gone_count, 16);
}

static void has_no_room_for_more(void **state)
{
	struct drive *drive = *state;

	for (int64_t num = 0; num <= STATE_GONE_MAX; num++)
		make_socket(drive, num, false);
	assert_int_equal(close_range_event(drive, 0, UINT32_MAX, 0)->gone_count, STATE_GONE_MAX);
}

/* Others may have what was read. */
static void leaves_what_was_read(void **state)
{
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	make_socket(drive, 5, false);
	state_fds_find(drive_thread(drive, SELF)->fds, 4)->was_read = true;
	EXPECT_GONE(drive_exit(drive, SELF, 1), 5);
}

static void is_not_told_unasked(void **state)
{
	struct drive *drive = *state;

	make_socket(drive, 4, false);
	assert_int_equal(drive_exit(drive, SELF, 1)->gone_count, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(ends_with_the_process),
	TEST(ends_with_the_last_thread),
	TEST(ends_with_the_last_process),
	TEST(table_of_two_processes_stays),
	TEST(exec_closes),
	TEST(close_range_closes),
	TEST(counts_its_numbers),
	TEST(knows_few_with_several_numbers),
	TEST(has_no_room_for_more),
	TEST(leaves_what_was_read),
	cmocka_unit_test_setup_teardown(is_not_told_unasked, drive_setup_process, drive_teardown),
};

UNIT_GROUP(tests);
