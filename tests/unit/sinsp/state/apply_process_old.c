/* SPDX-License-Identifier: MIT */
/* Events of old captures, brought into the form of today: what they do not have stays as it was. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "unit.h"

static int setup(void **state)
{
	drive_setup(state);
	drive_exec(*state, 100, "shell");
	drive_thread(*state, 100)->vtid = drive_thread(*state, 100)->vpid = 100;
	drive_chdir(*state, 100, 0, "/home");
	return 0;
}

/* The eight parameters of an exec of 2014. */
static struct frame *begin_exec(struct drive *drive, const char *exe)
{
	struct frame *frame = drive_begin(drive, EVENT_execve, 100);

	frame_put_i64(frame, execve__res, 0);
	frame_put_string(frame, execve__exe, exe);
	frame_put_bytes(frame, execve__args, "x", 2);
	frame_put_i64(frame, execve__tid, 100);
	frame_put_i64(frame, execve__pid, 100);
	frame_put_i64(frame, execve__ptid, 1);
	return frame;
}

static void names_programs_without_a_name(void **state)
{
	struct drive *drive = *state;

	begin_exec(drive, "/usr/bin/a-name-of-many-letters");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->comm, "a-name-of-many-");
	begin_exec(drive, "plain");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->comm, "plain");
	assert_string_equal(drive_thread(drive, 100)->program->exepath, "");
	/* One that is reported is not put aside. */
	frame_put_string(begin_exec(drive, "/bin/busybox"), execve__comm, "ls");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->comm, "ls");
}

static void joins_the_file_name(void **state)
{
	struct drive *drive = *state;

	frame_put_string(begin_exec(drive, "prog"), execve__filename, "./bin/../prog");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->program->exepath, "/home/prog");
}

/* What the program had before does not stay with another one. */
static void forgets_the_program_before(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = begin_exec(drive, "first");

	frame_put_i64(frame, execve__flags, execve_flags__EXE_WRITABLE);
	frame_put_i64(frame, execve__exe_ino, 5);
	frame_put_i64(frame, execve__cap_effective, 3);
	frame_put_i64(frame, execve__loginuid, 1000);
	drive_end(drive);
	begin_exec(drive, "second");
	drive_end(drive);
	assert_int_equal(drive_thread(drive, 100)->program->flags, 0);
	assert_int_equal(drive_thread(drive, 100)->program->exe_ino, 0);
	/* What belongs to the thread does. */
	assert_int_equal(drive_thread(drive, 100)->caps_effective, 3);
	assert_int_equal(drive_thread(drive, 100)->loginuid, 1000);
}

/* A fork of 2014: no ids of its namespace, no name. */
static void fork_old(struct drive *drive, int64_t tid, int64_t ptid, int64_t result,
		     const char *cwd)
{
	struct frame *frame = drive_begin(drive, EVENT_clone, tid);

	frame_put_i64(frame, clone__res, result);
	frame_put_string(frame, clone__exe, "shell");
	frame_put_i64(frame, clone__tid, tid);
	frame_put_i64(frame, clone__pid, tid);
	frame_put_i64(frame, clone__ptid, ptid);
	frame_put_string(frame, clone__cwd, cwd);
	frame_put_i64(frame, clone__uid, 5);
	drive_end(drive);
}

/* As in other readers, the directory of a thread is what clone and chdir say. */
static void stays_where_it_is(void **state)
{
	struct drive *drive = *state;

	frame_put_string(begin_exec(drive, "prog"), execve__cwd, "/srv");
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/home/");
	fork_old(drive, 100, 1, 0x7fff, "<NA>");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/home/");
}

