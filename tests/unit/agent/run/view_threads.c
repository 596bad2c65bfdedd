/* SPDX-License-Identifier: MIT */
/* Whose calls that the kernel counted are, of processes that live, end, and execute others; and a
 * view of them. */
#include "agent/run/view_threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/run.h"
#include "agent/run/view_calls.h"
#include "agent/run/viewer.h"
#include "drive.h"
#include "printed.h"
#include "scap/live/call_rows.h"
#include "sinsp/state/thread.h"
#include "unit.h"
#include "viewed.h"

enum { PID = 100, FIRST = 7, SECOND_PROGRAM = 8, PATIENCE_S = 3 };

static struct drive drive;
static struct plan plan;
static struct run run;

static int setup(void **state)
{
	drive_create(&drive, NULL);
	drive_exec(&drive, PID, "sh");
	drive_thread(&drive, PID)->exec_id = FIRST;
	plan = (struct plan){.call_rows_by = BY_THREAD};
	run = (struct run){.plan = &plan, .state = drive.state};
	view_threads_begin(&run);
	assert_non_null(run.view_threads);
	view_threads_join(&run);
	return 0;
}

static int teardown(void **state)
{
	view_threads_end(&run);
	assert_null(run.view_threads);
	drive_destroy(&drive);
	return 0;
}

/* Shows an event before it is applied. */
static bool note(uint16_t id, int64_t tid)
{
	static struct frame frame;
	struct scap_event event;

	frame_begin(&frame, id, 1000, tid);
	event = frame_end(&frame);
	return view_threads_note(&run, &event);
}

static struct call_row_key key_of(uint32_t tid, const char *name)
{
	struct call_row_key key = {.event = EVENT_close, .tid = tid, .uid = 5, .program = 1};

	memcpy(key.name, name, strlen(name));
	return key;
}

/* Who a row of the process is of; false: that may be known later. */
static bool find(uint64_t exec_id, const char *name, bool is_last, struct state_thread *thread)
{
	const struct call_row_key key = key_of(PID, name);
	const struct call_row row = {.count = 1, .pid = PID, .exec_id = exec_id};

	return view_threads_find(run.view_threads, &key, &row, is_last, thread);
}

static void expect_found(uint64_t exec_id, const char *name, const char *exe)
{
	struct state_thread thread;

	assert_true(find(exec_id, name, false, &thread));
	assert_string_equal(thread.program->exepath, exe);
	assert_string_equal(thread.comm, name);
	assert_int_equal(thread.pid, PID);
	assert_int_equal(thread.uid, 5);
}

static void test_not_of_threads(void **state)
{
	struct run other = {.plan = &(struct plan){.call_rows_by = BY_CPU}};

	view_threads_begin(&other);
	assert_null(other.view_threads);
	view_threads_join(&other);
	view_threads_end(&other);
}

static void test_lives(void **state)
{
	expect_found(FIRST, "sh", "/bin/sh");
	/* A row has the name that its thread had. */
	expect_found(FIRST, "worker", "/bin/sh");
}

/* Each program of a process has its rows, also when they are read later. */
static void test_executes_and_ends(void **state)
{
	assert_false(note(EVENT_execve, PID));
	drive_exec(&drive, PID, "cat");
	drive_thread(&drive, PID)->exec_id = SECOND_PROGRAM;
	expect_found(FIRST, "sh", "/bin/sh");
	expect_found(SECOND_PROGRAM, "cat", "/bin/cat");
	assert_false(note(EVENT_procexit, PID));
	drive_exit(&drive, PID, 1);
	expect_found(SECOND_PROGRAM, "cat", "/bin/cat");
	/* What was counted while it ended has no program: that of its name, or the last one. */
	expect_found(0, "sh", "/bin/sh");
	expect_found(0, "another", "/bin/cat");
	view_threads_step(run.view_threads);
	expect_found(FIRST, "sh", "/bin/sh");
}

static struct scap_event event_at(struct frame *frame, uint16_t id, uint64_t ns)
{
	frame_begin(frame, id, ns, PID);
	return frame_end(frame);
}

static bool find_at(uint64_t ns, uint64_t exec_id, struct state_thread *thread)
{
	const struct call_row_key key = key_of(PID, "sh");
	const struct call_row row = {.count = 1, .pid = PID, .exec_id = exec_id, .last_ns = ns};

	return view_threads_find(run.view_threads, &key, &row, false, thread);
}

static void expect_at(uint64_t ns, uint64_t exec_id, const char *exe)
{
	struct state_thread thread;

	assert_true(find_at(ns, exec_id, &thread));
	assert_string_equal(thread.program->exepath, exe);
}

