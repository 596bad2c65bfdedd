/* SPDX-License-Identifier: MIT */
/* Users and groups that events of a capture add and delete. */
#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void put_user(struct drive *drive, uint16_t id, uint32_t uid, const char *name,
		     const char *container)
{
	struct frame *frame = drive_begin(drive, id, -1);

	frame_put_i64(frame, useradded__uid, uid);
	frame_put_string(frame, useradded__name, name);
	frame_put_string(frame, useradded__home, "/home/x");
	frame_put_string(frame, useradded__container_id, container);
	drive_end(drive);
}

static void put_group(struct drive *drive, uint16_t id, uint32_t gid, const char *name,
		      const char *container)
{
	struct frame *frame = drive_begin(drive, id, -1);

	frame_put_i64(frame, groupadded__gid, gid);
	frame_put_string(frame, groupadded__name, name);
	frame_put_string(frame, groupadded__container_id, container);
	drive_end(drive);
}

static void knows_users_that_come_and_go(void **state)
{
	struct drive *drive = *state;
	struct state *engine = drive->state;
	struct scap_snapshot *snapshot = state_snapshot(engine);

	assert_int_equal(snapshot->ops->begin(snapshot), 0);
	put_user(drive, EVENT_useradded, 1000, "ann", "");
	assert_string_equal(state_user_name(engine, 1000), "ann");
	assert_string_equal(state_user(engine, 1000)->home, "/home/x");
	put_user(drive, EVENT_useradded, 1000, "bob", "");
	put_user(drive, EVENT_useradded, 1000, "eve", "0123456789ab");
	assert_string_equal(state_user_name(engine, 1000), "bob");
	put_user(drive, EVENT_userdeleted, 1000, "eve", "0123456789ab");
	assert_string_equal(state_user_name(engine, 1000), "bob");
	put_user(drive, EVENT_userdeleted, 1000, "bob", "");
	assert_null(state_user_name(engine, 1000));
	put_group(drive, EVENT_groupadded, 1000, "staff", "");
	assert_string_equal(state_group_name(engine, 1000), "staff");
	assert_null(state_user_name(engine, 1000));
	put_group(drive, EVENT_groupdeleted, 1000, "staff", "");
	assert_null(state_group_name(engine, 1000));
	/* It must be known whose it is. */
	drive_begin(drive, EVENT_useradded, -1);
	drive_end(drive);
	assert_null(state_user_name(engine, 0));
}

/* A thread in a container, and an event of its. */
static struct state_event enter_container(struct drive *drive)
{
	static const char groups[] = "memory=/docker/" ID;
	struct state_thread *thread = state_thread_add(drive->state, 100, 100);

	assert_non_null(thread);
	state_thread_set_cgroups(&drive->state->containers, thread, groups, sizeof(groups));
	return (struct state_event){.state = drive->state, .thread = thread};
}

static void knows_users_of_containers(void **state)
{
	struct drive *drive = *state;
	struct state *engine = drive->state;
	struct scap_snapshot *snapshot = state_snapshot(engine);
	struct state_event event;

	assert_int_equal(snapshot->ops->begin(snapshot), 0);
	put_user(drive, EVENT_useradded, 1000, "ann", "");
	/* Before the container has a process nobody can ask for its users. */
	put_user(drive, EVENT_useradded, 1000, "early", "0123456789ab");
	event = enter_container(drive);
	assert_string_equal(state_event_user_name(&event, 1000), "ann");
	put_user(drive, EVENT_useradded, 1000, "eve", "0123456789ab");
	put_group(drive, EVENT_groupadded, 1000, "staff", ID);
	put_user(drive, EVENT_useradded, 1001, "other", "0123456789ac");
	put_user(drive, EVENT_useradded, 1001, "other", "0123456789abc");
	assert_string_equal(state_event_user_name(&event, 1000), "eve");
	assert_string_equal(state_event_user(&event, 1000)->home, "/home/x");
	assert_string_equal(state_event_group_name(&event, 1000), "staff");
	assert_null(state_event_user_name(&event, 1001));
	/* Those of the host are others. */
	assert_string_equal(state_user_name(engine, 1000), "ann");
	assert_null(state_group_name(engine, 1000));
	event.thread = NULL;
	assert_string_equal(state_event_user_name(&event, 1000), "ann");
	event.thread = state_thread_get(engine, 100);
	put_user(drive, EVENT_userdeleted, 1000, "eve", ID);
	put_group(drive, EVENT_groupdeleted, 1000, "staff", ID);
	assert_null(state_event_user_name(&event, 1000));
	assert_null(state_event_group_name(&event, 1000));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup, drive_teardown)
	TEST(knows_users_that_come_and_go),
	TEST(knows_users_of_containers),
};

UNIT_GROUP(tests);
