/* SPDX-License-Identifier: MIT */
/* Processes that have ended, for events of their sockets. */
#include "sinsp/state/threads.h"

#include <string.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/former.h"
#include "unit.h"

enum { SELF = 100, BRIEF = 200 };

static void end_process(struct drive *world, int64_t pid)
{
	drive_begin(world, EVENT_procexit, pid);
	drive_end(world);
}

/* What closes a socket of the process. */
static const struct state_thread *close_socket(struct drive *world, int64_t pid)
{
	drive_begin(world, EVENT_tcp_close, pid);
	return drive_end(world)->thread;
}

static void test_kept(void **state)
{
	struct drive *world = *state;
	const struct state_thread *thread;

	state_keep_ended(world->state);
	drive_exec(world, BRIEF, "brief");
	end_process(world, BRIEF);
	thread = close_socket(world, BRIEF);
	assert_non_null(thread);
	assert_int_equal(thread->pid, BRIEF);
	assert_string_equal(thread->comm, "brief");
	/* Again, and not as one that lives. */
	assert_ptr_equal(close_socket(world, BRIEF), thread);
	assert_null(state_thread_find(world->state, BRIEF));
	/* Calls are of whoever has that id now. */
	drive_begin(world, EVENT_close, BRIEF);
	assert_ptr_not_equal(drive_end(world)->thread, thread);
}

static void test_not_asked_for(void **state)
{
	drive_exec(*state, BRIEF, "brief");
	end_process(*state, BRIEF);
	assert_null(close_socket(*state, BRIEF));
}

/* The last one with an id of that remainder; none when there is no room. */
static void test_bounds(void **state)
{
	struct drive *world = *state;
	struct state *of = world->state;
	struct state_thread_entry first, other;

	drive_exec(world, SELF, "sh");
	first = *state_threads_find(&of->threads, SELF);
	state_keep_ended(of);
	state_keep_ended(of);
	other = first;
	other.thread.pid = other.thread.tid = SELF + ENDED_MAX;
	state_ended_keep(of, &first);
	assert_non_null(state_ended_find(of, SELF));
	state_ended_keep(of, &other);
	assert_null(state_ended_find(of, SELF));
	assert_int_equal(state_ended_find(of, SELF + ENDED_MAX)->pid, SELF + ENDED_MAX);
	assert_null(state_ended_find(of, -1));
	/* Of a thread that is not known, and of others than the first, there is nothing to keep. */
	state_ended_clear(of);
	first.unknown = true;
	state_ended_keep(of, &first);
	first.unknown = false;
	first.thread.tid++;
	state_ended_keep(of, &first);
	first.thread.tid--;
	assert_null(state_ended_find(of, SELF));
	state_ended_keep(of, &other);
	state_ended_clear(of);
	assert_null(state_ended_find(of, SELF + ENDED_MAX));
	state_ended_keep(of, &first);
	state_ended_finish(of);
	state_ended_keep(of, &first);
	assert_null(state_ended_find(of, SELF));
	state_ended_begin(of);
	state_ended_keep(of, &first);
	assert_non_null(state_ended_find(of, SELF));
}

/* Copies that others keep are what the thread was, whatever becomes of it. */
static void test_copies(void **state)
{
	struct drive *world = *state;
	struct state_thread *copy, *nobody = state_former_create_unknown(world->state);

	drive_exec(world, BRIEF, "brief");
	state_former_note_memory(world->state, BRIEF, 900, 70);
	state_former_note_memory(world->state, BRIEF + 1, 1, 1);
	copy = state_former_create(world->state, state_thread_find(world->state, BRIEF));
	drive_exec(world, BRIEF, "other");
	end_process(world, BRIEF);
	assert_string_equal(copy->comm, "brief");
	assert_int_equal(copy->pid, BRIEF);
	assert_int_equal(copy->vm_size_kib, 900);
	assert_int_equal(copy->vm_rss_kib, 70);
	assert_int_equal(nobody->tid, -1);
	assert_string_equal(nobody->program->exe, "");
	state_former_release(world->state, copy);
	state_former_release(world->state, nobody);
	state_former_release(world->state, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_kept, drive_setup, drive_teardown),
	cmocka_unit_test_setup_teardown(test_not_asked_for, drive_setup, drive_teardown),
	cmocka_unit_test_setup_teardown(test_bounds, drive_setup, drive_teardown),
	cmocka_unit_test_setup_teardown(test_copies, drive_setup, drive_teardown),
};

UNIT_GROUP(tests);