/* The exec of a process that no earlier event reported. */
static const struct state_thread *exec_unseen(struct drive *drive, int64_t tid, int64_t ptid,
					      int64_t group_inside)
{
	struct frame *frame = drive_begin(drive, EVENT_execve, tid);

	frame_put_i64(frame, execve__res, 0);
	frame_put_string(frame, execve__exe, "x");
	frame_put_i64(frame, execve__pid, tid);
	frame_put_i64(frame, execve__ptid, ptid);
	frame_put_i64(frame, execve__vpgid, group_inside);
	frame_put_i64(frame, execve__pgid, 100);
	drive_end(drive);
	return drive_thread(drive, tid);
}

/* It is not root's, and in the pid namespace of its parent. */
static void makes_threads_from_exec(void **state)
{
	struct drive *drive = *state;
	const struct state_thread *thread = exec_unseen(drive, 500, 100, 100);

	assert_int_equal(thread->vtid, 500);
	assert_int_equal(thread->vpid, 500);
	assert_int_equal(thread->uid, UINT32_MAX);
	assert_int_equal(thread->gid, UINT32_MAX);
	/* Its group has another id inside than outside. */
	assert_int_equal(exec_unseen(drive, 501, 100, 1)->vpid, -1);
	/* Nothing is known of the parent, or it is inside itself. */
	assert_int_equal(exec_unseen(drive, 502, 99, 100)->vpid, -1);
	drive_thread(drive, 100)->vpid = 7;
	assert_int_equal(exec_unseen(drive, 503, 100, 100)->vpid, -1);
}

static void expect_child(struct drive *drive, int64_t tid)
{
	const struct state_thread *child = drive_thread(drive, tid);

	assert_int_equal(child->ptid, 100);
	assert_int_equal(child->vtid, tid);
	assert_int_equal(child->vpid, tid);
	assert_string_equal(child->comm, "shell");
	assert_string_equal(child->program->exepath, "/bin/shell");
	assert_string_equal(child->fs->cwd, "/home/");
	assert_string_equal(drive_name(drive, tid, 3), "/etc/x");
}

static void makes_children_from_either_side(void **state)
{
	struct drive *drive = *state;

	drive_open(drive, 100, 3, "/etc/x", 1);
	fork_old(drive, 100, 1, 200, NULL); /* the caller alone */
	expect_child(drive, 200);
	assert_int_equal(drive_thread(drive, 200)->uid, 5);
	fork_old(drive, 201, 100, 0, NULL); /* the child alone */
	expect_child(drive, 201);
	fork_old(drive, 100, 1, 202, NULL); /* both, the caller first */
	fork_old(drive, 202, 100, 0, "/var");
	assert_string_equal(drive_thread(drive, 202)->fs->cwd, "/var/");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/home/");
	fork_old(drive, 203, 100, 0, NULL); /* both, the child first */
	fork_old(drive, 100, 1, 203, NULL);
	expect_child(drive, 203);
}

/* A child has page faults before it comes back from the call that made it. */
static void keeps_the_first_time(void **state)
{
	struct drive *drive = *state;
	uint64_t made_ns = drive->ts_ns;

	fork_old(drive, 100, 1, 200, NULL);
	drive_begin(drive, EVENT_page_fault, 200);
	drive_end(drive);
	fork_old(drive, 200, 100, 0, NULL);
	assert_int_equal(drive_thread(drive, 200)->clone_ts_ns, made_ns);
	/* After a call of its own it is one whose end was lost. */
	made_ns = drive->ts_ns;
	fork_old(drive, 200, 100, 0, NULL);
	assert_int_equal(drive_thread(drive, 200)->clone_ts_ns, made_ns);
	fork_old(drive, 100, 1, 201, NULL);
	drive_any(drive, 201);
	made_ns = drive->ts_ns;
	fork_old(drive, 201, 100, 0, NULL);
	assert_int_equal(drive_thread(drive, 201)->clone_ts_ns, made_ns);
}

