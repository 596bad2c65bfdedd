/* SPDX-License-Identifier: MIT */
/* New containers, and where the processes above their first one say that their bundle is. */
#include <stdio.h>
#include <string.h>

#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"

#include "drive.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { PATH_BYTES = 256, SHIM = 10, RUNTIME = 20, FIRST = 30 };

static struct drive drive;
static char path[PATH_BYTES];

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

/* A process as its exec shows it: arguments are separated by '|'; cgroup NULL: of the host. */
static void run(int64_t pid, int64_t ppid, const char *exe, const char *args, const char *cgroup)
{
	struct frame *frame = drive_begin(&drive, EVENT_execve, pid);
	char text[PATH_BYTES], groups[PATH_BYTES];
	size_t len = strlen(args) + 1;

	memcpy(text, args, len);
	for (char *bar = text; (bar = strchr(bar, '|')); bar++)
		*bar = '\0';
	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, pid);
	frame_put_i64(frame, execve__pid, pid);
	frame_put_i64(frame, execve__ptid, ppid);
	frame_put_string(frame, execve__exe, exe);
	frame_put_bytes(frame, execve__args, text, len);
	frame_put_string(frame, execve__comm, "x");
	snprintf(groups, sizeof(groups), "memory=%s", cgroup ? cgroup : "/");
	frame_put_string(frame, execve__cgroups, groups);
	drive_end(&drive);
}

static void set_directory(int64_t pid, const char *directory)
{
	drive_chdir(&drive, pid, 0, directory);
}

/* The first process of the container. */
static struct state_container *start(int64_t ppid)
{
	struct state_container *container;

	run(FIRST, ppid, "runc", "init|--bundle|/of/the/image|" ID, "/docker/" ID);
	container = state_take_new_container(drive.state);
	assert_non_null(container);
	assert_string_equal(container->id, ID);
	assert_int_equal(container->first_tid, FIRST);
	assert_ptr_equal(state_find_container(drive.state, ID, container->owner), container);
	assert_null(state_find_container(drive.state, ID, container->owner + 1));
	assert_null(state_take_new_container(drive.state));
	return container;
}

static void expect(int64_t ppid, const char *bundle)
{
	struct state_container *container = start(ppid);

	if (bundle) {
		assert_true(state_container_bundle(drive.state, container, path, sizeof(path)));
		assert_string_equal(path, bundle);
	} else {
		assert_false(state_container_bundle(drive.state, container, path, sizeof(path)));
	}
}

/* The container that a process of a shim is found to be in; NULL: none. */
static const struct state_container *find_below_shim(const char *exepath, uint32_t uid,
						     const char *cgroup)
{
	struct state_program *program;
	struct state_thread *shim, *thread;

	run(SHIM, 1, "x", "-namespace|default|-id|web1|-address|/run/c.sock", NULL);
	run(FIRST, SHIM, "x", "web1", cgroup);
	shim = state_thread_get(drive.state, SHIM);
	thread = state_thread_get(drive.state, FIRST);
	assert_non_null(shim);
	assert_non_null(thread);
	program = shim->program;
	program->exepath = exepath;
	shim->uid = uid;
	state_find_named_container(drive.state, thread);
	return thread->cgroups->container;
}

/* A name of a group that only the shim's arguments tell to be that of a container. */
static void test_name_before_the_engine(void **state)
{
	static const char shim[] = "/usr/bin/containerd-shim-runc-v2";
	const struct state_container *container;

	assert_null(find_below_shim("/usr/bin/bash", 0, "/default/web1"));
	assert_null(find_below_shim(shim, 7, "/default/web1"));
	assert_null(find_below_shim(shim, 0, "/default/web2"));
	container = find_below_shim(shim, 0, "/default/web1");
	assert_non_null(container);
	assert_string_equal(container->id, "web1");
	assert_int_equal(container->type, STATE_CONTAINER_CONTAINERD);
}

static const struct state_container *container_of(int64_t pid)
{
	return state_thread_get(drive.state, pid)->cgroups->container;
}

