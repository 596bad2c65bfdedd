/* SPDX-License-Identifier: MIT */
/* Descriptors of objects without a path: their kinds, their names, and what exec does to them. */
#include <errno.h>
#include <fcntl.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "unit.h"

enum { NEW_FD = 9 };

static struct state_event *make(struct drive *drive, uint16_t id, int64_t result,
				unsigned int param, int64_t value)
{
	struct frame *frame = drive_begin(drive, id, 100);

	if (param)
		frame_put_i64(frame, param, value);
	frame_put_i64(frame, 0, result);
	return drive_end(drive);
}

static bool is_cloexec(struct drive *drive, int64_t num)
{
	return state_fds_cloexec(drive_thread(drive, 100)->fds, num);
}

static const struct object {
	uint16_t event;
	enum scap_fd_type type;
	bool always; /* closed by exec without being asked */
	unsigned int flags;
	uint32_t cloexec;
} objects[] = {
	{EVENT_eventfd, SCAP_FD_EVENT, false, 0, 0},
	{EVENT_eventfd2, SCAP_FD_EVENT, false, eventfd2__flags, file_flags__O_CLOEXEC},
	{EVENT_signalfd, SCAP_FD_SIGNAL, false, 0, 0},
	{EVENT_signalfd4, SCAP_FD_SIGNAL, false, signalfd4__flags, file_flags__O_CLOEXEC},
	{EVENT_timerfd_create, SCAP_FD_TIMER, true, 0, 0},
	{EVENT_inotify_init, SCAP_FD_INOTIFY, false, 0, 0},
	{EVENT_inotify_init1, SCAP_FD_INOTIFY, false, inotify_init1__flags, file_flags__O_CLOEXEC},
	{EVENT_epoll_create, SCAP_FD_EPOLL, false, 0, 0},
	{EVENT_epoll_create1, SCAP_FD_EPOLL, false, epoll_create1__flags,
	 epoll_create1_flags__EPOLL_CLOEXEC},
	{EVENT_io_uring_setup, SCAP_FD_IO_URING, true, 0, 0},
	{EVENT_memfd_create, SCAP_FD_MEMFD, false, memfd_create__flags,
	 memfd_create_flags__MFD_CLOEXEC},
	{EVENT_userfaultfd, SCAP_FD_USERFAULT, false, userfaultfd__flags, O_CLOEXEC},
};

static void check_object(struct drive *drive, const struct object *object)
{
	struct state_event *event = make(drive, object->event, NEW_FD, 0, 0);

	assert_true(event->has_fd);
	assert_int_equal(event->fd_num, NEW_FD);
	assert_int_equal(event->fd->type, object->type);
	assert_string_equal(event->fd->name, "");
	assert_int_equal(is_cloexec(drive, NEW_FD), object->always);
	if (object->flags) {
		make(drive, object->event, NEW_FD, object->flags, object->cloexec);
		assert_true(is_cloexec(drive, NEW_FD));
	}
	event = make(drive, object->event, -EMFILE, 0, 0);
	assert_int_equal(event->fd_num, -EMFILE);
	assert_null(event->fd);
	assert_int_equal(state_fds_count(drive_thread(drive, 100)->fds), 1);
}

static void makes_objects(void **state)
{
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		check_object(*state, &objects[i]);
}

static void copes_without_a_thread_or_a_result(void **state)
{
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		drive_begin(*state, objects[i].event, 100);
		assert_false(drive_end(*state)->has_fd);
		frame_put_i64(drive_begin(*state, objects[i].event, 999), 0, NEW_FD);
		assert_null(drive_end(*state)->fd);
	}
	assert_int_equal(state_fds_count(drive_thread(*state, 100)->fds), 0);
}

/* signalfd also names the one that it changes. */
static void changes_signals(void **state)
{
	struct state_event *event = make(*state, EVENT_signalfd4, NEW_FD, signalfd4__fd, -1);

	assert_int_equal(event->fd_num, NEW_FD);
	event = make(*state, EVENT_signalfd, NEW_FD, signalfd__fd, NEW_FD);
	assert_int_equal(event->fd->type, SCAP_FD_SIGNAL);
}

