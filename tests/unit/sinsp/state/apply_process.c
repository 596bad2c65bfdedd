/* SPDX-License-Identifier: MIT */
/* Threads and processes: made, turned into another program, ended. */
#include <errno.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

static const uint32_t thread_flags = clone_flags__CLONE_THREAD | clone_flags__CLONE_FS |
				     clone_flags__CLONE_FILES | clone_flags__CLONE_VM;

static int setup(void **state)
{
	drive_setup_process(state);
	drive_chdir(*state, 100, 0, "/w");
	drive_open(*state, 100, 3, "/three", 0);
	drive_open(*state, 100, 4, "/four", file_flags__O_CLOEXEC);
	return 0;
}

static uint64_t threads_now(struct drive *drive)
{
	struct state_stats stats;

	state_stats(drive->state, &stats);
	return stats.threads;
}

static void expect_forked(struct drive *drive)
{
	const struct state_thread *child = drive_thread(drive, 200);

	assert_int_equal(child->pid, 200);
	assert_int_equal(child->ptid, 100);
	assert_int_equal(child->vtid, 200);
	assert_int_equal(child->nthreads, 1);
	assert_string_equal(child->comm, "sh");
	assert_string_equal(child->program->exepath, "/bin/sh");
	assert_memory_equal(child->program->args, "a\0b", 4);
	assert_string_equal(child->fs->cwd, "/w/");
	assert_string_equal(drive_name(drive, 200, 3), "/three");
	assert_true(child->clone_ts_ns > 0);
	assert_ptr_equal(state_thread_parent(drive->state, child), drive_thread(drive, 100));
	/* Nothing of it is shared. */
	drive_close(drive, 200, 0, 3);
	drive_open(drive, 100, 5, "/five", 0);
	assert_false(drive_has_fd(drive, 200, 3));
	assert_false(drive_has_fd(drive, 200, 5));
	assert_true(drive_has_fd(drive, 100, 3));
	assert_int_equal(threads_now(drive), 2);
}

static const struct drive_clone fork_parent = {.id = EVENT_fork, .pid = 100, .ptid = 1};
static const struct drive_clone fork_child = {
	.id = EVENT_fork, .pid = 200, .ptid = 100, .comm = "sh"};

static void forks_child_first(void **state)
{
	assert_int_equal(drive_clone(*state, 200, 0, &fork_child)->thread->tid, 200);
	assert_int_equal(drive_clone(*state, 100, 200, &fork_parent)->thread->tid, 100);
	expect_forked(*state);
}

static void forks_parent_first(void **state)
{
	drive_clone(*state, 100, 200, &fork_parent);
	drive_clone(*state, 200, 0, &fork_child);
	expect_forked(*state);
}

static void forks_without_the_childs_event(void **state)
{
	drive_clone(*state, 100, 200, &fork_parent);
	assert_non_null(drive_any(*state, 200)->thread);
	expect_forked(*state);
}

static void forks_without_the_parents_event(void **state)
{
	drive_clone(*state, 200, 0, &fork_child);
	expect_forked(*state);
}

static void does_not_undo_what_a_quick_child_did(void **state)
{
	struct drive *drive = *state;

	drive_clone(drive, 200, 0, &fork_child);
	drive_open(drive, 200, 7, "/seven", 0);
	drive_exec(drive, 200, "cat");
	drive_clone(drive, 100, 200, &fork_parent);
	assert_string_equal(drive_name(drive, 200, 7), "/seven");
	assert_string_equal(drive_thread(drive, 200)->program->exepath, "/bin/cat");
}

static void does_not_bring_back_a_child_that_ended(void **state)
{
	struct drive *drive = *state;

	drive_clone(drive, 200, 0, &fork_child);
	drive_exit(drive, 200, 0);
	drive_clone(drive, 100, 200, &fork_parent);
	drive_any(drive, 100);
	assert_null(state_thread_find(drive->state, 200));
	/* The same id may be used again. */
	drive_clone(drive, 200, 0, &fork_child);
	expect_forked(drive);
}

