/* SPDX-License-Identifier: MIT */
/* Threads and processes that move to other control groups. */
#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { MOVER = 50 };

static const struct drive_clone worker = {
	.pid = 100, .ptid = 1, .comm = "sh", .flags = clone_flags__CLONE_THREAD};

/* Process 100 with thread 101, process 200, and who moves them. */
static int setup(void **state)
{
	drive_setup_process(state);
	drive_clone(*state, 101, 0, &worker);
	drive_exec(*state, 200, "cat");
	drive_exec(*state, MOVER, "runc");
	return 0;
}

static struct state_event *attach(struct drive *drive, int64_t tid, int64_t pid, bool threadgroup,
				  uint32_t subsystems, const char *path)
{
	struct frame *frame = drive_begin(drive, EVENT_cgroup_attach, MOVER);

	frame_put_i64(frame, cgroup_attach__tid, tid);
	frame_put_i64(frame, cgroup_attach__pid, pid);
	frame_put_i64(frame, cgroup_attach__threadgroup, threadgroup);
	frame_put_i64(frame, cgroup_attach__subsystems, subsystems);
	frame_put_string(frame, cgroup_attach__path, path);
	return drive_end(drive);
}

static const char *container_of(struct drive *drive, int64_t tid)
{
	const struct state_container *container = drive_thread(drive, tid)->cgroups->container;

	return container ? container->id : "host";
}

static void moves_processes(void **state)
{
	struct state_event *event =
		attach(*state, 100, 100, true, cgroup_subsystems__memory, "/docker/" ID);

	/* The event is of who moves. */
	assert_int_equal(event->thread->tid, MOVER);
	assert_string_equal(container_of(*state, 100), ID);
	assert_string_equal(container_of(*state, 101), ID);
	assert_string_equal(container_of(*state, 200), "host");
	assert_string_equal(container_of(*state, MOVER), "host");
	attach(*state, 200, 200, true, cgroup_subsystems__memory, "/lxc/web");
	assert_string_equal(container_of(*state, 200), "web");
	assert_string_equal(container_of(*state, 100), ID);
	attach(*state, 100, 100, true, cgroup_subsystems__memory, "/");
	assert_string_equal(container_of(*state, 100), "host");
	assert_string_equal(container_of(*state, 101), "host");
}

/* As version 1 allows. */
static void moves_threads(void **state)
{
	attach(*state, 101, 100, false, cgroup_subsystems__cpu, "/docker/" ID);
	assert_string_equal(container_of(*state, 101), ID);
	assert_string_equal(container_of(*state, 100), "host");
	/* What the process leaves, each thread leaves by itself. */
	attach(*state, 100, 100, true, cgroup_subsystems__memory, "/lxc/web");
	assert_memory_equal(drive_thread(*state, 101)->cgroups->text,
			    "cpu=/docker/" ID "\0memory=/lxc/web", 82);
	assert_string_equal(drive_thread(*state, 100)->cgroups->text, "memory=/lxc/web");
}

static void moves_threads_without_their_main_one(void **state)
{
	drive_exit(*state, 100, 101);
	attach(*state, 100, 100, true, cgroup_subsystems__memory, "/docker/" ID);
	assert_string_equal(container_of(*state, 101), ID);
}

/* A child has the groups of its parent, until its own event says otherwise (CLONE_INTO_CGROUP). */
static void inherits(void **state)
{
	static const char into[] = "memory=/lxc/web";
	static const struct drive_clone parent = {.id = EVENT_clone3, .pid = 200, .ptid = 1};
	struct frame *frame;

	attach(*state, 200, 200, true, cgroup_subsystems__memory, "/docker/" ID);
	drive_clone(*state, 200, 300, &parent);
	assert_string_equal(container_of(*state, 300), ID);
	frame = drive_begin(*state, EVENT_clone3, 300);
	frame_put_i64(frame, clone3__res, 0);
	frame_put_i64(frame, clone3__tid, 300);
	frame_put_i64(frame, clone3__pid, 300);
	frame_put_i64(frame, clone3__ptid, 200);
	frame_put_bytes(frame, clone3__cgroups, into, sizeof(into));
	assert_string_equal(drive_end(*state)->thread->cgroups->container->id, "web");
}

/* A removed container stays that of its threads until each has ended. */
static void keeps_the_container_of_late_events(void **state)
{
	attach(*state, 100, 100, true, cgroup_subsystems__memory, "/docker/" ID);
	attach(*state, 200, 200, true, cgroup_subsystems__memory, "/docker/" ID);
	drive_exit(*state, 200, 1);
	drive_exit(*state, 100, 101);
	assert_string_equal(drive_any(*state, 101)->thread->cgroups->container->id, ID);
	assert_string_equal(drive_exit(*state, 101, 1)->thread->cgroups->container->id, ID);
}