/* The same by the files of a runtime: what is in the group, and below it, is of the container. */
static void test_declared_before_the_engine(void **state)
{
	run(FIRST, 1, "x", "x", "/users/web1");
	run(FIRST + 1, FIRST, "x", "x", "/users/web1/below");
	run(FIRST + 2, 1, "x", "x", "/users/web12");
	state_declare_container(drive.state, FIRST, "web2", STATE_CONTAINER_CUSTOM);
	state_declare_container(drive.state, FIRST, "users", STATE_CONTAINER_CUSTOM);
	state_declare_container(drive.state, FIRST + 99, "web1", STATE_CONTAINER_CUSTOM);
	assert_null(container_of(FIRST));
	state_declare_container(drive.state, FIRST, "web1", STATE_CONTAINER_CUSTOM);
	assert_non_null(container_of(FIRST));
	assert_string_equal(container_of(FIRST)->id, "web1");
	assert_int_equal(container_of(FIRST)->type, STATE_CONTAINER_CUSTOM);
	assert_ptr_equal(container_of(FIRST + 1), container_of(FIRST));
	assert_null(container_of(FIRST + 2));
}

static void test_option(void **state)
{
	run(RUNTIME, 1, "runc", "--root|/r|create|--bundle|/run/b|--pid-file|/p|" ID, NULL);
	expect(RUNTIME, "/run/b");
}

static void test_option_with_equals(void **state)
{
	run(RUNTIME, 1, "crun", "create|--bundle=/run/b|" ID, NULL);
	expect(RUNTIME, "/run/b");
}

static void test_conmon(void **state)
{
	run(RUNTIME, 1, "/usr/bin/conmon", "-c|" ID "|-b|/s/userdata|-n|web", NULL);
	expect(RUNTIME, "/s/userdata");
}

static void test_directory(void **state)
{
	run(RUNTIME, 1, "runc", "run|" ID, NULL);
	set_directory(RUNTIME, "/srv/one");
	expect(RUNTIME, "/srv/one/");
}

static void test_relative(void **state)
{
	run(RUNTIME, 1, "runc", "run|-b|two|" ID, NULL);
	set_directory(RUNTIME, "/srv");
	expect(RUNTIME, "/srv/two");
}

/* The shim of a pod has the id of its first container; those of the others are beside it. */
static void test_shim(void **state)
{
	run(SHIM, 1, "/usr/bin/containerd-shim-runc-v2", "-namespace|k8s.io|-id|other", NULL);
	set_directory(SHIM, "/run/containerd/task/k8s.io/other");
	run(RUNTIME, SHIM, "runc", "start|x", NULL);
	expect(RUNTIME, "/run/containerd/task/k8s.io/" ID);
}

static void test_nearest(void **state)
{
	run(SHIM, 1, "containerd-shim", "-id|other", NULL);
	set_directory(SHIM, "/task/k8s.io/other");
	run(RUNTIME, SHIM, "runc", "create|--bundle|/run/b|" ID, NULL);
	expect(RUNTIME, "/run/b");
}

/* The runtime moves its first process into the groups before that runs the user's program. */
static void test_moved(void **state)
{
	struct state_container *container;
	struct frame *frame;

	run(RUNTIME, 1, "runc", "create|--bundle|/run/b|" ID, NULL);
	run(FIRST, RUNTIME, "runc", "init", NULL);
	assert_null(state_take_new_container(drive.state));
	frame = drive_begin(&drive, EVENT_cgroup_attach, RUNTIME);
	frame_put_i64(frame, cgroup_attach__tid, FIRST);
	frame_put_i64(frame, cgroup_attach__pid, FIRST);
	frame_put_i64(frame, cgroup_attach__threadgroup, 1);
	frame_put_i64(frame, cgroup_attach__subsystems, UINT32_MAX);
	frame_put_string(frame, cgroup_attach__path, "/docker/" ID);
	drive_end(&drive);
	container = state_take_new_container(drive.state);
	assert_non_null(container);
	assert_int_equal(container->first_tid, FIRST);
	assert_true(state_container_bundle(drive.state, container, path, sizeof(path)));
	assert_string_equal(path, "/run/b");
}