static void leaves_the_event_of_vfork_to_the_child(void **state)
{
	struct drive *drive = *state;
	struct drive_clone parent = fork_parent, child = fork_child;

	parent.id = child.id = EVENT_vfork;
	drive_clone(drive, 100, 200, &parent);
	assert_null(state_thread_find(drive->state, 200));
	parent.id = EVENT_clone;
	parent.flags = clone_flags__CLONE_VFORK | clone_flags__CLONE_VM;
	drive_clone(drive, 100, 200, &parent);
	assert_null(state_thread_find(drive->state, 200));
	drive_clone(drive, 200, 0, &child);
	expect_forked(drive);
}

static void keeps_nothing_of_failed_calls(void **state)
{
	struct drive *drive = *state;
	struct drive_clone clone = fork_parent;

	clone.comm = "renamed";
	drive_clone(drive, 100, -EAGAIN, &clone);
	assert_int_equal(threads_now(drive), 1);
	/* But what it says of the caller holds. */
	assert_string_equal(drive_thread(drive, 100)->comm, "renamed");
}

static void makes_threads(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *thread, *main = drive_thread(drive, 100);

	drive_clone(drive, 100, 101,
		    &(struct drive_clone){.flags = thread_flags, .pid = 100, .ptid = 1});
	drive_clone(drive, 102, 0,
		    &(struct drive_clone){.flags = thread_flags, .pid = 100, .ptid = 1});
	thread = drive_thread(drive, 101);
	assert_int_equal(thread->pid, 100);
	assert_int_equal(thread->ptid, 1);
	assert_int_equal(main->nthreads, 3);
	assert_ptr_equal(thread->fds, main->fds);
	assert_ptr_equal(thread->fs, main->fs);
	assert_ptr_equal(drive_thread(drive, 102)->fds, main->fds);
	assert_ptr_equal(state_thread_main(drive->state, thread), main);
	drive_exit(drive, 101, 0);
	drive_any(drive, 100);
	assert_int_equal(main->nthreads, 2);
	assert_null(state_thread_find(drive->state, 101));
}

static void shares_what_the_flags_say(void **state)
{
	struct drive *drive = *state;
	struct drive_clone clone = {.pid = 200, .ptid = 100};

	clone.flags = clone_flags__CLONE_FILES;
	drive_clone(drive, 200, 0, &clone);
	drive_open(drive, 200, 9, "/nine", 0);
	assert_string_equal(drive_name(drive, 100, 9), "/nine");
	assert_ptr_not_equal(drive_thread(drive, 200)->fs, drive_thread(drive, 100)->fs);
	/* An exec takes a table of its own. */
	drive_exec(drive, 200, "cat");
	assert_false(drive_has_fd(drive, 200, 4));
	assert_true(drive_has_fd(drive, 100, 4));
	assert_string_equal(drive_name(drive, 200, 9), "/nine");
}

static void knows_the_creator_behind_clone_parent(void **state)
{
	struct drive *drive = *state;
	const uint32_t flags = clone_flags__CLONE_PARENT;

	drive_clone(drive, 200, 0, &(struct drive_clone){.flags = flags, .pid = 200, .ptid = 1});
	assert_false(drive_has_fd(drive, 200, 3));
	drive_clone(drive, 100, 200, &(struct drive_clone){.flags = flags, .pid = 100, .ptid = 1});
	assert_string_equal(drive_name(drive, 200, 3), "/three");
	assert_string_equal(drive_thread(drive, 200)->fs->cwd, "/w/");
	assert_int_equal(drive_thread(drive, 200)->ptid, 1);
	drive_clone(drive, 100, 300, &(struct drive_clone){.flags = flags, .pid = 100, .ptid = 1});
	assert_int_equal(drive_thread(drive, 300)->ptid, 1);
}

