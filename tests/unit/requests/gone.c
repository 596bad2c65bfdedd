/* SPDX-License-Identifier: MIT */
/* Connections that end with their process, by an exec or a close_range. */
#include "fake_protocol.h"
#include "talked.h"
#include "unit.h"

enum { OTHER = 200 };

static int setup(void **state)
{
	struct talked *talked;

	talked_setup(state);
	talked = *state;
	state_tell_gone(talked->drive.state);
	return 0;
}

static void end_process(struct talked *talked, int64_t pid)
{
	requests_take(talked->requests, drive_exit(&talked->drive, pid, 1));
}

static void ends_with_its_process(void **state)
{
	struct talked *talked = *state;

	talked_text(talked, DIRECTION_IN, "Q name 0\n");
	end_process(talked, TALKED_TID);
	assert_line(talked, "Q name - closed");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).open, 0);
}

static void ends_by_close_range(void **state)
{
	struct talked *talked = *state;
	struct frame *frame;

	talked_text(talked, DIRECTION_IN, "Q name 0\n");
	frame = drive_begin(&talked->drive, EVENT_close_range, TALKED_TID);
	frame_put_i64(frame, close_range__res, 0);
	frame_put_i64(frame, close_range__first, TALKED_FD);
	frame_put_i64(frame, close_range__last, UINT32_MAX);
	requests_take(talked->requests, drive_end(&talked->drive));
	assert_line(talked, "Q name - closed");
}

/* What one forked has its sockets, too: they end with the last of the two. */
static void ends_with_the_last_process(void **state)
{
	struct talked *talked = *state;

	talked_text(talked, DIRECTION_IN, "Q name 0\n");
	drive_fork(&talked->drive, TALKED_TID, OTHER);
	end_process(talked, TALKED_TID);
	assert_line(talked, "none");
	end_process(talked, OTHER);
	assert_line(talked, "Q name - closed");
}

/* Another process got it as nobody saw, and read from it. */
static void stays_with_who_moved_bytes(void **state)
{
	struct talked *talked = *state;
	struct frame *frame;

	drive_exec(&talked->drive, OTHER, "other");
	frame = drive_begin(&talked->drive, EVENT_read, OTHER);
	frame_put_i64(frame, read__res, 9);
	frame_put_i64(frame, read__fd, TALKED_FD);
	frame_put_bytes(frame, read__data, "Q name 0\n", 9);
	frame->file.ino = TALKED_INO;
	talked->at[DIRECTION_IN] += 9;
	frame->stream = (struct frame_stream){.end = talked->at[DIRECTION_IN],
					      .other = talked->at[DIRECTION_OUT],
					      .is_known = true};
	requests_take(talked->requests, drive_end(&talked->drive));
	end_process(talked, TALKED_TID);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, FAKE_NUMBER).open, 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, talked_teardown)
	TEST(ends_with_its_process),
	TEST(ends_by_close_range),
	TEST(ends_with_the_last_process),
	TEST(stays_with_who_moved_bytes),
};

UNIT_GROUP(tests);