/* Only a process that names the container is its runtime. */
static void test_of_another(void **state)
{
	run(RUNTIME, 1, "runc", "create|--bundle|/run/b|" ID "0", NULL);
	set_directory(RUNTIME, "/srv");
	expect(RUNTIME, NULL);
}

static void test_unfinished_option(void **state)
{
	run(RUNTIME, 1, "runc", ID "|--bundle", NULL);
	set_directory(RUNTIME, "/srv");
	expect(RUNTIME, "/srv/");
}

static void test_unknown_parent(void **state)
{
	expect(RUNTIME, NULL);
}

/* Parents in a circle end the search. */
static void test_circle(void **state)
{
	run(SHIM, RUNTIME, "a", "x", NULL);
	run(RUNTIME, SHIM, "b", "x", NULL);
	expect(RUNTIME, NULL);
}

static void test_no_room(void **state)
{
	struct state_container *container;

	run(RUNTIME, 1, "runc", "create|--bundle|/run/b|" ID, NULL);
	container = start(RUNTIME);
	assert_false(state_container_bundle(drive.state, container, path, 6));
	assert_true(state_container_bundle(drive.state, container, path, 7));
}

static void describe(const char *id, const char *name, const char *image)
{
	struct state_container_info *info = state_container_info_create();

	info->name = name;
	info->image.name = image;
	state_describe_container(drive.state, id, STATE_OWNER_ROOT, STATE_META_OK, info);
}

static void test_describe(void **state)
{
	struct state_container *container = start(1);

	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_MISSING, NULL);
	assert_int_equal(container->state, STATE_META_MISSING);
	describe(ID, "web", NULL);
	assert_string_equal(container->info.name, "web");
	assert_int_equal(container->state, STATE_META_OK);
	/* One that ended meanwhile. */
	describe("none", "web", NULL);
}

/* What comes later completes, and removes nothing. */
static void test_describe_twice(void **state)
{
	struct state_containers *table = &drive.state->containers;
	struct state_container *container = start(1);

	describe(ID, "web", NULL);
	assert_ptr_equal(state_containers_take_changed(table), container);
	describe(ID, NULL, "nginx:1");
	assert_string_equal(container->info.name, "web");
	assert_string_equal(container->info.image.name, "nginx:1");
	assert_ptr_equal(state_containers_take_changed(table), container);
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_MISSING, NULL);
	assert_int_equal(container->state, STATE_META_OK);
	assert_string_equal(container->info.name, "web");
	/* That it is as it was is nothing to write. */
	describe(ID, "web", "nginx:1");
	assert_null(state_containers_take_changed(table));
	describe(ID, "renamed", NULL);
	assert_string_equal(container->info.name, "renamed");
	assert_string_equal(container->info.image.name, "nginx:1");
}

static void describe_part(const char *name)
{
	struct state_container_info *info = state_container_info_create();

	info->name = name;
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_PARTIAL, info);
}

/* A part becomes the whole by what completes it, or when nobody has more to say; then it stays. */
static void test_describe_parts(void **state)
{
	struct state_containers *table = &drive.state->containers;
	struct state_container *container = start(1);
	uint64_t revision;

	/* That nobody has more to say says nothing of one that nobody described. */
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_OK, NULL);
	assert_int_equal(container->state, STATE_META_MISSING);
	describe_part("web");
	assert_int_equal(container->state, STATE_META_PARTIAL);
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_MISSING, NULL);
	assert_int_equal(container->state, STATE_META_PARTIAL);
	assert_ptr_equal(state_containers_take_changed(table), container);
	revision = container->revision;
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_OK, NULL);
	assert_int_equal(container->state, STATE_META_OK);
	assert_string_equal(container->info.name, "web");
	assert_true(container->revision > revision);
	assert_ptr_equal(state_containers_take_changed(table), container);
	describe_part("renamed");
	assert_int_equal(container->state, STATE_META_OK);
	assert_string_equal(container->info.name, "renamed");
	state_container_set_state(table, container, STATE_META_PARTIAL);
	describe(ID, "renamed", "nginx:1");
	assert_int_equal(container->state, STATE_META_OK);
	state_container_set_state(table, container, STATE_META_PARTIAL);
	describe(ID, "renamed", "nginx:1");
	assert_int_equal(container->state, STATE_META_OK);
}

