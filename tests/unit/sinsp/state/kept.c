/* SPDX-License-Identifier: MIT */
/* What was known of a process stays, whatever the tables have then. */
#include "sinsp/state/kept.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sinsp/state/core.h"
#include "sinsp/state/engine.h"
#include "unit.h"

static struct scap_proc *proc;
static struct state *engine;

static int setup(void **state)
{
	const struct state_config config = {.lacks = STATE_DESCRIPTORS};
	struct state_config own = config;
	struct error err = {""};

	if (scap_proc_open("/proc", &proc, &err))
		return -1;
	own.proc = proc;
	return state_create(&own, &engine, &err);
}

static int teardown(void **state)
{
	state_destroy(engine);
	scap_proc_close(proc);
	return 0;
}

static void keeps_a_process(void **state)
{
	struct state_kept kept = {0};
	struct state_thread thread;

	assert_int_equal(state_keep_process(engine, getpid(), false, &kept), 0);
	assert_int_equal(kept.thread.pid, getpid());
	assert_int_equal(kept.thread.ptid, getppid());
	assert_string_not_equal(kept.thread.program->exepath, "");
	/* Its ancestors are there, too. */
	assert_non_null(state_thread_find(engine, getppid()));
	/* The tables forget it. */
	state_threads_clear(&engine->threads);
	assert_string_not_equal(kept.thread.program->exepath, "");
	assert_string_not_equal(kept.thread.fs->cwd, "");
	thread = state_kept_thread(&kept, 4711, "a name that is too long");
	assert_int_equal(thread.tid, 4711);
	assert_int_equal(thread.pid, getpid());
	assert_string_equal(thread.comm, "a name that is ");
	assert_ptr_equal(thread.program, kept.thread.program);
	state_kept_finish(engine, &kept);
	state_kept_finish(engine, &kept);
}

static void keeps_what_is_left(void **state)
{
	struct state_kept kept = {0};
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(state_keep_process(engine, pid, false, &kept), -ESRCH);
	assert_int_equal(state_keep_unread(engine, pid, "gone", 77, &kept), 0);
	assert_int_equal(kept.thread.tid, pid);
	assert_int_equal(kept.thread.uid, 77);
	assert_string_equal(kept.thread.comm, "gone");
	assert_string_equal(kept.thread.program->exepath, "");
	assert_null(state_thread_find(engine, pid));
	state_kept_finish(engine, &kept);
}

/* Another process that had or gets the id of the parent is not taken for it. */
static void keeps_ancestors(void **state)
{
	struct state_kept kept = {0};
	struct state_thread *stale = state_thread_add(engine, getppid(), getppid());
	char name[16];

	assert_non_null(stale);
	strcpy(stale->comm, "stale");
	assert_int_equal(state_keep_process(engine, getpid(), true, &kept), 0);
	assert_true(kept.ancestors_count > 0);
	assert_int_equal(kept.ancestors[0].pid, getppid());
	assert_string_not_equal(kept.ancestors[0].comm, "stale");
	assert_string_not_equal(state_thread_find(engine, getppid())->comm, "stale");
	memcpy(name, kept.ancestors[0].comm, sizeof(name));
	stale = state_thread_add(engine, getppid(), getppid());
	assert_non_null(stale);
	strcpy(stale->comm, "later");
	state_kept_restore(engine, &kept);
	assert_string_equal(state_thread_find(engine, getppid())->comm, name);
	assert_int_equal(state_thread_find(engine, getppid())->ptid, kept.ancestors[0].ptid);
	state_kept_restore(engine, &kept);
	state_kept_finish(engine, &kept);
	assert_null(kept.ancestors);
	/* The tables have their own. */
	assert_string_equal(state_thread_find(engine, getppid())->comm, name);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(keeps_ancestors, setup, teardown),
	cmocka_unit_test_setup_teardown(keeps_a_process, setup, teardown),
	cmocka_unit_test_setup_teardown(keeps_what_is_left, setup, teardown),
};

UNIT_GROUP(tests);