/* As runc makes the first process of a container: its parent is not its creator. */
static void knows_the_creator_of_the_first_in_a_pid_namespace(void **state)
{
	struct drive *drive = *state;
	const uint32_t flags = clone_flags__CLONE_PARENT | clone_flags__CLONE_CHILD_IN_PIDNS;
	struct drive_clone caller = {.flags = flags, .pid = 200, .ptid = 100};
	struct drive_clone child = {.flags = flags, .pid = 300, .ptid = 100, .vtid = 1, .vpid = 1};

	drive_fork(drive, 100, 200);
	drive_open(drive, 200, 9, "/nine", 0);
	drive_clone(drive, 200, 300, &caller);
	drive_clone(drive, 300, 0, &child);
	assert_string_equal(drive_name(drive, 300, 9), "/nine");
	assert_int_equal(drive_thread(drive, 300)->ptid, 100);
	assert_int_equal(drive_thread(drive, 300)->vtid, 1);
	/* The child's event comes first. */
	child.pid = 301;
	drive_clone(drive, 301, 0, &child);
	drive_clone(drive, 200, 301, &caller);
	assert_string_equal(drive_name(drive, 301, 9), "/nine");
	/* Inside, it is no id of this namespace, even if the caller has one and the same in both.
	 */
	caller = (struct drive_clone){
		.flags = flags, .pid = 301, .ptid = 100, .vtid = 301, .vpid = 301};
	drive_clone(drive, 301, 302, &caller);
	assert_null(state_thread_find(drive->state, 302));
}

static void leaves_the_event_in_a_pid_namespace_to_the_child(void **state)
{
	struct drive *drive = *state;
	const uint32_t flags = clone_flags__CLONE_CHILD_IN_PIDNS;
	const struct state_thread *child;

	/* The first of a new namespace: its creator, outside, has its true id. */
	drive_clone(
		drive, 100, 200,
		&(struct drive_clone){.flags = clone_flags__CLONE_NEWPID, .pid = 100, .ptid = 1});
	assert_int_equal(drive_thread(drive, 200)->vtid, 1);
	drive_clone(drive, 200, 0,
		    &(struct drive_clone){
			    .flags = flags, .pid = 200, .ptid = 100, .vtid = 1, .vpid = 1});
	/* That one forks: 2 is an id of its own namespace. */
	drive_clone(drive, 200, 2,
		    &(struct drive_clone){
			    .flags = flags, .pid = 200, .ptid = 100, .vtid = 1, .vpid = 1});
	assert_null(state_thread_find(drive->state, 2));
	drive_clone(drive, 201, 0,
		    &(struct drive_clone){
			    .flags = flags, .pid = 201, .ptid = 200, .vtid = 2, .vpid = 2});
	child = drive_thread(drive, 201);
	assert_int_equal(child->vpid, 2);
	assert_string_equal(drive_name(drive, 201, 3), "/three");
}

static void makes_threads_from_events_alone(void **state)
{
	struct drive *drive = *state;

	assert_null(drive_any(drive, 500)->thread);
	drive_clone(drive, 501, 0,
		    &(struct drive_clone){.pid = 501, .ptid = 500, .comm = "orphan"});
	assert_string_equal(drive_thread(drive, 501)->comm, "orphan");
	drive_open(drive, 501, 3, "/x", 0);
	drive_clone(drive, 600, 601,
		    &(struct drive_clone){.pid = 600, .ptid = 1, .comm = "caller"});
	assert_string_equal(drive_thread(drive, 601)->comm, "caller");
	assert_int_equal(drive_thread(drive, 601)->ptid, 600);
	drive_exec(drive, 700, "cat");
	assert_string_equal(drive_thread(drive, 700)->program->exe, "cat");
	assert_null(state_thread_find(drive->state, 500));
}

static void replaces_a_thread_whose_end_was_lost(void **state)
{
	struct drive *drive = *state;

	drive_fork(drive, 100, 200);
	drive_exec(drive, 200, "old");
	drive_exec(drive, 300, "other");
	drive_clone(drive, 200, 0, &(struct drive_clone){.pid = 200, .ptid = 300, .comm = "other"});
	assert_int_equal(drive_thread(drive, 200)->ptid, 300);
	assert_string_equal(drive_thread(drive, 200)->program->exe, "other");
	assert_int_equal(threads_now(drive), 3);
	/* A thread's id, now a process's. */
	drive_clone(drive, 101, 0,
		    &(struct drive_clone){.flags = thread_flags, .pid = 100, .ptid = 1});
	drive_exec(drive, 101, "new");
	assert_int_equal(drive_thread(drive, 101)->pid, 101);
	assert_int_equal(drive_thread(drive, 100)->nthreads, 1);
}

