/* SPDX-License-Identifier: MIT */
/* Containers that events of a capture describe, before and after their threads are seen. */
#include "contained.h"
#include "unit.h"

static int setup(void **state)
{
	world_setup(state);
	world_read(*state, 0);
	return 0;
}

static void put_old(struct drive *world, const char *json)
{
	struct frame *frame = drive_begin(world, EVENT_container, -1);

	frame_put_string(frame, container__json, json);
	drive_end(world);
}

static void put_async(struct drive *world, const char *name, const char *data, size_t len)
{
	struct frame *frame = drive_begin(world, EVENT_asyncevent, 0);

	frame_put_i64(frame, asyncevent__plugin_id, 0);
	frame_put_string(frame, asyncevent__name, name);
	frame_put_bytes(frame, asyncevent__data, data, len);
	drive_end(world);
}

#define PUT_ASYNC(world, name, json) put_async(world, name, json, sizeof(json))
#define JSON(id, name) "{\"container\":{\"id\":\"" id "\",\"name\":\"" name "\"}}"

/* Moves process 100, whose event it is then. */
static void set_group(struct drive *world, const char *path)
{
	world_read(world, 0);
	contained_set_group(world, path);
}

/* The name of its container. */
static void expect_name(struct drive *world, const char *name)
{
	world_read(world, 0);
	world_expect(world, "container.name", name);
}

static void test_after_the_thread(void **state)
{
	struct drive *world = *state;

	set_group(world, "/docker/" CONTAINER_ID);
	world_expect(world, "meta.state", "missing");
	put_old(world, JSON("0123456789ab", "old"));
	expect_name(world, "old");
	world_expect(world, "meta.state", "ok");
	PUT_ASYNC(world, "container", JSON(CONTAINER_ID, "web"));
	expect_name(world, "web");
	/* Without the NUL at the end, and with more behind it. */
	put_async(world, "container", JSON(CONTAINER_ID, "bare"),
		  sizeof(JSON(CONTAINER_ID, "bare")) - 1);
	expect_name(world, "bare");
	PUT_ASYNC(world, "container", JSON(CONTAINER_ID, "first") "\0{");
	expect_name(world, "first");
	/* Not about containers, or about another one. */
	PUT_ASYNC(world, "other", JSON(CONTAINER_ID, "no"));
	PUT_ASYNC(world, "container", JSON("ffffffffffff", "no"));
	expect_name(world, "first");
}

static void test_before_the_thread(void **state)
{
	struct drive *world = *state;

	PUT_ASYNC(world, "container", JSON(CONTAINER_ID, "web"));
	put_old(world, JSON("fedcba987654", "gone"));
	PUT_ASYNC(world, "container_removed", JSON("fedcba987654", ""));
	set_group(world, "/docker/" CONTAINER_ID);
	expect_name(world, "web");
	set_group(world, "/docker/" SANDBOX_ID);
	world_expect_none(world, "container.name");
}

static void test_removed(void **state)
{
	struct drive *world = *state;

	world->state->containers.keeps_unused = true;
	set_group(world, "/docker/" CONTAINER_ID);
	PUT_ASYNC(world, "container", JSON(CONTAINER_ID, "web"));
	PUT_ASYNC(world, "container_removed", JSON(CONTAINER_ID, ""));
	/* Events of its last processes may follow. */
	expect_name(world, "web");
	set_group(world, "/");
	set_group(world, "/docker/" CONTAINER_ID);
	world_expect_none(world, "container.name");
}

static void test_corrupt(void **state)
{
	struct drive *world = *state;
	struct state_stats stats;

	set_group(world, "/docker/" CONTAINER_ID);
	put_old(world, "{");
	drive_begin(world, EVENT_container, -1);
	drive_end(world);
	drive_begin(world, EVENT_asyncevent, -1);
	drive_end(world);
	put_async(world, "container", NULL, 0);
	PUT_ASYNC(world, "container", "[]");
	PUT_ASYNC(world, "container_removed", "}");
	PUT_ASYNC(world, "container",
		  "{\"container\":{\"id\":\"0123456789ab\",\"name\":\"web\",\"image\":5}}");
	expect_name(world, "web");
	state_stats(world->state, &stats);
	assert_int_equal(stats.descriptions_corrupt, 5);
	assert_int_equal(stats.descriptions_ignored, 1);
	assert_int_equal(stats.corrupt, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)
	TEST(test_after_the_thread),
	TEST(test_before_the_thread),
	TEST(test_removed),
	TEST(test_corrupt),
};

UNIT_GROUP(tests);
