/* SPDX-License-Identifier: MIT */
/* sendmsg: vectors of all kinds, tuples with and without an address, unreadable messages. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <string.h>

#include "harness/vectors.h"

/* Makes the call and compares all but the tuple. */
static const struct event *check(long fd, const struct msghdr *message, long ret, const char *data,
				 size_t len, size_t size)
{
	const struct event *ev;

	require(CALL(SYS_sendmsg, fd, message, MSG_NOSIGNAL) == ret);
	ev = live_next(EVENT_sendmsg);
	expect_i64(ev, sendmsg__res, ret);
	expect_bytes(ev, sendmsg__data, data, len);
	expect_i64(ev, sendmsg__fd, (int)fd);
	expect_i64(ev, sendmsg__size, (int64_t)size);
	return ev;
}

static struct msghdr message_of(const struct vector_case *sent)
{
	return (struct msghdr){
		.msg_iov = (struct iovec *)sent->vector,
		.msg_iovlen = sent->entries,
	};
}

/* A message of a socket is sent as a whole or not at all: one that is torn fails. */
static void check_vectors(void)
{
	const struct vector_case *cases = vectors_written();
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);

	for (int i = 0; i < VECTORS_WRITTEN; i++) {
		const struct vector_case *sent = &cases[i];
		struct msghdr message = message_of(sent);
		long ret = sent->torn ? -EFAULT : sent->ret;
		const struct event *ev;

		ev = check(NO_FD, &message, -EBADF, sent->data, sent->len, sent->size);
		expect_absent(ev, sendmsg__tuple);
		ev = check(link.client, &message, ret, sent->data, sent->len, sent->size);
		if (ret >= 0)
			expect_tuple_ip(ev, sendmsg__tuple, "127.0.0.1", link.client_port,
					"127.0.0.1", link.server_port);
		else
			expect_absent(ev, sendmsg__tuple);
	}
	fixture_disconnect(&link);
}

static void check_unreadable(void *message)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	const struct event *ev;

	require(CALL(SYS_sendmsg, link.client, message, 0) == -EFAULT);
	ev = live_next(EVENT_sendmsg);
	expect_i64(ev, sendmsg__res, -EFAULT);
	expect_absent(ev, sendmsg__data);
	expect_i64(ev, sendmsg__fd, link.client);
	expect_absent(ev, sendmsg__size);
	expect_absent(ev, sendmsg__tuple);
	fixture_disconnect(&link);
}

static void check_unconnected(const char *ip, const char *any)
{
	struct address to = fixture_ip(ip, 0);
	int server = fixture_socket(SOCK_DGRAM, &to, 0);
	int fd = socket(to.any.sa_family, SOCK_DGRAM, 0);
	struct msghdr message = message_of(&vectors_written()[0]);
	const struct event *ev;

	to = fixture_own(server);
	message.msg_name = &to.any;
	message.msg_namelen = to.len;
	ev = check(fd, &message, 35, fixture_pattern(35), 35, 35);
	expect_tuple_ip(ev, sendmsg__tuple, any, fixture_port(fd), ip, fixture_port(server));
	close(fd);
	close(server);
}

static void check_unix(const char *name, size_t len, const char *shown)
{
	struct address to = fixture_unix(name, len);
	int server = fixture_socket(SOCK_DGRAM, &to, 0), fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct msghdr message = message_of(&vectors_written()[0]);
	const struct event *ev;

	message.msg_name = &to.any;
	message.msg_namelen = to.len;
	ev = check(fd, &message, 35, fixture_pattern(35), 35, 35);
	expect_tuple_unix(ev, sendmsg__tuple, 0, SOME_SOCKET, shown);
	close(fd);
	close(server);
}

/* Descriptors that go with the data are not part of it. */
static void check_control(void)
{
	struct msghdr message = message_of(&vectors_written()[1]);
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	struct cmsghdr *header = (struct cmsghdr *)control;
	int fds[2], passed = 1;
	const struct event *ev;

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	*header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(header), &passed, sizeof(passed));
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	ev = check(fds[0], &message, 10, fixture_pattern(10), 10, 10);
	expect_tuple_unix(ev, sendmsg__tuple, SOME_SOCKET, SOME_SOCKET, "");
	close(fds[0]);
	close(fds[1]);
}

LIVE_TEST(sendmsg)
{
	check_vectors();
	check_unreadable(NULL);
	check_unreadable(UNREADABLE);
	check_unconnected("127.0.0.1", "0.0.0.0");
	check_unconnected("::1", "::");
	check_unix("sock", 5, "sock");
	check_unix("\0lanner-sendmsg", 15, "@lanner-sendmsg");
	check_control();
}