static void put_credentials(struct frame *frame)
{
	frame_put_i64(frame, execve__tty, 34816);
	frame_put_i64(frame, execve__vpgid, 11);
	frame_put_i64(frame, execve__pgid, 12);
	frame_put_i64(frame, execve__loginuid, 1000);
	frame_put_i64(frame, execve__uid, 1001);
	frame_put_i64(frame, execve__gid, 1002);
	frame_put_i64(frame, execve__cap_permitted, 0x1ffffffffff);
	frame_put_i64(frame, execve__cap_effective, 2);
	frame_put_i64(frame, execve__cap_inheritable, 4);
	frame_put_i64(frame, execve__fdlimit, 1024);
	frame_put_i64(frame, execve__vm_size, 5000);
	frame_put_i64(frame, execve__vm_rss, 600);
	frame_put_i64(frame, execve__vm_swap, 7);
	frame_put_i64(frame, execve__pgft_maj, 8);
	frame_put_i64(frame, execve__pgft_min, 9);
	frame_put_string(frame, execve__cgroups, "cpu=/x");
}

static void expect_credentials(const struct state_thread *thread)
{
	assert_int_equal(thread->tty, 34816);
	assert_int_equal(thread->vpgid, 11);
	assert_int_equal(thread->pgid, 12);
	assert_int_equal(thread->loginuid, 1000);
	assert_int_equal(thread->uid, 1001);
	assert_int_equal(thread->gid, 1002);
	assert_int_equal(thread->caps_permitted, 0x1ffffffffff);
	assert_int_equal(thread->caps_effective, 2);
	assert_int_equal(thread->caps_inheritable, 4);
	assert_int_equal(thread->fd_limit, 1024);
	assert_int_equal(thread->vm_size_kib, 5000);
	assert_int_equal(thread->vm_rss_kib, 600);
	assert_int_equal(thread->vm_swap_kib, 7);
	assert_int_equal(thread->faults_major, 8);
	assert_int_equal(thread->faults_minor, 9);
	assert_string_equal(thread->cgroups->text, "cpu=/x");
	assert_int_equal(thread->cgroups->len, 7);
}

static void execs(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;
	const struct state_thread *thread;
	uint64_t born;

	drive_fork(drive, 100, 200);
	born = drive_thread(drive, 200)->clone_ts_ns;
	frame = drive_begin(drive, EVENT_execve, 200);
	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__pid, 200);
	frame_put_i64(frame, execve__ptid, 100);
	frame_put_string(frame, execve__exe, "ls");
	frame_put_bytes(frame, execve__args, "-l\0/", 5);
	frame_put_bytes(frame, execve__env, "A=1\0B=2", 8);
	frame_put_string(frame, execve__comm, "ls");
	frame_put_string(frame, execve__filename, "../bin/ls");
	frame_put_i64(frame, execve__flags, execve_flags__EXE_WRITABLE);
	frame_put_i64(frame, execve__exe_ino, 55);
	frame_put_i64(frame, execve__exe_ino_ctime, 66);
	frame_put_i64(frame, execve__exe_ino_mtime, 77);
	put_credentials(frame);
	thread = drive_end(drive)->thread;
	assert_int_equal(thread->tid, 200);
	expect_credentials(thread);
	assert_string_equal(thread->comm, "ls");
	assert_string_equal(thread->program->exe, "ls");
	/* Without the kernel's path of the program, the caller's has to do. */
	assert_string_equal(thread->program->exepath, "/bin/ls");
	assert_int_equal(thread->program->args_len, 5);
	assert_memory_equal(thread->program->args, "-l\0/", 5);
	assert_memory_equal(thread->program->env, "A=1\0B=2", 8);
	assert_int_equal(thread->program->flags, execve_flags__EXE_WRITABLE);
	assert_int_equal(thread->program->exe_ino, 55);
	assert_int_equal(thread->program->exe_ctime_ns, 66);
	assert_int_equal(thread->program->exe_mtime_ns, 77);
	assert_int_equal(thread->clone_ts_ns, born);
	assert_string_equal(thread->fs->cwd, "/w/");
	assert_string_equal(drive_name(drive, 200, 3), "/three");
	assert_false(drive_has_fd(drive, 200, 4));
	assert_string_equal(drive_thread(drive, 100)->program->exe, "sh");
}

