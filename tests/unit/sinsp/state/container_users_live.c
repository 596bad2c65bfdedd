/* SPDX-License-Identifier: MIT */
/* When users of containers are read, and whose names hold until then. */
#include <errno.h>
#include <stdlib.h>

#include "drive.h"
#include "foreign_root.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* An engine that reads the /proc of a process in a container. */
struct contained_process {
	struct foreign_root *foreign;
	struct scap_proc *proc;
	struct drive drive;
	struct state_event event; /* of that process */
};

static struct state_thread *add_thread(struct drive *drive, int64_t tid)
{
	static const char groups[] = "memory=/docker/" ID;
	struct state_thread *thread = state_thread_add(drive->state, tid, tid);

	assert_non_null(thread);
	state_thread_set_cgroups(&drive->state->containers, thread, groups, sizeof(groups));
	return thread;
}

static int setup(void **state)
{
	static const struct state_user ann = {.id = 7, .name = "ann"};
	struct contained_process *made = calloc(1, sizeof(*made));
	char path[FOREIGN_PATH_BYTES];

	assert_non_null(made);
	foreign_root_setup((void **)&made->foreign);
	foreign_root_write(made->foreign, "proc/70/cgroup", "0::/docker/" ID "\n");
	foreign_root_write(made->foreign, "proc/70/uid_map", "0 0 4294967295\n");
	foreign_root_write(made->foreign, "proc/70/gid_map", "0 0 4294967295\n");
	foreign_root_path(made->foreign, "proc", path);
	assert_int_equal(scap_proc_open(path, &made->proc, NULL), 0);
	drive_create(
		&made->drive,
		&(struct state_config){.proc = made->proc, .hostname = "h", .etc = "/nonexistent"});
	state_users_add(&made->drive.state->names->users, &ann);
	made->event = (struct state_event){.state = made->drive.state,
					   .thread = add_thread(&made->drive, FOREIGN_PID)};
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	struct contained_process *made = *state;

	drive_destroy(&made->drive);
	scap_proc_close(made->proc);
	foreign_root_teardown((void **)&made->foreign);
	free(made);
	return 0;
}

/* What the thread that reads does with all that is wanted. */
static int read_wanted(struct contained_process *process)
{
	struct state_container_users *users = NULL;
	struct state_users_wanted wanted;
	int count = 0;

	for (; state_take_users_wanted(process->drive.state, &wanted); count++) {
		int r = state_container_users_read(process->proc, &wanted, &users);

		state_set_users(process->drive.state, wanted.id, wanted.owner, r, r ? NULL : users);
	}
	return count;
}

static void learn(struct contained_process *process)
{
	state_learn_users(process->drive.state, process->event.thread);
	read_wanted(process);
}

static const char *name_of(const struct contained_process *process, uint32_t uid)
{
	return state_event_user_name(&process->event, uid);
}

static void test_once(void **state)
{
	struct contained_process *process = *state;

	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	learn(process);
	assert_string_equal(name_of(process, 101), "web");
	assert_null(name_of(process, 7));
	assert_string_equal(state_user_name(process->drive.state, 7), "ann");
	foreign_root_write(process->foreign, "root/etc/passwd", "other:x:101:0::/:\n");
	learn(process);
	assert_string_equal(name_of(process, 101), "web");
}

/* The container of an exec is known after it. */
static void test_exec(void **state)
{
	struct contained_process *process = *state;
	struct frame *frame;

	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	frame = drive_begin(&process->drive, EVENT_execve, FOREIGN_PID);
	frame_put_i64(frame, execve__res, 0);
	drive_end(&process->drive);
	assert_null(name_of(process, 101));
	assert_null(name_of(process, 7));
	assert_int_equal(read_wanted(process), 1);
	assert_string_equal(name_of(process, 101), "web");
}

