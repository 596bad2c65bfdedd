/* SPDX-License-Identifier: MIT */
/* The control groups that threads are in, and which of them changed. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"

#include "drive.h"
#include "unit.h"

#define UID "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_ID "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static struct drive drive;

static int setup(void **state)
{
	drive_create(&drive, NULL);
	return 0;
}

static int teardown(void **state)
{
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

struct seen {
	size_t count;
	const struct state_cgroups *last;
};

static void see(const struct state_cgroups *cgroups, void *context)
{
	struct seen *seen = context;

	seen->count++;
	seen->last = cgroups;
}

/* The only groups that changed since, or NULL with another count. */
static const struct state_cgroups *changed_since(uint64_t since, size_t count)
{
	struct seen seen = {0};

	state_visit_cgroups(drive.state, since, see, &seen);
	assert_int_equal(seen.count, count);
	return seen.last;
}

static void test_changes(void **state)
{
	uint64_t since;

	start(10, "memory=/kubepods/pod" UID "/" ID);
	start(11, "memory=/docker/" OTHER_ID);
	start(12, "memory=/system.slice");
	since = state_revision(drive.state);
	changed_since(since, 0);
	/* Others of the same groups are nothing new. */
	start(13, "memory=/system.slice");
	assert_int_equal(state_revision(drive.state), since);
	start(14, "memory=/user.slice");
	assert_true(state_revision(drive.state) > since);
	assert_string_equal(changed_since(since, 1)->text, "memory=/user.slice");
	since = state_revision(drive.state);
	state_describe_container(drive.state, OTHER_ID, STATE_OWNER_ROOT, STATE_META_OK,
				 state_container_info_create());
	assert_string_equal(changed_since(since, 1)->container->id, OTHER_ID);
}

static void test_pods(void **state)
{
	struct state_pod_info *info = state_pod_info_create();
	uint64_t since;

	start(10, "memory=/kubepods/pod" UID "/" ID);
	start(11, "memory=/docker/" OTHER_ID);
	since = state_revision(drive.state);
	info->pod.uid = UID;
	info->pod.name = "web";
	state_describe_pod(drive.state, info);
	assert_string_equal(changed_since(since, 1)->container->info.pod.name, "web");
	since = state_revision(drive.state);
	info = state_pod_info_create();
	info->pod.uid = "another";
	state_describe_pod(drive.state, info);
	changed_since(since, 0);
}

static const struct state_cgroups *newest(uint64_t since)
{
	return changed_since(since, 1);
}

static void test_pending(void **state)
{
	uint64_t since = state_revision(drive.state);
	const struct state_cgroups *cgroups;
	struct state_pod_info *info = state_pod_info_create();
	size_t len;

	start(10, "memory=/system.slice");
	cgroups = newest(since);
	assert_string_equal(state_cgroups_text(cgroups, &len), "memory=/system.slice");
	assert_int_equal(len, sizeof("memory=/system.slice"));
	assert_false(state_cgroups_await_container(cgroups));
	assert_false(state_cgroups_await_pod(cgroups));
	since = state_revision(drive.state);
	start(11, "memory=/kubepods/pod" UID "/" ID);
	cgroups = newest(since);
	assert_true(state_cgroups_await_container(cgroups));
	assert_true(state_cgroups_await_pod(cgroups));
	state_container_set_pending(state_take_new_container(drive.state));
	assert_true(state_cgroups_await_container(cgroups));
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_MISSING, NULL);
	assert_false(state_cgroups_await_container(cgroups));
	assert_true(state_cgroups_await_pod(cgroups));
	info->pod.uid = UID;
	info->pod.name = "web";
	state_describe_pod(drive.state, info);
	assert_false(state_cgroups_await_pod(cgroups));
}

static void test_all(void **state)
{
	size_t before = 0;
	struct seen seen = {0};

	state_visit_cgroups(drive.state, 0, see, &seen);
	before = seen.count;
	start(10, "memory=/docker/" ID);
	start(11, "memory=/docker/" ID "/init.scope");
	changed_since(0, before + 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_changes, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pods, setup, teardown),
	cmocka_unit_test_setup_teardown(test_pending, setup, teardown),
	cmocka_unit_test_setup_teardown(test_all, setup, teardown),
};

UNIT_GROUP(tests);