static void failed_exec_keeps_the_program(void **state)
{
	struct drive *drive = *state;
	static const uint16_t ids[] = {EVENT_execve, EVENT_execveat};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct frame *frame = drive_begin(drive, ids[i], 100);

		frame_put_i64(frame, execve__res, -ENOENT);
		frame_put_i64(frame, execve__pid, 100);
		frame_put_string(frame, execve__exe, "missing");
		frame_put_string(frame, execve__comm, "sh2");
		put_credentials(frame);
		drive_end(drive);
		assert_string_equal(drive->event.thread->program->exe, "sh");
		assert_string_equal(drive->event.thread->comm, "sh2");
		expect_credentials(drive->event.thread);
		assert_true(drive_has_fd(drive, 100, 4));
	}
}

static void exec_ends_the_other_threads(void **state)
{
	struct drive *drive = *state;
	const struct drive_clone thread = {.flags = thread_flags, .pid = 100, .ptid = 1};

	drive_clone(drive, 101, 0, &thread);
	drive_clone(drive, 102, 0, &thread);
	drive_fork(drive, 101, 200);
	drive_exec(drive, 100, "cat");
	assert_null(state_thread_find(drive->state, 101));
	assert_null(state_thread_find(drive->state, 102));
	assert_int_equal(drive_thread(drive, 100)->nthreads, 1);
	assert_non_null(state_thread_find(drive->state, 200));
}

/* The kernel ends the leader first; then the caller takes over the leader's id. */
static void execs_from_another_thread(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *thread;

	drive_clone(
		drive, 101, 0,
		&(struct drive_clone){.flags = clone_flags__CLONE_THREAD, .pid = 100, .ptid = 1});
	drive_open(drive, 101, 8, "/eight", 0);
	drive_chdir(drive, 101, 0, "/own");
	drive_exit(drive, 100, 0);
	drive_any(drive, 101);
	assert_non_null(state_thread_find(drive->state, 100));
	thread = drive_exec(drive, 100, "cat")->thread;
	assert_int_equal(thread->tid, 100);
	assert_false(thread->exiting);
	assert_int_equal(thread->nthreads, 1);
	assert_null(state_thread_find(drive->state, 101));
	assert_string_equal(drive_name(drive, 100, 8), "/eight");
	assert_string_equal(thread->fs->cwd, "/own/");
	drive_any(drive, 100);
	assert_non_null(state_thread_find(drive->state, 100));
	drive_exit(drive, 100, 0);
	drive_any(drive, 1);
	assert_null(state_thread_find(drive->state, 100));
	assert_int_equal(threads_now(drive), 0);
}

static void ends(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;
	struct state_stats stats;

	event = drive_exit(drive, 100, 0);
	assert_non_null(event->thread);
	assert_true(event->thread->exiting);
	assert_string_equal(event->thread->comm, "sh");
	assert_string_equal(drive_name(drive, 100, 3), "/three");
	assert_null(drive_any(drive, 100)->thread);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.threads, 0);
	assert_int_equal(stats.fds, 0);
	drive_exit(drive, 100, 0);
	drive_any(drive, 100);
}

static void main_thread_waits_for_the_others(void **state)
{
	struct drive *drive = *state;
	const struct drive_clone thread = {.flags = thread_flags, .pid = 100, .ptid = 1};

	drive_clone(drive, 101, 0, &thread);
	drive_clone(drive, 102, 0, &thread);
	drive_exit(drive, 100, 0);
	assert_string_equal(drive_any(drive, 101)->thread->comm, "sh");
	assert_non_null(state_thread_main(drive->state, drive->event.thread));
	assert_int_equal(drive_thread(drive, 100)->nthreads, 2);
	drive_exit(drive, 101, 0);
	drive_exit(drive, 102, 0);
	assert_non_null(state_thread_main(drive->state, drive->event.thread));
	drive_any(drive, 1);
	assert_int_equal(threads_now(drive), 0);
}

