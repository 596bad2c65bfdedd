/* SPDX-License-Identifier: MIT */
/* Which control groups the input is told that the filter rejects. */
#include "agent/run/mutes.h"

#include <errno.h>
#include <string.h>

#include "drive.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_ID "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

enum { TOLD_MAX = 8, SECOND_NS = 1000000000 };

static struct told {
	char text[200];
	bool rejected;
} told[TOLD_MAX];
static unsigned int told_count, forgotten, room;

static int reject(struct input *input, const char *text, size_t len, bool rejected)
{
	assert_true(len && text[len - 1] == '\0' && told_count < TOLD_MAX);
	strcpy(told[told_count].text, text);
	told[told_count++].rejected = rejected;
	return told_count > room ? -E2BIG : 0;
}

static void forget(struct input *input)
{
	forgotten++;
}

static const struct input_live_ops live_ops = {.reject_groups = reject, .accept_groups = forget};
static struct input input = {.live = &live_ops};
static struct drive drive;
static struct plan plan;
static struct mute_groups groups;

static void set_filter(const char *filter)
{
	filter_destroy(plan.filter);
	assert_int_equal(filter_create(filter, NULL, &plan.filter, NULL), 0);
}

static int setup(void **state)
{
	drive_create(&drive, NULL);
	plan = (struct plan){.rejects_groups = true};
	set_filter("evt.type=openat and container.full_id=" ID);
	groups = (struct mute_groups){0};
	room = TOLD_MAX;
	/* What there is at the beginning. */
	told_count = 0;
	mute_groups_step(&groups, &input, &plan, drive.state, 0);
	told_count = forgotten = 0;
	return 0;
}

static int teardown(void **state)
{
	filter_destroy(plan.filter);
	plan.filter = NULL;
	drive_destroy(&drive);
	return 0;
}

/* The first program of a process. */
static void start(int64_t pid, const char *group)
{
	struct frame *frame = drive_begin(&drive, EVENT_execve, pid);

	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, pid);
	frame_put_i64(frame, execve__pid, pid);
	frame_put_i64(frame, execve__ptid, 1);
	frame_put_string(frame, execve__exe, "sh");
	frame_put_string(frame, execve__cgroups, group);
	drive_end(&drive);
}

static void expect(const char *text, bool rejected)
{
	for (unsigned int i = 0; i < told_count; i++)
		if (strcmp(told[i].text, text) == 0) {
			assert_int_equal(told[i].rejected, rejected);
			return;
		}
	fail_msg("not told of %s", text);
}

static void step(unsigned int count)
{
	told_count = 0;
	mute_groups_step(&groups, &input, &plan, drive.state, 0);
	assert_int_equal(told_count, count);
}

static void test_by_id(void **state)
{
	start(10, "memory=/docker/" ID);
	start(11, "memory=/docker/" OTHER_ID);
	start(12, "memory=/system.slice");
	step(3);
	expect("memory=/docker/" ID, false);
	expect("memory=/docker/" OTHER_ID, true);
	expect("memory=/system.slice", true);
	start(13, "memory=/system.slice");
	step(0);
}

/* What nobody described yet may be wanted. */
static void test_described(void **state)
{
	struct state_container_info *info = state_container_info_create();

	set_filter("evt.type=openat and container.name=web");
	plan.needs_containers = true;
	start(10, "memory=/docker/" ID);
	start(11, "memory=/docker/" OTHER_ID);
	step(2);
	expect("memory=/docker/" ID, false);
	expect("memory=/docker/" OTHER_ID, false);
	while (state_take_new_container(drive.state))
		;
	info->name = "web";
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_OK, info);
	state_describe_container(drive.state, OTHER_ID, STATE_OWNER_ROOT, STATE_META_MISSING, NULL);
	step(2);
	expect("memory=/docker/" ID, false);
	expect("memory=/docker/" OTHER_ID, true);
	info = state_container_info_create();
	info->name = "web";
	state_describe_container(drive.state, OTHER_ID, STATE_OWNER_ROOT, STATE_META_OK, info);
	step(1);
	expect("memory=/docker/" OTHER_ID, false);
}

/* Groups that the state forgot may still exist: what was said of them is taken back. */
static void test_forgotten(void **state)
{
	start(10, "memory=/docker/" OTHER_ID);
	start(11, "memory=/a");
	step(2);
	start(10, "memory=/a");
	told_count = 0;
	mute_groups_step(&groups, &input, &plan, drive.state, SECOND_NS);
	assert_int_equal(forgotten, 1);
	expect("memory=/a", true);
	for (unsigned int i = 0; i < told_count; i++)
		assert_string_not_equal(told[i].text, "memory=/docker/" OTHER_ID);
	told_count = 0;
	mute_groups_step(&groups, &input, &plan, drive.state, 3 * (uint64_t)SECOND_NS);
	assert_int_equal(forgotten, 1);
	assert_int_equal(told_count, 0);
}

/* Of another filter all is decided anew. */
static void test_change(void **state)
{
	start(10, "memory=/docker/" ID);
	step(1);
	mute_groups_begin(&groups, &input);
	assert_int_equal(forgotten, 1);
	told_count = 0;
	set_filter("evt.type=openat and container.full_id=" OTHER_ID);
	mute_groups_step(&groups, &input, &plan, drive.state, 0);
	expect("memory=/docker/" ID, true);
}

/* All are told again when there is no room, as some may not exist any more; once a second. */
static void test_full(void **state)
{
	start(10, "memory=/docker/" OTHER_ID);
	room = 0;
	step(1);
	start(11, "memory=/a");
	room = TOLD_MAX;
	told_count = 0;
	mute_groups_step(&groups, &input, &plan, drive.state, SECOND_NS);
	assert_int_equal(forgotten, 1);
	expect("memory=/docker/" OTHER_ID, true);
	expect("memory=/a", true);
	start(12, "memory=/b");
	room = 0;
	step(1);
	start(13, "memory=/c");
	told_count = 0;
	mute_groups_step(&groups, &input, &plan, drive.state, SECOND_NS + 1);
	assert_int_equal(forgotten, 1);
	assert_int_equal(told_count, 1);
}

static void test_nothing(void **state)
{
	struct input other = {0};

	start(10, "memory=/docker/" OTHER_ID);
	plan.rejects_groups = false;
	step(0);
	plan.rejects_groups = true;
	mute_groups_step(&groups, &other, &plan, drive.state, 0);
	mute_groups_begin(&groups, &other);
	step(1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_by_id, setup, teardown),
	cmocka_unit_test_setup_teardown(test_described, setup, teardown),
	cmocka_unit_test_setup_teardown(test_forgotten, setup, teardown),
	cmocka_unit_test_setup_teardown(test_change, setup, teardown),
	cmocka_unit_test_setup_teardown(test_full, setup, teardown),
	cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
};

UNIT_GROUP(tests);
