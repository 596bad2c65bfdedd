/* SPDX-License-Identifier: MIT */
/* Of which closes there are events while only those of sockets are wanted, on the running kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "own_events.h"
#include "patience.h"
#include "scap/live/live.h"
#include "unit.h"

enum { RING_BYTES = 1 << 20, HIGH = 700, NOT_OPEN = 7777 };

static struct scap_live *live;

/* A close that has an event ends what a test does. */
static void mark_end(void)
{
	syscall(SYS_close, -77);
}

/* The descriptor of the next close of this thread. */
static int64_t next_close(void)
{
	struct scap_event raw;
	struct event event;

	do {
		assert_int_equal(scap_source_next(scap_live_source(live), PATIENCE_MS, &raw), 1);
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
	} while (event.desc->id != EVENT_close || event.tid != gettid());
	return event_param_i64(&event, close__fd);
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

static int setup(void **state)
{
	struct scap_live_config config = {
		.ring_bytes = RING_BYTES,
		.snaplen = SNAPLEN_DEFAULT,
		.stream_bytes = 1024,
		.events = {[EVENT_close] = true,
			   [EVENT_close_range] = true,
			   [EVENT_dup2] = true,
			   [EVENT_socket] = true},
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
	close(file);
	mark_end();
	expect_end();
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(leaves_out_files),		TEST(has_those_that_nobody_knows),
	TEST(forgets_what_is_replaced), TEST(knows_the_last_of_a_place),
	TEST(knows_whose_they_are),
};

UNIT_GROUP(tests);
