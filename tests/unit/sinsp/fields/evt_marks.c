/* SPDX-License-Identifier: MIT */
/* evt.marks and its like: what of an event cannot be stated as fact. */
#include "unit.h"
#include "world.h"

static void make_rename(struct drive *world, struct frame_marks marks)
{
	world_begin(world, EVENT_rename, 100);
	frame_put_i64(&world->frame, rename__res, 0);
	frame_put_string(&world->frame, rename__oldpath, "/a");
	frame_put_string(&world->frame, rename__newpath, "/b");
	world->frame.marks = marks;
	world_end(world);
}

static void test_no_mark(void **state)
{
	struct drive *world = *state;

	make_rename(world, (struct frame_marks){0});
	world_expect_none(world, "evt.marks");
	world_expect(world, "evt.is_faked", "false");
	world_expect(world, "evt.is_contested", "false");
	world_expect(world, "evt.is_truncated", "false");
	world_expect(world, "evt.res", "SUCCESS");
}

static void test_marked_parameters(void **state)
{
	struct drive *world = *state;

	make_rename(world,
		    (struct frame_marks){.truncated = 1 << rename__newpath,
					 .contested = 1 << rename__oldpath | 1 << rename__newpath});
	world_expect(world, "evt.marks", "(contested oldpath,contested newpath,truncated newpath)");
	world_expect_json(world, "evt.marks",
			  "{\"evt.marks\":[\"contested oldpath\",\"contested newpath\","
			  "\"truncated newpath\"]}");
	world_expect(world, "evt.is_contested", "true");
	world_expect(world, "evt.is_truncated", "true");
	world_expect(world, "evt.is_faked", "false");
}

static void test_unknown_answer(void **state)
{
	struct drive *world = *state;

	make_rename(world, (struct frame_marks){.truncated = 1 << rename__newpath});
	assert_false(state_event_note_answer(&world->event, true));
	world_expect(world, "evt.marks", "(truncated newpath,filter_unknown)");
	assert_true(state_event_note_answer(&world->event, false));
	world_expect(world, "evt.marks", "(truncated newpath)");
	assert_true(world->event.was_unknown);
}

/* Bits of parameters that the event does not have say nothing. */
static void test_bits_without_parameter(void **state)
{
	struct drive *world = *state;

	make_rename(world, (struct frame_marks){.truncated = UINT64_C(1) << 63});
	world_expect_none(world, "evt.marks");
}

static void test_calls_that_never_ran_have_no_result(void **state)
{
	struct drive *world = *state;

	make_rename(world, (struct frame_marks){.is_faked = 1});
	world_expect(world, "evt.marks", "(faked)");
	world_expect(world, "evt.is_faked", "true");
	world_expect_none(world, "evt.res");
	world_expect_none(world, "evt.rawres");
	world_expect_none(world, "evt.failed");
	world_expect_json(world, "evt.rawarg.res", "{\"evt.rawarg.res\":null}");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_no_mark, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_marked_parameters, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_unknown_answer, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_bits_without_parameter, world_setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_calls_that_never_ran_have_no_result, world_setup,
					world_teardown),
};

UNIT_GROUP(tests);