static void names_processes(void **state)
{
	struct state_event *event = make(*state, EVENT_pidfd_open, NEW_FD, pidfd_open__pid, 4711);

	assert_int_equal(event->fd->type, SCAP_FD_PIDFD);
	assert_string_equal(event->fd->name, "/proc/4711");
	assert_true(is_cloexec(*state, NEW_FD));
	assert_null(make(*state, EVENT_pidfd_open, -ESRCH, pidfd_open__pid, 4711)->fd);
}

static void names_memory(void **state)
{
	struct frame *frame = drive_begin(*state, EVENT_memfd_create, 100);

	frame_put_i64(frame, memfd_create__fd, NEW_FD);
	frame_put_string(frame, memfd_create__name, "secret");
	assert_string_equal(drive_end(*state)->fd->name, "secret");
}

static void takes_own_descriptors(void **state)
{
	struct frame *frame;

	drive_thread(*state, 100)->vpid = 100;
	drive_open(*state, 100, 3, "/three", 0);
	make(*state, EVENT_pidfd_open, 4, pidfd_open__pid, 100);
	frame = drive_begin(*state, EVENT_pidfd_getfd, 100);
	frame_put_i64(frame, pidfd_getfd__fd, 5);
	frame_put_i64(frame, pidfd_getfd__pid_fd, 4);
	frame_put_i64(frame, pidfd_getfd__target_fd, 3);
	assert_string_equal(drive_end(*state)->fd->name, "/three");
	assert_true(is_cloexec(*state, 5));
	assert_false(is_cloexec(*state, 3));
	/* The open file goes on without the first number. */
	drive_close(*state, 100, 0, 3);
	drive_any(*state, 100);
	assert_string_equal(drive_name(*state, 100, 5), "/three");
	/* Not a process: what was at 5 is gone all the same. */
	frame = drive_begin(*state, EVENT_pidfd_getfd, 100);
	frame_put_i64(frame, pidfd_getfd__fd, 5);
	frame_put_i64(frame, pidfd_getfd__pid_fd, 5);
	frame_put_i64(frame, pidfd_getfd__target_fd, 4);
	assert_null(drive_end(*state)->fd);
	assert_false(drive_has_fd(*state, 100, 5));
}

static void distinguishes_commands(void **state)
{
	struct state_event *event =
		make(*state, EVENT_bpf, 3, bpf__cmd, bpf_commands__BPF_MAP_CREATE);

	assert_int_equal(event->fd->type, SCAP_FD_BPF);
	assert_true(is_cloexec(*state, 3));
	/* The result of others is no descriptor. */
	drive_open(*state, 100, 0, "/zero", 0);
	event = make(*state, EVENT_bpf, 0, bpf__cmd, bpf_commands__BPF_MAP_UPDATE_ELEM);
	assert_false(event->has_fd);
	assert_null(event->fd);
	make(*state, EVENT_bpf, 0, bpf__cmd, UINT32_MAX);
	assert_string_equal(drive_name(*state, 100, 0), "/zero");
	assert_null(make(*state, EVENT_bpf, -EPERM, bpf__cmd, bpf_commands__BPF_PROG_LOAD)->fd);
}

static void exec_closes_what_is_marked(void **state)
{
	make(*state, EVENT_eventfd2, 4, eventfd2__flags, file_flags__O_CLOEXEC);
	make(*state, EVENT_eventfd2, 5, eventfd2__flags, file_flags__O_NONBLOCK);
	drive_exec(*state, 100, "cat");
	assert_false(drive_has_fd(*state, 100, 4));
	assert_true(drive_has_fd(*state, 100, 5));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)
	TEST(makes_objects),	      TEST(copes_without_a_thread_or_a_result),
	TEST(changes_signals),	      TEST(names_processes),
	TEST(names_memory),	      TEST(takes_own_descriptors),
	TEST(distinguishes_commands), TEST(exec_closes_what_is_marked),
};

UNIT_GROUP(tests);
