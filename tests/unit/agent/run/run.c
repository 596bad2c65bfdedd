/* SPDX-License-Identifier: MIT */
/* The parts of a run: in which order they are made, and what is said if one cannot be. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/child.h"
#include "agent/run/record.h"
#include "agent/run/run.h"
#include "sinsp/sinsp.h"

#include "etc_files.h"
#include "fake_live.h"
#include "unit.h"

static struct options options;
static struct run run;
static struct error err;

static int plan(struct options of)
{
	options = of;
	err = (struct error){""};
	return run_plan(&run, &options, NULL, &err);
}

static int open_run(struct options of)
{
	if (plan(of))
		fail_msg("%s", err.text);
	return run_open(&run, NULL, &err);
}

static int teardown(void **state)
{
	static const struct run nothing;

	run_finish(&run);
	assert_memory_equal(&run, &nothing, sizeof(run));
	return 0;
}

/* Without privileges, and before anything is opened. */
static void test_plan(void **state)
{
	assert_int_equal(plan((struct options){.filter = "evt.type=close"}), 0);
	assert_non_null(run.plan->filter);
	assert_non_null(run.printer.formatter);
	assert_null(run.input);
	assert_int_equal(run.line_writer.fd, STDOUT_FILENO);
	run_finish(&run);
	assert_int_equal(plan((struct options){.filter = "evt.type=nosuch"}), -EINVAL);
	assert_non_null(strstr(err.text, "nosuch"));
	assert_null(run.plan);
}

static void test_file(void **state)
{
	struct state_stats stats;

	assert_int_equal(open_run((struct options){.read = CAPTURES "/current.scap"}), 0);
	state_stats(run.state, &stats);
	assert_true(stats.threads > 0);
	assert_null(run.summary);
	assert_int_equal(
		record_open(&run.recorder, &options, &run.plan->selection, run.state, &err), 0);
	assert_false(run.recorder.is_recording);
	run_finish(&run);
	assert_int_equal(
		open_run((struct options){.read = CAPTURES "/current.scap", .summary = true}), 0);
	assert_non_null(run.summary);
	run_finish(&run);
	assert_int_equal(open_run((struct options){.read = "/nonexistent/a.scap"}), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/a.scap"));
}

/* A process of a file need not exist here. */
static void test_process_of_a_file(void **state)
{
	pid_t none = INT32_MAX;

	assert_int_equal(open_run((struct options){.read = CAPTURES "/current.scap",
						   .pids = &none,
						   .pids_count = 1,
						   .follow = true}),
			 0);
	assert_int_equal(run.processes.follow.count, 1);
	assert_true(run.processes.follow.children);
	assert_false(run.processes.follow.from_exec);
	assert_int_equal(run.processes.follow.pids[0], none);
}

static pid_t make_dead_process(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Found before the programs are loaded, which takes a while. */
static void test_no_such_process(void **state)
{
	pid_t pids[] = {getpid(), make_dead_process()};
	char expected[64];

	fake_live_offer(NULL);
	snprintf(expected, sizeof(expected), "--pid %d: there is no such process", (int)pids[1]);
	assert_int_equal(open_run((struct options){.pids = pids, .pids_count = 2}), -ESRCH);
	assert_string_equal(err.text, expected);
	assert_null(run.input);
	run_finish(&run);
	/* With processes that exist the capture is opened. */
	assert_int_equal(open_run((struct options){.pids = pids, .pids_count = 1}), -EPERM);
}

static void test_process(void **state)
{
	static struct scap_live live;
	pid_t self = getpid();

	fake_live_init(&live);
	fake_live_offer(&live);
	if (open_run((struct options){.pids = &self, .pids_count = 1}))
		fail_msg("%s", err.text);
	assert_true(state_is_followed(run.state, self));
	assert_false(run.processes.follow.children);
}

struct thread {
	pthread_barrier_t begun, done;
	pid_t tid;
};

static void *run_thread(void *context)
{
	struct thread *thread = context;

	thread->tid = gettid();
	pthread_barrier_wait(&thread->begun);
	pthread_barrier_wait(&thread->done);
	return NULL;
}

/* A thread exists, but is no process. */
static void test_thread(void **state)
{
	static struct scap_live live;
	struct thread thread;
	pthread_t id;
	int code;

	pthread_barrier_init(&thread.begun, NULL, 2);
	pthread_barrier_init(&thread.done, NULL, 2);
	assert_int_equal(pthread_create(&id, NULL, run_thread, &thread), 0);
	pthread_barrier_wait(&thread.begun);
	fake_live_init(&live);
	fake_live_offer(&live);
	code = open_run((struct options){.pids = &thread.tid, .pids_count = 1});
	pthread_barrier_wait(&thread.done);
	pthread_join(id, NULL);
	assert_int_equal(code, -ESRCH);
	assert_non_null(strstr(err.text, "there is no such process"));
}

/* A started command is followed from its exec on, whatever processes the options name. */
static void test_child(void **state)
{
	static struct scap_live live;
	struct child child = {.pid = getpid()};

	fake_live_init(&live);
	fake_live_offer(&live);
	assert_int_equal(plan((struct options){.follow = true}), 0);
	assert_int_equal(run_open(&run, &child, &err), 0);
	assert_ptr_equal(run.processes.child, &child);
	assert_int_equal(run.processes.follow.count, 1);
	assert_int_equal(run.processes.follow.pids[0], child.pid);
	assert_true(run.processes.follow.from_exec && run.processes.follow.children);
}

static void test_recording(void **state)
{
	struct etc_files folder;
	char path[ETC_FILES_PATH_BYTES];

	etc_create(&folder);
	etc_path(&folder, "a.scap", path);
	assert_int_equal(open_run((struct options){.read = CAPTURES "/current.scap",
						   .write = path,
						   .format = &format_none}),
			 0);
	if (record_open(&run.recorder, &options, &run.plan->selection, run.state, &err))
		fail_msg("%s", err.text);
	assert_true(run.recorder.is_recording);
	assert_non_null(run.recorder.recording);
	assert_int_equal(access(path, R_OK), 0);
	run_finish(&run);
	etc_remove(&folder, "a.scap");
	etc_destroy(&folder);
	assert_int_equal(open_run((struct options){.read = CAPTURES "/current.scap",
						   .write = "/nonexistent/a.scap",
						   .format = &format_none}),
			 0);
	assert_int_equal(
		record_open(&run.recorder, &options, &run.plan->selection, run.state, &err),
		-ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/a.scap"));
	assert_false(run.recorder.is_recording);
}

static void test_printed(void **state)
{
	const struct run counted = {.counts.formatted = 7, .line_writer = {.lines_lost = 2}};

	assert_int_equal(run_printed(&counted), 5);
}

#define RUN_TEST(test) cmocka_unit_test_teardown(test, teardown)

static const struct CMUnitTest tests[] = {
	RUN_TEST(test_plan),
	RUN_TEST(test_file),
	RUN_TEST(test_process_of_a_file),
	RUN_TEST(test_no_such_process),
	RUN_TEST(test_process),
	RUN_TEST(test_thread),
	RUN_TEST(test_child),
	RUN_TEST(test_recording),
	cmocka_unit_test(test_printed),
};

UNIT_GROUP(tests);