/* A program with an id of a container among its arguments. */
static void start_runtime(struct drive *drive, int64_t tid, int64_t parent, const char *path,
			  const char *id)
{
	struct frame *frame = drive_begin(drive, EVENT_execve, tid);
	char args[64];
	int len = snprintf(args, sizeof(args), "create%c--bundle%c/b%c%s", 0, 0, 0, id);

	frame_put_i64(frame, execve__res, 0);
	frame_put_string(frame, execve__exe, "runc");
	frame_put_bytes(frame, execve__args, args, (size_t)len + 1);
	frame_put_i64(frame, execve__tid, tid);
	frame_put_i64(frame, execve__pid, tid);
	frame_put_i64(frame, execve__ptid, parent);
	frame_put_string(frame, execve__trusted_exepath, path);
	drive_end(drive);
}

/* A free name is a container's if the runtime that moves its process was given it. */
static void believes_runtimes(void **state)
{
	static const struct {
		const char *program, *id, *path, *found;
	} cases[] = {
		{"/usr/sbin/runc", "web1", "/default/web1", "web1"},
		{"/usr/bin/crun", "web1", "/web1", "web1"},
		{"/usr/sbin/runc", "web", "/default/web1", "host"},
		{"/usr/sbin/runc", "web1", "/default/web1/init", "host"},
		{"/usr/sbin/runc", "web1", "/", "host"},
		{"/bin/sh", "web1", "/default/web1", "host"},
		/* What the path shows itself is better known. */
		{"/usr/sbin/runc", "web1", "/docker/" ID "/web1", ID},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start_runtime(*state, MOVER, 1, cases[i].program, cases[i].id);
		attach(*state, 100, 100, true, cgroup_subsystems__memory, cases[i].path);
		assert_string_equal(container_of(*state, 100), cases[i].found);
		assert_string_equal(container_of(*state, 101), cases[i].found);
		attach(*state, 100, 100, true, cgroup_subsystems__memory, "/");
		/* Nothing is left of it. */
		drive_exec(*state, MOVER, "sh");
		attach(*state, 200, 200, true, cgroup_subsystems__memory, "/default/web1");
		assert_string_equal(container_of(*state, 200), "host");
	}
}

/* While it lives, all in its groups are in it, whoever moves them. */
static void knows_declared_groups(void **state)
{
	start_runtime(*state, MOVER, 1, "/usr/sbin/runc", "web1");
	attach(*state, 100, 100, true, cgroup_subsystems__cpu, "/default/web1");
	drive_exec(*state, MOVER, "sh");
	attach(*state, 100, 100, true, cgroup_subsystems__memory, "/default/web1");
	assert_string_equal(container_of(*state, 100), "web1");
	assert_int_equal(drive_thread(*state, 100)->cgroups->container->type,
			 STATE_CONTAINER_CUSTOM);
	attach(*state, 200, 200, true, cgroup_subsystems__memory, "/default/web1/a/b");
	assert_ptr_equal(drive_thread(*state, 200)->cgroups->container,
			 drive_thread(*state, 100)->cgroups->container);
	attach(*state, 200, 200, true, cgroup_subsystems__memory, "/default/web10");
	assert_string_equal(container_of(*state, 200), "host");
	attach(*state, 200, 200, true, cgroup_subsystems__memory, "/web1");
	assert_string_equal(container_of(*state, 200), "host");
}

/* containerd runs it by a shim. */
static void knows_the_shim(void **state)
{
	drive_exec(*state, 60, "containerd-shim");
	start_runtime(*state, MOVER, 60, "/usr/sbin/runc", "web1");
	attach(*state, 100, 100, true, cgroup_subsystems__memory, "/default/web1");
	assert_int_equal(drive_thread(*state, 100)->cgroups->container->type,
			 STATE_CONTAINER_CONTAINERD);
}

/* Nothing to follow: other hierarchies, unknown threads, incomplete events. */
static void ignores(void **state)
{
	attach(*state, 100, 100, true, 0, "/docker/" ID);
	attach(*state, 999, 999, true, cgroup_subsystems__memory, "/docker/" ID);
	attach(*state, 999, 100, false, cgroup_subsystems__memory, "/docker/" ID);
	drive_begin(*state, EVENT_cgroup_attach, MOVER);
	drive_end(*state);
	assert_string_equal(container_of(*state, 100), "host");
	assert_string_equal(container_of(*state, 101), "host");
	assert_null(state_thread_find(((struct drive *)*state)->state, 999));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)

static const struct CMUnitTest tests[] = {
	TEST(moves_processes),
	TEST(moves_threads),
	TEST(moves_threads_without_their_main_one),
	TEST(inherits),
	TEST(keeps_the_container_of_late_events),
	TEST(believes_runtimes),
	TEST(knows_declared_groups),
	TEST(knows_the_shim),
	TEST(ignores),
};

UNIT_GROUP(tests);