/* Until the runtime has changed the root. */
static void test_not_ready(void **state)
{
	struct contained_process *process = *state;
	char root[FOREIGN_PATH_BYTES];

	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	foreign_root_link(process->foreign, "proc/70/root", "/");
	learn(process);
	learn(process);
	assert_null(name_of(process, 7));
	assert_null(name_of(process, 101));
	foreign_root_path(process->foreign, "root", root);
	foreign_root_link(process->foreign, "proc/70/root", root);
	learn(process);
	assert_string_equal(name_of(process, 101), "web");
}

/* A container may have the root of the machine, and so its users. */
static void test_root_of_the_machine(void **state)
{
	struct contained_process *process = *state;

	foreign_root_link(process->foreign, "proc/70/root", "/");
	for (int i = 0; i < 7; i++)
		learn(process);
	assert_null(name_of(process, 7));
	learn(process);
	assert_string_equal(name_of(process, 7), "ann");
}

static void test_without_files(void **state)
{
	struct contained_process *process = *state;

	learn(process);
	assert_string_equal(name_of(process, 7), "ann");
	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	learn(process);
	assert_null(name_of(process, 101));
}

/* Better no name than a wrong one. */
static void test_unusable_file(void **state)
{
	struct contained_process *process = *state;

	foreign_root_link(process->foreign, "root/etc/passwd", "passwd");
	learn(process);
	assert_null(name_of(process, 7));
	foreign_root_link(process->foreign, "root/etc/passwd", "group");
	foreign_root_write(process->foreign, "root/etc/group", "web:x:101:\n");
	learn(process);
	assert_null(name_of(process, 101));
}

static void test_process_that_exited(void **state)
{
	struct contained_process *process = *state;
	struct state_thread *first = add_thread(&process->drive, 71);

	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	for (int i = 0; i < 20; i++) {
		state_learn_users(process->drive.state, first);
		assert_int_equal(read_wanted(process), 1);
	}
	assert_null(name_of(process, 7));
	learn(process);
	assert_string_equal(name_of(process, 101), "web");
}

/* A container is asked for once at a time; an exec that came meanwhile is tried afterwards. */
static void test_exec_meanwhile(void **state)
{
	struct contained_process *process = *state;
	struct state *engine = process->drive.state;
	struct state_thread *first = add_thread(&process->drive, 71);
	struct state_users_wanted wanted;

	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	state_learn_users(engine, first);
	assert_true(state_take_users_wanted(engine, &wanted));
	assert_int_equal(wanted.pid, 71);
	assert_string_equal(wanted.id, ID);
	assert_null(wanted.path);
	state_learn_users(engine, process->event.thread);
	assert_false(state_take_users_wanted(engine, &wanted));
	state_set_users(engine, ID, STATE_OWNER_ANYBODY, -EAGAIN, NULL);
	assert_int_equal(read_wanted(process), 1);
	assert_string_equal(name_of(process, 101), "web");
	assert_int_equal(read_wanted(process), 0);
}

/* The container may be gone when they are there, or before they are asked for. */
static void test_container_that_ended(void **state)
{
	struct contained_process *process = *state;
	struct state *engine = process->drive.state;
	struct state_users_wanted wanted;

	state_learn_users(engine, process->event.thread);
	state_thread_set_cgroups(&engine->containers, (struct state_thread *)process->event.thread,
				 "", 0);
	assert_false(state_take_users_wanted(engine, &wanted));
	state_set_users(engine, ID, STATE_OWNER_ANYBODY, 0, state_container_users_create());
	assert_string_equal(name_of(process, 7), "ann");
}

static void test_only_live(void **state)
{
	struct contained_process *process = *state;

	foreign_root_write(process->foreign, "root/etc/passwd", "web:x:101:0::/:\n");
	process->drive.state->proc = NULL;
	learn(process);
	assert_string_equal(name_of(process, 7), "ann");
	assert_null(name_of(process, 101));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_once),
	TEST(test_exec),
	TEST(test_not_ready),
	TEST(test_root_of_the_machine),
	TEST(test_without_files),
	TEST(test_unusable_file),
	TEST(test_process_that_exited),
	TEST(test_exec_meanwhile),
	TEST(test_container_that_ended),
	TEST(test_only_live),
};

UNIT_GROUP(tests);