static struct state_container *take_again_after_s(uint64_t seconds)
{
	drive.state->now_ns += seconds * UINT64_C(1000000000);
	return state_take_container_again(drive.state);
}

/* Asked for again after a while, a few times, unless it is described by then. */
static void test_ask_again(void **state)
{
	struct state_container *container = start(1);

	for (int i = 0; i < STATE_AGAIN_TIMES; i++) {
		assert_true(state_ask_for_container_again(drive.state, container));
		assert_true(state_ask_for_container_again(drive.state, container));
		assert_null(take_again_after_s(STATE_AGAIN_S - 1));
		assert_ptr_equal(take_again_after_s(1), container);
		assert_null(take_again_after_s(STATE_AGAIN_S));
	}
	assert_false(state_ask_for_container_again(drive.state, container));
	container->asked_again = 0;
	assert_true(state_ask_for_container_again(drive.state, container));
	describe(ID, "web", NULL);
	assert_null(take_again_after_s(STATE_AGAIN_S));
}

/* A runtime's process whose arguments could not be read may tell where the bundle is. */
static void test_unread(void **state)
{
	struct state_container *container;

	run(RUNTIME, 1, "runc", "create|--bundle|/run/b|" ID, NULL);
	container = start(RUNTIME);
	assert_false(state_container_is_unread(drive.state, container));
	drive_thread(&drive, RUNTIME)->program->args_len = 0;
	assert_false(state_container_is_unread(drive.state, container));
	drive_thread(&drive, RUNTIME)->program->exe = "";
	drive_thread(&drive, RUNTIME)->program->exepath = "/usr/bin/runc";
	assert_true(state_container_is_unread(drive.state, container));
}

/* The id of a removed container can be that of another one. */
static void test_remove(void **state)
{
	struct state_container *container = start(1);

	describe(ID, "web", "nginx:1");
	state_remove_container(drive.state, ID);
	assert_string_equal(container->info.image.name, "nginx:1");
	describe(ID, "other", NULL);
	assert_string_equal(container->info.name, "other");
	assert_null(container->info.image.name);
	state_remove_container(drive.state, "none");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_name_before_the_engine, setup, teardown),
	cmocka_unit_test_setup_teardown(test_declared_before_the_engine, setup, teardown),
	cmocka_unit_test_setup_teardown(test_option, setup, teardown),
	cmocka_unit_test_setup_teardown(test_option_with_equals, setup, teardown),
	cmocka_unit_test_setup_teardown(test_conmon, setup, teardown),
	cmocka_unit_test_setup_teardown(test_directory, setup, teardown),
	cmocka_unit_test_setup_teardown(test_relative, setup, teardown),
	cmocka_unit_test_setup_teardown(test_shim, setup, teardown),
	cmocka_unit_test_setup_teardown(test_nearest, setup, teardown),
	cmocka_unit_test_setup_teardown(test_moved, setup, teardown),
	cmocka_unit_test_setup_teardown(test_of_another, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unfinished_option, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unknown_parent, setup, teardown),
	cmocka_unit_test_setup_teardown(test_circle, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_room, setup, teardown),
	cmocka_unit_test_setup_teardown(test_describe, setup, teardown),
	cmocka_unit_test_setup_teardown(test_describe_twice, setup, teardown),
	cmocka_unit_test_setup_teardown(test_describe_parts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_ask_again, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unread, setup, teardown),
	cmocka_unit_test_setup_teardown(test_remove, setup, teardown),
};

UNIT_GROUP(tests);
