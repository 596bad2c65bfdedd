/* SPDX-License-Identifier: MIT */
/* Of which closes there are events while only those of sockets are wanted, on the running kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "own_events.h"
#include "patience.h"
#include "scap/live/live.h"
#include "unit.h"
#include "uring.h"

enum { RING_BYTES = 1 << 20, HIGH = 700, NOT_OPEN = 7777 };

static struct scap_live *live;

/* A close that has an event ends what a test does. */
static void mark_end(void)
{
	syscall(SYS_close, -77);
}

/* The descriptor of the next close of a process. */
static int64_t next_close_of(int64_t pid)
{
	struct scap_event raw;
	struct event event;

	do {
		assert_int_equal(scap_source_next(scap_live_source(live), PATIENCE_MS, &raw), 1);
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
	} while (event.desc->id != EVENT_close || event.tid != pid);
	return event_param_i64(&event, close__fd);
}

static int64_t next_close(void)
{
	return next_close_of(getpid());
}

static void expect_close(int64_t fd)
{
	assert_int_equal(next_close(), fd);
}

static void expect_end(void)
{
	expect_close(-77);
}

/* What the capture itself closed when it began. */
static void skip_setup(void)
{
	mark_end();
	while (next_close() != -77)
		;
}

static int begin(bool sees_ranges)
{
	struct scap_live_config config = {
		.ring_bytes = RING_BYTES,
		.snaplen = SNAPLEN_DEFAULT,
		.stream_bytes = 1024,
		.events = {[EVENT_close] = true,
			   [EVENT_close_range] = sees_ranges,
			   [EVENT_dup2] = true,
			   [EVENT_fcntl] = true,
			   [EVENT_recvmsg] = true,
			   [EVENT_socket] = true,
			   [EVENT_socketpair] = true},
		.stream_only = {[EVENT_close] = true},
	};
	struct error err = {""};
	int r;

	live = NULL;
	own_events_only(&config);
	r = scap_live_open(&config, &live, &err);
	if (r < 0 && r != -EPERM)
		print_message("%s\n", err.text);
	if (r == 0)
		skip_setup();
	return r < 0 && r != -EPERM;
}

static int setup(void **state)
{
	return begin(true);
}

/* A close_range closes unseen, as that of another interface may. */
static int setup_unseen(void **state)
{
	return begin(false);
}

static int teardown(void **state)
{
	scap_source_destroy(live ? scap_live_source(live) : NULL);
	return 0;
}

static int open_file(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int open_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	return fd;
}

static void leaves_out_files(void **state)
{
	int socket_fd;

	if (!live)
		skip();
	for (int i = 0; i < 3; i++)
		close(open_file());
	socket_fd = open_socket();
	close(socket_fd);
	close(open_file());
	mark_end();
	expect_close(socket_fd);
	expect_end();
}

/* Those that were open before, and those of a kind that is not looked at. */
static void has_those_that_nobody_knows(void **state)
{
	int pipes[2];

	if (!live)
		skip();
	assert_int_equal(pipe(pipes), 0);
	close(pipes[0]);
	close(pipes[1]);
	close(NOT_OPEN);
	mark_end();
	expect_close(pipes[0]);
	expect_close(pipes[1]);
	expect_close(NOT_OPEN);
	expect_end();
}

/* A number gets another file without a close of the one before. */
static void forgets_what_is_replaced(void **state)
{
	int file, socket_fd, other;

	if (!live)
		skip();
	file = open_file();
	socket_fd = open_socket();
	assert_int_equal(dup2(socket_fd, file), file);
	close(file);
	close(socket_fd);
	file = open_file();
	syscall(SYS_close_range, file, file, 0);
	other = open_socket();
	assert_int_equal(other, file);
	close(other);
	mark_end();
	expect_close(file);
	expect_close(socket_fd);
	expect_close(other);
	expect_end();
}

