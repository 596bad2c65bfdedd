/* SPDX-License-Identifier: MIT */
/* proc.exec_id: the same for the same program, another one for each other. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "unit.h"
#include "world.h"

static void read_exec_id(struct drive *world, char id[64])
{
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	assert_int_equal(field_ref_init(&ref, "proc.exec_id", 12, NULL), 0);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	memset(id, 0, 64);
	memcpy(id, value.bytes.data, value.bytes.len);
	free(scratch);
}

/* Through the state engine, which adds up. */
static void process(struct drive *world)
{
	struct scap_event raw = frame_end(&world->frame);

	assert_int_equal(state_process(world->state, &raw, &world->event), 0);
}

/* A child that runs the program of its parent, and a program that takes the place of another. */
static void clone_and_exec(struct drive *world, char ids[4][64])
{
	frame_begin(&world->frame, EVENT_clone, 1000, 100);
	frame_put_i64(&world->frame, clone__res, 300);
	frame_put_i64(&world->frame, clone__pid, 100);
	frame_put_i64(&world->frame, clone__exec_id, 77);
	process(world);
	read_exec_id(world, ids[0]);
	frame_begin(&world->frame, EVENT_clone, 1001, 300);
	frame_put_i64(&world->frame, clone__res, 0);
	frame_put_i64(&world->frame, clone__pid, 300);
	frame_put_i64(&world->frame, clone__ptid, 100);
	frame_put_i64(&world->frame, clone__exec_id, 88);
	process(world);
	read_exec_id(world, ids[1]);
	frame_begin(&world->frame, EVENT_execve, 1002, 300);
	frame_put_i64(&world->frame, execve__res, 0);
	frame_put_i64(&world->frame, execve__pid, 300);
	frame_put_i64(&world->frame, execve__exec_id, 99);
	process(world);
	read_exec_id(world, ids[2]);
	/* One that fails leaves the program as it is. */
	frame_begin(&world->frame, EVENT_execveat, 1003, 300);
	frame_put_i64(&world->frame, execveat__res, -2);
	frame_put_i64(&world->frame, execveat__pid, 300);
	frame_put_i64(&world->frame, execveat__exec_id, 99);
	process(world);
	read_exec_id(world, ids[3]);
}

static void test_exec_ids(void **state)
{
	struct state_config other_boot = {.etc = "/nonexistent", .boot_id = "2"};
	struct drive *world = *state, *again = calloc(1, sizeof(*again));
	char ids[4][64], ids_again[4][64];

	world_expect_none(world, "proc.exec_id");
	clone_and_exec(world, ids);
	assert_int_equal(strlen(ids[0]), 16);
	assert_string_not_equal(ids[0], ids[1]);
	assert_string_not_equal(ids[1], ids[2]);
	assert_string_equal(ids[2], ids[3]);
	/* A thread has that of its process. */
	world_thread(world, state_thread_find(world->state, 300), 301);
	frame_begin(&world->frame, EVENT_getuid, 1004, 301);
	process(world);
	world_expect(world, "proc.exec_id", ids[2]);
	/* Who sees the same on another day sees the same, but for another boot. */
	world_teardown((void **)&world);
	world_setup((void **)&world);
	clone_and_exec(world, ids_again);
	assert_memory_equal(ids, ids_again, sizeof(ids));
	*state = world;
	assert_int_equal(state_create(&other_boot, &again->state, NULL), 0);
	clone_and_exec(again, ids_again);
	for (int i = 0; i < 4; i++)
		assert_string_not_equal(ids[i], ids_again[i]);
	drive_destroy(again);
	free(again);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_exec_ids, world_setup, world_teardown),
};

UNIT_GROUP(tests);