/* A process can change its exec_id, to that of what it was before as well: the time decides. */
static void test_changes_itself(void **state)
{
	const uint64_t begin = drive_thread(&drive, PID)->clone_ts_ns + 1000, end = begin + 1000;
	struct state_thread thread;
	struct scap_event event;
	struct frame frame;

	/* What comes yet may be another program of it; but not of what was counted before. */
	assert_false(find_at(begin - 5, 9, &thread));
	assert_false(find_at(begin - 2, 9, &thread));
	view_threads_settle(&run, begin - 5);
	expect_at(begin, 9, "/bin/sh");
	event = event_at(&frame, EVENT_close, begin);
	view_threads_note(&run, &event);
	expect_at(begin, 9, "/bin/sh");
	event = event_at(&frame, EVENT_execve, end);
	view_threads_note(&run, &event);
	drive_exec(&drive, PID, "cat");
	drive_thread(&drive, PID)->exec_id = SECOND_PROGRAM;
	expect_at(begin, 9, "/bin/sh");
	expect_at(begin, SECOND_PROGRAM, "/bin/sh");
	event = event_at(&frame, EVENT_procexit, end + 10);
	view_threads_note(&run, &event);
	expect_at(end + 1, 9, "/bin/cat");
	expect_at(end + 1, FIRST, "/bin/cat");
	/* It goes off its CPU after its end. */
	drive_exit(&drive, PID, 1);
	drive_exec(&drive, 200, "other");
	event = event_at(&frame, EVENT_close, end + 20);
	view_threads_note(&run, &event);
	expect_at(end + 20, 9, "/bin/cat");
}

/* What the state knows may be what a process was before an exec that was lost. */
static void test_lost_execs(void **state)
{
	const uint64_t begin = drive_thread(&drive, PID)->clone_ts_ns + 1000;
	const struct call_row_key key = key_of(PID, "sh");
	const struct call_row row = {.count = 1, .pid = PID, .exec_id = 9, .last_ns = begin};
	struct state_thread thread;

	view_threads_settle(&run, begin + 1);
	expect_at(begin, 9, "/bin/sh");
	view_threads_doubt(&run);
	assert_true(view_threads_find(run.view_threads, &key, &row, true, &thread));
	assert_string_equal(thread.program->exepath, "");
	assert_string_equal(thread.comm, "sh");
	expect_at(begin, FIRST, "/bin/sh");
	/* It left some program later, which need not be that one. */
	note(EVENT_procexit, PID);
	assert_true(view_threads_find(run.view_threads, &key, &row, true, &thread));
	assert_string_equal(thread.program->exepath, "");
}

/* While events are late, the id of a program may be that of the next one, too. */
static void test_same_id_while_events_are_late(void **state)
{
	const uint64_t begin = drive_thread(&drive, PID)->clone_ts_ns + 1000;
	struct state_thread thread;
	struct scap_event event;
	struct frame frame;

	assert_false(find_at(begin + 500, FIRST, &thread));
	event = event_at(&frame, EVENT_execve, begin);
	view_threads_note(&run, &event);
	drive_exec(&drive, PID, "cat");
	drive_thread(&drive, PID)->exec_id = FIRST;
	assert_false(find_at(begin + 700, FIRST, &thread));
	view_threads_settle(&run, begin + 600);
	expect_at(begin + 900, FIRST, "/bin/cat");
}

/* Its last thread is counted until the next event. */
static void test_ends_behind_a_thread(void **state)
{
	drive_thread(&drive, PID)->nthreads = 2;
	assert_false(note(EVENT_procexit, PID));
	drive_exit(&drive, PID, 1);
	drive_exec(&drive, 200, "other");
	expect_found(FIRST, "sh", "/bin/sh");
}

/* Of a thread with too many names: it has its last one. */
static void test_nameless(void **state)
{
	const struct call_row_key key = key_of(PID, "");
	const struct call_row row = {.count = 1, .pid = PID, .exec_id = FIRST};
	struct state_thread thread;

	assert_true(view_threads_find(run.view_threads, &key, &row, false, &thread));
	assert_string_equal(thread.comm, "sh");
}

/* After some seconds and two readings nobody asks for it any more. */
static void test_is_forgotten(void **state)
{
	struct state_thread thread;

	note(EVENT_procexit, PID);
	drive_exit(&drive, PID, 1);
	drive_exec(&drive, 200, "cat"); /* the state forgets it with the next event */
	view_threads_step(run.view_threads);
	sleep(PATIENCE_S);
	expect_found(FIRST, "sh", "/bin/sh");
	view_threads_step(run.view_threads);
	assert_false(find(FIRST, "sh", false, &thread));
	/* At last it is who the row says, of whom no more is known. */
	assert_true(find(FIRST, "sh", true, &thread));
	assert_string_equal(thread.comm, "sh");
	assert_string_equal(thread.program->exepath, "");
}

static void test_unknown(void **state)
{
	const struct call_row_key key = key_of(200, "new");
	const struct call_row row = {.count = 1, .pid = 200, .exec_id = 9};
	struct state_thread thread;

	/* Its first event may come yet. */
	assert_false(view_threads_find(run.view_threads, &key, &row, false, &thread));
	assert_false(view_threads_find(run.view_threads, &key, &row, false, &thread));
	assert_true(view_threads_find(run.view_threads, &key, &row, true, &thread));
	assert_int_equal(thread.pid, 200);
	assert_string_equal(thread.comm, "new");
	/* It may be in a container. */
	assert_false(state_thread_has_place(&thread));
}

