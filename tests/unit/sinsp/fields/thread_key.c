/* SPDX-License-Identifier: MIT */
/* Numbers of threads: the same until something that fields depend on changes. */
#include "sinsp/fields/thread_text.h"
#include "sinsp/state/program.h"
#include "unit.h"
#include "world.h"

enum { PID = 300 };

static uint64_t read_event(struct drive *world, struct thread_revisions *revisions, int64_t tid)
{
	world_begin(world, EVENT_read, tid);
	frame_put_i64(&world->frame, read__res, 0);
	world_end(world);
	return thread_revision(revisions, &world->event);
}

static void test_changes(void **state)
{
	struct drive *world = *state;
	struct thread_revisions revisions = {0};
	struct state_thread *thread;
	uint64_t first, next;

	world_process(world, &(struct world_process){.pid = PID, .comm = "first"});
	first = read_event(world, &revisions, PID);
	assert_int_not_equal(first, 0);
	assert_int_equal(read_event(world, &revisions, PID), first);
	thread = world_self(world);
	state_set_comm(thread, "second");
	next = read_event(world, &revisions, PID);
	assert_int_not_equal(next, first);
	thread->uid++;
	assert_int_not_equal(read_event(world, &revisions, PID), next);
	thread->uid--;
	assert_int_not_equal(read_event(world, &revisions, PID),
			     next); /* numbers are not used again */
	next = read_event(world, &revisions, PID);
	state_threads_set_parent(&world->state->threads, thread, PID + 1);
	assert_int_not_equal(read_event(world, &revisions, PID), next);
	next = read_event(world, &revisions, PID);
	thread->pid++;
	assert_int_not_equal(read_event(world, &revisions, PID), next);
	thread->pid--;
	next = read_event(world, &revisions, PID);
	world_process(world, &(struct world_process){.pid = PID, .comm = "second"});
	assert_int_not_equal(read_event(world, &revisions, PID), next);
	thread_revisions_finish(&revisions);
}

/* Threads that share a slot do not share a number. */
static void test_slot(void **state)
{
	struct drive *world = *state;
	struct thread_revisions revisions = {0};
	uint64_t first;

	world_process(world, &(struct world_process){.pid = PID, .comm = "x"});
	world_process(world,
		      &(struct world_process){.pid = PID + THREAD_REVISIONS_SLOTS, .comm = "x"});
	first = read_event(world, &revisions, PID);
	assert_int_not_equal(read_event(world, &revisions, PID + THREAD_REVISIONS_SLOTS), first);
	world->event.thread = NULL;
	assert_int_equal(thread_revision(&revisions, &world->event), 0);
	thread_revisions_finish(&revisions);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, world_setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_changes),
	TEST(test_slot),
};

UNIT_GROUP(tests);