static void children_get_another_parent(void **state)
{
	struct drive *drive = *state;

	drive_exec(drive, 1, "init");
	drive_fork(drive, 100, 200);
	drive_fork(drive, 200, 300);
	drive_exit(drive, 200, 1);
	assert_int_equal(drive_thread(drive, 300)->ptid, 1);
	assert_int_equal(drive_thread(drive, 200)->ptid, 100);
	drive_any(drive, 300);
	assert_ptr_equal(state_thread_parent(drive->state, drive_thread(drive, 300)),
			 drive_thread(drive, 1));
	drive_exit(drive, 100, 0);
	assert_int_equal(drive_thread(drive, 300)->ptid, 1);
}

/* The driver reports -1 when it could not find out. */
static void finds_the_parent_that_the_driver_did_not(void **state)
{
	struct drive *drive = *state;
	const struct drive_clone init = {.pid = 150, .ptid = 100, .vtid = 1, .vpid = 1};
	const struct drive_clone inner = {.pid = 160, .ptid = 150, .vtid = 2, .vpid = 2};
	const struct drive_clone thread = {.flags = thread_flags, .pid = 200, .ptid = 100};

	/* Another thread of the process, be it the main one or not. */
	drive_fork(drive, 100, 200);
	for (int64_t tid = 201; tid <= 220; tid++)
		drive_clone(drive, tid, 0, &thread);
	drive_fork(drive, 220, 300);
	drive_exit(drive, 220, -1);
	assert_int_equal(drive_thread(drive, 300)->ptid, 200);
	for (int left = 20; left > 0; left--) {
		drive_exit(drive, drive_thread(drive, 300)->ptid, -1);
		if (left > 1)
			assert_in_range(drive_thread(drive, 300)->ptid, 201, 219);
	}
	/* The first process of the machine, known or not. */
	assert_int_equal(drive_thread(drive, 300)->ptid, 1);
	/* The first one of a container. */
	drive_clone(drive, 150, 0, &init);
	drive_clone(drive, 160, 0, &inner);
	drive_fork(drive, 160, 170);
	drive_exit(drive, 160, -1);
	assert_int_equal(drive_thread(drive, 170)->ptid, 150);
	/* Nobody's children stay where they are. */
	drive_exit(drive, 150, 0);
	assert_int_equal(drive_thread(drive, 170)->ptid, 150);
	drive_exit(drive, 999, -1);
}

static void takes_overwritten_arguments(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_fork, 200);

	frame_put_i64(frame, fork__res, 0);
	frame_put_i64(frame, fork__pid, 200);
	frame_put_i64(frame, fork__ptid, 100);
	frame_put_string(frame, fork__exe, "daemon: idle");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 200)->program->exe, "daemon: idle");
	assert_int_equal(drive_thread(drive, 200)->program->args_len, 0);
	assert_string_equal(drive_thread(drive, 200)->program->exepath, "/bin/sh");
	assert_string_equal(drive_thread(drive, 100)->program->exe, "sh");
}

static void copes_with_absent_parameters(void **state)
{
	struct drive *drive = *state;
	static const uint16_t ids[] = {EVENT_clone,  EVENT_clone3,   EVENT_fork,    EVENT_vfork,
				       EVENT_execve, EVENT_execveat, EVENT_procexit};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		for (int64_t tid = -1; tid < 3; tid++) {
			drive_begin(drive, ids[i], tid);
			drive_end(drive);
		}
		drive_begin(drive, ids[i], 100);
		drive_end(drive);
	}
	drive_any(drive, 100);
}

/* A clone of which only the caller says that it happened. */
static void doubtful_clone(struct drive *drive, int64_t tid, int64_t result)
{
	struct frame *frame = drive_begin(drive, EVENT_clone, tid);

	frame_put_i64(frame, clone__res, result);
	frame_put_i64(frame, clone__tid, tid);
	frame_put_i64(frame, clone__pid, tid);
	frame_put_i64(frame, clone__ptid, 1);
	frame_put_string(frame, clone__comm, "forged");
	frame->marks.contested = 1;
	drive_end(drive);
}

/* It makes no thread of that number, and nothing else of its caller; a new thread is its own proof.
 */
