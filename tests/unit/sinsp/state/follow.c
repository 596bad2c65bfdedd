/* SPDX-License-Identifier: MIT */
/* Which threads are followed: named processes, their threads, and what they create. */
#include "drive.h"
#include "fake_proc.h"
#include "unit.h"

/* Process 100 with the thread 101 and the child 200; a stranger. */
static const struct fake_thread at_start[] = {
	{.tid = 1, .pid = 1, .comm = "init"},
	{.tid = 100, .pid = 100, .ptid = 1, .comm = "named"},
	{.tid = 101, .pid = 100, .ptid = 1, .comm = "named"},
	{.tid = 200, .pid = 200, .ptid = 100, .comm = "child"},
	{.tid = 300, .pid = 300, .ptid = 1, .comm = "stranger"},
};

static const pid_t named[] = {100};
static struct scap_proc proc;
static struct drive drive;

/* Of the machine above, with the tables filled. */
static void begin_live(bool children, bool from_exec)
{
	const struct state_config config = {
		.proc = &proc,
		.follow = {.pids = named, .count = 1, .children = children, .from_exec = from_exec},
	};

	proc = (struct scap_proc){.threads = at_start,
				  .count = sizeof(at_start) / sizeof(at_start[0])};
	drive_create(&drive, &config);
	assert_int_equal(state_seed(drive.state, NULL, NULL), 0);
}

/* Of a capture, which knows no process yet. */
static void begin_capture(bool children)
{
	const struct state_config config = {
		.follow = {.pids = named, .count = 1, .children = children}};

	drive_create(&drive, &config);
	state_snapshot(drive.state);
}

static bool is_followed(int64_t tid)
{
	return state_is_followed(drive.state, tid);
}

static uint64_t count_followed(void)
{
	struct state_stats stats;

	state_stats(drive.state, &stats);
	return stats.followed;
}

static void test_nobody_by_default(void **state)
{
	drive_create(&drive, NULL);
	drive_exec(&drive, 100, "named");
	drive_fork(&drive, 100, 200);
	assert_false(is_followed(100) || is_followed(200));
	assert_int_equal(count_followed(), 0);
	drive_destroy(&drive);
}

static void test_named_process(void **state)
{
	begin_live(true, false);
	assert_true(is_followed(100) && is_followed(101));
	/* Children are followed from now on: this one was there before. */
	assert_false(is_followed(200) || is_followed(300) || is_followed(1));
	assert_int_equal(count_followed(), 2);
	assert_true(drive_any(&drive, 101)->thread->followed);
	assert_false(drive_any(&drive, 200)->thread->followed);
	drive_destroy(&drive);
}

static void test_parents(void **state)
{
	begin_live(true, false);
	drive_fork(&drive, 100, 400);
	assert_int_equal(state_parent_of(drive.state, 400), 100);
	assert_int_equal(state_parent_of(drive.state, 1), 0);
	assert_int_equal(state_parent_of(drive.state, 9999), 0);
	drive_destroy(&drive);
}

static void test_children_from_now_on(void **state)
{
	begin_live(true, false);
	drive_fork(&drive, 100, 400);
	assert_true(is_followed(400));
	drive_fork(&drive, 400, 401);
	assert_true(is_followed(401));
	drive_fork(&drive, 300, 500);
	assert_false(is_followed(500));
	/* Another program is the same process. */
	assert_true(drive_exec(&drive, 401, "other")->thread->followed);
	drive_destroy(&drive);
}

static void test_without_children(void **state)
{
	begin_live(false, false);
	drive_fork(&drive, 100, 400);
	assert_false(is_followed(400));
	/* A thread is no child. */
	drive_clone(
		&drive, 102, 0,
		&(struct drive_clone){.pid = 100, .ptid = 1, .flags = clone_flags__CLONE_THREAD});
	assert_true(is_followed(102));
	drive_destroy(&drive);
}

/* The parent of what CLONE_PARENT makes is not its creator, whose event may come second. */
static void test_creator_that_is_not_the_parent(void **state)
{
	const struct drive_clone child = {
		.pid = 400, .ptid = 1, .flags = clone_flags__CLONE_PARENT};
	const struct drive_clone caller = {
		.pid = 100, .ptid = 1, .flags = clone_flags__CLONE_PARENT};

	begin_live(true, false);
	drive_clone(&drive, 400, 0, &child);
	assert_false(is_followed(400));
	drive_clone(&drive, 100, 400, &caller);
	assert_true(is_followed(400));
	drive_destroy(&drive);
}

static void test_from_exec(void **state)
{
	begin_live(true, true);
	assert_false(drive_any(&drive, 100)->thread->followed);
	frame_put_i64(drive_begin(&drive, EVENT_execve, 100), execve__res, -2);
	assert_false(drive_end(&drive)->thread->followed);
	drive_exec(&drive, 300, "other");
	assert_int_equal(count_followed(), 0);
	assert_true(drive_exec(&drive, 100, "program")->thread->followed);
	drive_fork(&drive, 100, 400);
	assert_true(is_followed(400));
	drive_destroy(&drive);
}