/* The caller's result is an id of its own namespace: of the host that may be anybody's. */
static void makes_no_children_by_foreign_ids(void **state)
{
	struct drive *drive = *state;

	drive_thread(drive, 100)->vtid = drive_thread(drive, 100)->vpid = 7;
	fork_old(drive, 100, 1, 8, NULL);
	assert_null(state_thread_find(drive->state, 8));
	fork_old(drive, 300, 100, 0, NULL);
	assert_int_equal(drive_thread(drive, 300)->vtid, -1);
}

static void finds_who_takes_orphans(void **state)
{
	struct drive *drive = *state;

	fork_old(drive, 100, 1, 200, NULL);
	fork_old(drive, 200, 100, 300, NULL);
	drive_begin(drive, EVENT_procexit, 200); /* without a reaper */
	drive_end(drive);
	assert_int_equal(drive_thread(drive, 300)->ptid, 1);
}

/* Without its enter event a call does not say what it asked for. */
static void changes_nothing_untold(void **state)
{
	struct drive *drive = *state;
	struct state_thread *thread = drive_thread(drive, 100);

	thread->pgid = thread->vpgid = 44;
	thread->uid = 45;
	thread->fd_limit = 46;
	frame_put_i64(drive_begin(drive, EVENT_setpgid, 100), setpgid__res, 0);
	drive_end(drive);
	frame_put_i64(drive_begin(drive, EVENT_setuid, 100), setuid__res, 0);
	drive_end(drive);
	frame_put_i64(drive_begin(drive, EVENT_setresuid, 100), setresuid__res, 0);
	drive_end(drive);
	frame_put_i64(drive_begin(drive, EVENT_prlimit, 100), prlimit__newcur, 7);
	drive_end(drive);
	frame_put_i64(drive_begin(drive, EVENT_fchdir, 100), fchdir__res, 0);
	drive_end(drive);
	assert_int_equal(thread->pgid, 44);
	assert_int_equal(thread->vpgid, 44);
	assert_int_equal(thread->uid, 45);
	assert_int_equal(thread->fd_limit, 46);
	assert_string_equal(thread->fs->cwd, "/home/");
}

static void walks_by_names(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	drive_chdir(drive, 100, 0, "a/./b/..");
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/home/a/");
	drive_openat(drive, 100, 3, -100, "../x");
	assert_string_equal(drive_name(drive, 100, 3), "/home/x");
	drive_openat(drive, 100, 4, 3, "y");
	assert_string_equal(drive_name(drive, 100, 4), "/home/x/y");
	drive_openat(drive, 100, 5, 99, "z");
	assert_string_equal(drive_name(drive, 100, 5), "<UNKNOWN>z");
	frame = drive_begin(drive, EVENT_fchdir, 100);
	frame_put_i64(frame, fchdir__res, 0);
	frame_put_i64(frame, fchdir__fd, 4);
	drive_end(drive);
	assert_string_equal(drive_thread(drive, 100)->fs->cwd, "/home/x/y/");
}

static void pairs_are_unix_sockets(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_socketpair, 100);
	const struct state_fd *fd;

	frame_put_i64(frame, socketpair__res, 0);
	frame_put_i64(frame, socketpair__fd1, 3);
	frame_put_i64(frame, socketpair__fd2, 4);
	frame_put_i64(frame, socketpair__source, 0xa);
	frame_put_i64(frame, socketpair__peer, 0xb);
	drive_end(drive);
	fd = state_fds_find(drive_thread(drive, 100)->fds, 3);
	assert_int_equal(fd->type, SCAP_FD_UNIX);
	assert_int_equal(state_fd_ends(fd)->unix_socket, 0xa);
	assert_int_equal(state_fd_ends(fd)->unix_peer, 0xb);
	fd = state_fds_find(drive_thread(drive, 100)->fds, 4);
	assert_int_equal(state_fd_ends(fd)->unix_socket, 0xb);
	assert_int_equal(state_fd_ends(fd)->unix_peer, 0xa);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)