static void test_memory(void **state)
{
	struct call_row_key key = key_of(PID, "sh");
	const struct call_row row = {
		.count = 1, .pid = PID, .exec_id = FIRST, .vm_size_kib = 40, .vm_rss_kib = 30};
	const struct call_row ended = {.count = 2, .pid = PID, .exec_id = FIRST};
	struct state_thread thread;

	key.event = EVENT_switch;
	assert_true(view_threads_find(run.view_threads, &key, &row, false, &thread));
	assert_int_equal(thread.vm_rss_kib, 30);
	assert_int_equal(drive_thread(&drive, PID)->vm_size_kib, 40);
	assert_true(view_threads_find(run.view_threads, &key, &ended, false, &thread));
	assert_int_equal(thread.vm_rss_kib, 30);
	assert_int_equal(drive_thread(&drive, PID)->vm_size_kib, 40);
}

static void test_is_over(void **state)
{
	const struct call_row_key key = key_of(PID, "sh"), ended = key_of(300, "x");
	struct call_row row = {.exec_id = FIRST};

	assert_false(view_threads_is_over(run.view_threads, &key, &row));
	assert_true(view_threads_is_over(run.view_threads, &ended, &row));
	row.exec_id = SECOND_PROGRAM;
	assert_true(view_threads_is_over(run.view_threads, &key, &row));
}

/* There is a limit, of which it is said before it is reached. */
static void test_many(void **state)
{
	struct state_thread thread;
	unsigned int kept = 0;
	bool is_full = false;

	while (!is_full && kept < 1 << 14) {
		drive_thread(&drive, PID)->exec_id = 100 + kept++;
		is_full = note(EVENT_execve, PID);
	}
	assert_int_equal(kept, 1 << 13);
	expect_found(150, "sh", "/bin/sh");
	view_threads_forget(&run);
	assert_false(find(150, "sh", false, &thread));
	assert_false(note(EVENT_close, PID));
}

/* What the kernel is said to have counted. */
static int take_calls(struct input *input, const struct live_call_taker *taker)
{
	const struct call_row_key key = key_of(PID, "sh"), other = key_of(PID, "worker"),
				  lost = {.error = ROW_LOSS_SHARE};

	assert_true(taker->take(taker->context, &key,
				&(struct call_row){.count = 3, .pid = PID, .exec_id = FIRST},
				false));
	assert_true(taker->take(taker->context, &other,
				&(struct call_row){.count = 4, .pid = PID, .exec_id = FIRST},
				false));
	assert_true(taker->take(taker->context, &lost, &(struct call_row){.count = 2}, false));
	assert_false(taker->is_over(taker->context, &key, &(struct call_row){.exec_id = FIRST}));
	return 0;
}

static int totals(struct input *input, struct input_totals *all)
{
	*all = (struct input_totals){.counted_seen = 9};
	return 0;
}

static void end_viewer(void *context)
{
	assert_int_equal(viewer_end(run.viewer, &run.line_writer, NULL), 0);
}

static void test_view(void **state)
{
	static const struct input_live_ops ops = {.take_calls = take_calls, .totals = totals};
	static struct input input = {.live = &ops};
	static struct options options;
	const struct viewer_config config = {&options, NULL, &(uint64_t){0}};
	struct printed printed;
	struct error err = {""};
	char got[512] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	options.view =
		viewed_read(VIEW("keys: [proc.name]\nvalues:\n- {name: n, aggregate: count}\n"));
	plan.counted[EVENT_close] = true;
	run.options = &options;
	run.input = &input;
	line_writer_init(&run.line_writer, ends[1]);
	assert_int_equal(viewer_create(&config, &run.viewer), 0);
	assert_int_equal(view_calls_take(&run, true, &err), 0);
	printed_call(end_viewer, NULL, &printed);
	printed_expect(printed.err, (const char *const[]){"seen 9 = counted 7", "lost 2", NULL});
	printed_finish(&printed);
	assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
	assert_non_null(strstr(got, "4  worker\n"));
	assert_non_null(strstr(got, "3  sh\n"));
	viewer_destroy(run.viewer);
	views_view_destroy(options.view);
	line_writer_finish(&run.line_writer);
	close(ends[0]);
	close(ends[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_not_of_threads, setup, teardown),
	cmocka_unit_test_setup_teardown(test_lives, setup, teardown),
	cmocka_unit_test_setup_teardown(test_executes_and_ends, setup, teardown),
	cmocka_unit_test_setup_teardown(test_changes_itself, setup, teardown),
	cmocka_unit_test_setup_teardown(test_ends_behind_a_thread, setup, teardown),
	cmocka_unit_test_setup_teardown(test_lost_execs, setup, teardown),
	cmocka_unit_test_setup_teardown(test_same_id_while_events_are_late, setup, teardown),
	cmocka_unit_test_setup_teardown(test_nameless, setup, teardown),
	cmocka_unit_test_setup_teardown(test_is_forgotten, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
	cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
	cmocka_unit_test_setup_teardown(test_is_over, setup, teardown),
	cmocka_unit_test_setup_teardown(test_many, setup, teardown),
	cmocka_unit_test_setup_teardown(test_view, setup, teardown),
};

UNIT_GROUP(tests);