static void test_count_until_the_end(void **state)
{
	begin_live(true, false);
	drive_fork(&drive, 100, 400);
	assert_int_equal(count_followed(), 3);
	drive_exit(&drive, 101, 0);
	drive_exit(&drive, 100, 0);
	assert_int_equal(count_followed(), 1);
	/* The last event of a thread is still one of its own. */
	assert_true(drive_exit(&drive, 400, 0)->thread->followed);
	assert_int_equal(count_followed(), 0);
	drive_destroy(&drive);
}

/* An id that is in use again is somebody else's on this machine; in a capture file that is unknown.
 */
static void test_id_in_use_again(void **state)
{
	begin_live(true, false);
	drive_exit(&drive, 101, 0);
	drive_exit(&drive, 100, 0);
	drive_fork(&drive, 300, 100);
	assert_false(is_followed(100));
	drive_destroy(&drive);
	begin_capture(true);
	drive_exec(&drive, 300, "stranger");
	drive_fork(&drive, 300, 100);
	assert_true(is_followed(100));
	assert_false(is_followed(300));
	drive_fork(&drive, 100, 400);
	assert_true(is_followed(400));
	drive_destroy(&drive);
}

/* A process of a capture that its own exec is the first to report. */
static void test_capture_without_lists(void **state)
{
	begin_capture(true);
	assert_true(drive_exec(&drive, 100, "named")->thread->followed);
	drive_destroy(&drive);
}

/* What no event reported is looked up: it goes with its parent if it began later. */
static void test_looked_up(void **state)
{
	static const struct fake_thread later[] = {
		{.tid = 100, .pid = 100, .ptid = 1, .comm = "named"},
		{.tid = 201, .pid = 201, .ptid = 100, .comm = "older"},
		{.tid = 202, .pid = 202, .ptid = 100, .comm = "new", .start_ns = UINT64_MAX},
		{.tid = 302, .pid = 302, .ptid = 300, .comm = "foreign", .start_ns = UINT64_MAX},
	};

	begin_live(true, false);
	proc.threads = later;
	proc.count = sizeof(later) / sizeof(later[0]);
	assert_false(drive_any(&drive, 201)->thread->followed);
	assert_true(drive_any(&drive, 202)->thread->followed);
	assert_false(drive_any(&drive, 302)->thread->followed);
	drive_destroy(&drive);
}

/* One that is looked up before its first event, when its creator has ended: that one's event tells.
 */
static void test_looked_up_as_an_orphan(void **state)
{
	static const struct fake_thread later[] = {
		{.tid = 400, .pid = 400, .ptid = 1, .comm = "orphan", .start_ns = UINT64_MAX},
		{.tid = 500, .pid = 500, .ptid = 1, .comm = "foreign", .start_ns = UINT64_MAX},
	};
	const struct drive_clone by_named = {.pid = 100, .ptid = 1};
	const struct drive_clone by_stranger = {.pid = 300, .ptid = 1};

	begin_live(true, false);
	proc.threads = later;
	proc.count = sizeof(later) / sizeof(later[0]);
	assert_false(drive_any(&drive, 400)->thread->followed);
	assert_false(drive_any(&drive, 500)->thread->followed);
	drive_clone(&drive, 100, 400, &by_named);
	drive_clone(&drive, 300, 500, &by_stranger);
	assert_true(is_followed(400));
	assert_false(is_followed(500));
	assert_int_equal(count_followed(), 3);
	drive_destroy(&drive);
}

/* The tables are filled again for new rules: a child whose parent is gone stays what it was. */
static void test_filled_again(void **state)
{
	static const struct fake_thread later[] = {
		{.tid = 300, .pid = 300, .ptid = 1, .comm = "stranger"},
		{.tid = 400, .pid = 400, .ptid = 1, .comm = "orphan"},
	};

	begin_live(true, false);
	drive_fork(&drive, 100, 400);
	proc.threads = later;
	proc.count = sizeof(later) / sizeof(later[0]);
	assert_int_equal(state_reseed(drive.state, NULL, NULL), 0);
	assert_true(is_followed(400));
	assert_false(is_followed(300));
	assert_int_equal(count_followed(), 3);
	drive_destroy(&drive);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nobody_by_default),
	cmocka_unit_test(test_named_process),
	cmocka_unit_test(test_parents),
	cmocka_unit_test(test_children_from_now_on),
	cmocka_unit_test(test_without_children),
	cmocka_unit_test(test_creator_that_is_not_the_parent),
	cmocka_unit_test(test_from_exec),
	cmocka_unit_test(test_count_until_the_end),
	cmocka_unit_test(test_id_in_use_again),
	cmocka_unit_test(test_capture_without_lists),
	cmocka_unit_test(test_looked_up),
	cmocka_unit_test(test_looked_up_as_an_orphan),
	cmocka_unit_test(test_filled_again),
};

UNIT_GROUP(tests);