/* A number that shares the place of another one takes it. */
static void knows_the_last_of_a_place(void **state)
{
	int file, high, highest;

	if (!live)
		skip();
	file = open_file();
	high = fcntl(file, F_DUPFD, HIGH);
	assert_true(high >= HIGH);
	close(high);
	close(file);
	file = open_file();
	for (highest = file; highest < file + 256;)
		highest = open_file();
	close(file);
	close(highest);
	mark_end();
	expect_close(high);
	expect_close(file);
	expect_end();
	syscall(SYS_close_range, file, highest, 0);
}

/* What a child closes of its own is not noted of it. */
static void knows_whose_they_are(void **state)
{
	int file, status;
	pid_t child;

	if (!live)
		skip();
	file = open_file();
	child = fork();
	if (child == 0) {
		close(file);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(next_close_of(child), file);
	close(file);
	mark_end();
	expect_end();
}

/* Another process with the same table closes a file, and gives its number to a socket. */
static void forgets_what_others_replace(void **state)
{
	int file, status;
	pid_t child;

	if (!live)
		skip();
	file = open_file();
	child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		syscall(SYS_close, file);
		_exit(socket(AF_INET, SOCK_STREAM, 0) == file ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(next_close_of(child), file);
	close(file);
	mark_end();
	expect_close(file);
	expect_end();
}

/* A file that was noted and closed unseen: its number is free, which the note does not say. */
static int close_unseen(void)
{
	int file = open_file();

	assert_int_equal(syscall(SYS_close_range, file, file, 0), 0);
	return file;
}

/* Of what a call made with that number there is a close. */
static void expect_close_of(int made, int noted)
{
	assert_int_equal(made, noted);
	close(made);
	mark_end();
	expect_close(made);
	expect_end();
}

static void forgets_what_fcntl_gives(void **state)
{
	int noted, other;

	if (!live)
		skip();
	other = open_socket();
	noted = close_unseen();
	expect_close_of(fcntl(other, F_DUPFD_CLOEXEC, noted), noted);
	close(other);
}

static void forgets_what_socketpair_gives(void **state)
{
	int noted, pair[2];

	if (!live)
		skip();
	noted = close_unseen();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	expect_close_of(pair[0], noted);
	close(pair[1]);
}

/* Sends a descriptor, or receives one if that is -1; returns what was received. */
static int pass(int by, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = {0};
	struct iovec vector = {&byte, 1};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (fd >= 0) {
		*header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fd)),
					   .cmsg_level = SOL_SOCKET,
					   .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
		assert_int_equal(sendmsg(by, &message, 0), 1);
		return fd;
	}
	assert_int_equal(recvmsg(by, &message, 0), 1);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static void forgets_what_is_received(void **state)
{
	int noted, pair[2];

	if (!live)
		skip();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pass(pair[0], pair[0]);
	noted = close_unseen();
	expect_close_of(pass(pair[1], -1), noted);
	close(pair[0]);
	close(pair[1]);
}

/* An operation of io_uring makes a socket, or closes what was noted. */
static void forgets_what_rings_do(void **state)
{
	const struct io_uring_sqe make = {
		.opcode = 45 /* IORING_OP_SOCKET */, .fd = AF_INET, .off = SOCK_STREAM};
	struct uring ring;
	int noted, made;

	if (!live || uring_open(&ring, 2, 0) < 0)
		skip();
	noted = close_unseen();
	made = uring_do(&ring, &make);
	if (made >= 0)
		expect_close_of(made, noted);
	noted = open_file();
	uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_CLOSE, .fd = noted});
	expect_close(noted);
	/* A call that nobody captures makes the next one. */
	assert_int_equal(epoll_create1(0), noted);
	expect_close_of(noted, noted);
	uring_close(&ring);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(leaves_out_files),		  TEST(has_those_that_nobody_knows),
	TEST(forgets_what_is_replaced),	  TEST(knows_the_last_of_a_place),
	TEST(knows_whose_they_are),	  TEST(forgets_what_others_replace),
#define UNSEEN(name) cmocka_unit_test_setup_teardown(name, setup_unseen, teardown)
	UNSEEN(forgets_what_fcntl_gives), UNSEEN(forgets_what_socketpair_gives),
	UNSEEN(forgets_what_is_received), UNSEEN(forgets_what_rings_do),
};

UNIT_GROUP(tests);