/* A capture with a filter has the calls of threads, and nothing else of them. */
static void makes_threads_of_their_calls(void **state)
{
	struct drive *drive = *state;
	struct state_event *event;

	event = drive_open(drive, 200, 3, "/etc/passwd", 1);
	assert_null(event->thread);
	state_snapshot(drive->state);
	drive_begin(drive, EVENT_page_fault, 200);
	assert_null(drive_end(drive)->thread);
	drive_open(drive, 200, 3, "/etc/passwd", 1);
	event = drive_read(drive, 200, 1, 3);
	assert_string_equal(event->fd->name, "/etc/passwd");
	assert_int_equal(event->thread->pid, -1);
	assert_int_equal(event->thread->uid, UINT32_MAX);
	assert_int_equal(event->thread->vpid, -1);
}

/* Its process has the descriptors that were seen, and counts it. */
static void learns_its_process(void **state)
{
	struct drive *drive = *state;
	const struct drive_clone clone = {.pid = 100, .ptid = 1, .comm = "shell"};

	state_snapshot(drive->state);
	drive_exec(drive, 100, "shell");
	drive_open(drive, 200, 3, "/etc/passwd", 1);
	drive_exec(drive, 200, "cat");
	assert_int_equal(drive_thread(drive, 200)->pid, 200);
	assert_int_equal(drive_thread(drive, 200)->nthreads, 1);
	assert_string_equal(drive_name(drive, 200, 3), "/etc/passwd");
	drive_any(drive, 300);
	drive_any(drive, 301); /* no event names its process */
	assert_int_equal(drive_thread(drive, 100)->nthreads, 1);
	drive_clone(drive, 300, -EAGAIN, &clone);
	assert_int_equal(drive_thread(drive, 300)->pid, 100);
	assert_int_equal(drive_thread(drive, 100)->nthreads, 2);
	drive_exit(drive, 300, 0);
	drive_exit(drive, 301, 0);
	drive_any(drive, 100);
	assert_int_equal(drive_thread(drive, 100)->nthreads, 1);
	assert_null(state_thread_find(drive->state, 301));
}

/* By ids of a namespace that is not known nobody is found. */
static void strangers_name_nobody(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;

	state_snapshot(drive->state);
	drive_exec(drive, 100, "shell");
	drive_thread(drive, 100)->pgid = 44;
	frame = drive_begin(drive, EVENT_setpgid, 300);
	frame_put_i64(frame, setpgid__res, 0);
	frame_put_i64(frame, setpgid__pid, 100);
	frame_put_i64(frame, setpgid__pgid, 100);
	drive_end(drive);
	assert_int_equal(drive_thread(drive, 100)->pgid, 44);
}

/* What is known of it later takes the place of the guess. */
static void learns_whose_child_it_is(void **state)
{
	struct drive *drive = *state;

	state_snapshot(drive->state);
	drive_exec(drive, 100, "shell");
	drive_any(drive, 300);
	assert_string_equal(drive_thread(drive, 300)->comm, "");
	drive_clone(drive, 100, 300, &(struct drive_clone){.pid = 100, .ptid = 1, .comm = "shell"});
	assert_string_equal(drive_thread(drive, 300)->comm, "shell");
	assert_int_equal(drive_thread(drive, 300)->ptid, 100);
}

static const struct CMUnitTest tests[] = {
	TEST(names_programs_without_a_name),
	TEST(joins_the_file_name),
	TEST(forgets_the_program_before),
	TEST(stays_where_it_is),
	TEST(makes_threads_from_exec),
	TEST(makes_children_from_either_side),
	TEST(keeps_the_first_time),
	TEST(makes_no_children_by_foreign_ids),
	TEST(finds_who_takes_orphans),
	TEST(changes_nothing_untold),
	TEST(walks_by_names),
	TEST(pairs_are_unix_sockets),
	TEST(makes_threads_of_their_calls),
	TEST(learns_its_process),
	TEST(strangers_name_nobody),
	TEST(learns_whose_child_it_is),
};

UNIT_GROUP(tests);