static void doubtful_clones_make_nobody(void **state)
{
	struct drive *drive = *state;
	struct state_stats before, after;

	state_stats(drive->state, &before);
	doubtful_clone(drive, 100, 700);
	state_stats(drive->state, &after);
	assert_int_equal(after.threads, before.threads);
	doubtful_clone(drive, 100, 0);
	assert_string_equal(drive_thread(drive, 100)->comm, "sh");
	doubtful_clone(drive, 701, 0);
	assert_non_null(drive_thread(drive, 701));
}

static const uint32_t inner = clone_flags__CLONE_CHILD_IN_PIDNS;

/* A process in a container, 300, named 5 there. */
static void begin_inner(struct drive *drive)
{
	drive_clone(drive, 300, 0,
		    &(struct drive_clone){
			    .flags = inner, .pid = 300, .ptid = 100, .vtid = 5, .vpid = 5});
	drive_open(drive, 300, 13, "/three", 0);
}

static void fork_inner(struct drive *drive, int64_t child)
{
	drive_clone(drive, 300, child,
		    &(struct drive_clone){
			    .flags = inner, .pid = 300, .ptid = 100, .vtid = 5, .vpid = 5});
}

static void begin_child(struct drive *drive, int64_t tid, int64_t child)
{
	drive_clone(drive, tid, 0,
		    &(struct drive_clone){
			    .flags = inner, .pid = tid, .ptid = 300, .vtid = child, .vpid = child});
}

/* What its parent closes before the child's event comes is closed in the parent alone. */
static void a_child_has_what_its_parent_had(void **state)
{
	struct drive *drive = *state;

	begin_inner(drive);
	fork_inner(drive, 6);
	assert_true(state_fds_has_other(drive_thread(drive, 300)->fds, 13));
	drive_close(drive, 300, 0, 13);
	drive_open(drive, 300, 14, "/four", 0);
	fork_inner(drive, 7);
	begin_child(drive, 302, 7);
	begin_child(drive, 301, 6);
	assert_true(drive_has_fd(drive, 301, 13));
	assert_false(drive_has_fd(drive, 301, 14));
	assert_false(drive_has_fd(drive, 302, 13));
	assert_true(drive_has_fd(drive, 302, 14));
	/* Once. */
	begin_child(drive, 303, 6);
	assert_false(drive_has_fd(drive, 303, 13));
}

/* Whose event does not come is forgotten. */
static void forks_are_forgotten(void **state)
{
	struct drive *drive = *state;

	begin_inner(drive);
	for (int64_t child = 6; child < 6 + 3 * FORKS_COUNT; child++)
		fork_inner(drive, child);
	assert_true(state_fds_has_other(drive_thread(drive, 300)->fds, 13));
	drive->ts_ns += 2 * FORK_KEPT_NS;
	drive_any(drive, 300);
	drive_any(drive, 300);
	assert_false(state_fds_has_other(drive_thread(drive, 300)->fds, 13));
	fork_inner(drive, 6);
	assert_true(state_fds_has_other(drive_thread(drive, 300)->fds, 13));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(doubtful_clones_make_nobody),
	TEST(forks_child_first),
	TEST(forks_parent_first),
	TEST(forks_without_the_childs_event),
	TEST(forks_without_the_parents_event),
	TEST(does_not_undo_what_a_quick_child_did),
	TEST(does_not_bring_back_a_child_that_ended),
	TEST(leaves_the_event_of_vfork_to_the_child),
	TEST(keeps_nothing_of_failed_calls),
	TEST(makes_threads),
	TEST(shares_what_the_flags_say),
	TEST(knows_the_creator_behind_clone_parent),
	TEST(knows_the_creator_of_the_first_in_a_pid_namespace),
	TEST(leaves_the_event_in_a_pid_namespace_to_the_child),
	TEST(makes_threads_from_events_alone),
	TEST(replaces_a_thread_whose_end_was_lost),
	TEST(execs),
	TEST(failed_exec_keeps_the_program),
	TEST(exec_ends_the_other_threads),
	TEST(execs_from_another_thread),
	TEST(ends),
	TEST(main_thread_waits_for_the_others),
	TEST(children_get_another_parent),
	TEST(finds_the_parent_that_the_driver_did_not),
	TEST(takes_overwritten_arguments),
	TEST(copes_with_absent_parameters),
	TEST(a_child_has_what_its_parent_had),
	TEST(forks_are_forgotten),
};

UNIT_GROUP(tests);
