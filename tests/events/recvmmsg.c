/* SPDX-License-Identifier: MIT */
/* recvmmsg: an event for each message, up to 64; who sent it, control data, failures. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <string.h>

enum { MANY = 100, SHOWN = 64, ROOM = 200 };

/* Room for many messages, each of two buffers, with the sender's address and control data. */
struct room {
	struct mmsghdr messages[MANY];
	struct iovec vectors[MANY][2];
	struct address from[MANY];
	char memory[MANY][ROOM];
	char control[MANY][64] __attribute__((aligned(8)));
};

static struct room *make_room(void)
{
	static struct room room;

	memset(&room, 0, sizeof(room));
	for (int i = 0; i < MANY; i++) {
		room.vectors[i][0] = (struct iovec){room.memory[i], 2};
		room.vectors[i][1] = (struct iovec){room.memory[i] + 2, ROOM - 2};
		room.messages[i].msg_hdr.msg_iov = room.vectors[i];
		room.messages[i].msg_hdr.msg_iovlen = 2;
	}
	return &room;
}

/* Compares all but the tuple and the control data. */
static const struct event *expect_message(long fd, long ret, const char *data, size_t len)
{
	const struct event *ev = live_next(EVENT_recvmmsg);

	expect_i64(ev, recvmmsg__res, ret);
	expect_i64(ev, recvmmsg__fd, (int)fd);
	expect_i64(ev, recvmmsg__size, ret > 0 ? ret : 0);
	expect_bytes(ev, recvmmsg__data, data, len);
	return ev;
}

static long call(long fd, void *messages, long count)
{
	return CALL(SYS_recvmmsg, fd, messages, count, MSG_DONTWAIT, NULL);
}

static void check_none(long fd, void *messages, long count, long ret)
{
	const struct event *ev;

	require(call(fd, messages, count) == ret);
	ev = expect_message(fd, ret, NULL, 0);
	expect_absent(ev, recvmmsg__tuple);
	expect_absent(ev, recvmmsg__msgcontrol);
	expect_no_event(EVENT_recvmmsg, gettid());
}

/* Messages of 1, 2, 3, … bytes, of which the first 64 are shown. */
static void check_many(int many)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	const char *pattern = fixture_pattern(MANY);
	struct room *room = make_room();

	for (int i = 0; i < many; i++)
		require(send(link.client, pattern, (size_t)i + 1, 0) == i + 1);
	room->messages[1].msg_hdr.msg_name = &room->from[1].any;
	room->messages[1].msg_hdr.msg_namelen = sizeof(room->from[1].un);
	require(call(link.server, room->messages, many) == many);
	for (int i = 0; i < many && i < SHOWN; i++) {
		const struct event *ev = expect_message(link.server, i + 1, pattern, (size_t)i + 1);

		/* The sender is known only from the message's address. */
		if (i == 1)
			expect_tuple_ip(ev, recvmmsg__tuple, "127.0.0.1", link.client_port,
					"127.0.0.1", link.server_port);
		else
			expect_tuple_ip(ev, recvmmsg__tuple, "0.0.0.0", 0, "127.0.0.1",
					link.server_port);
		expect_absent(ev, recvmmsg__msgcontrol);
	}
	expect_no_event(EVENT_recvmmsg, gettid());
	fixture_disconnect(&link);
}

/* An empty message, a long one, and control data, which is different for each. */
static void check_control(void)
{
	const char *pattern = fixture_pattern(150);
	struct room *room = make_room();
	const struct event *ev;
	int fds[2], on = 1;

	require(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0);
	require(setsockopt(fds[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0);
	require(send(fds[0], pattern, 0, 0) == 0 && send(fds[0], pattern, 150, 0) == 150);
	for (int i = 0; i < 2; i++) {
		room->messages[i].msg_hdr.msg_control = room->control[i];
		room->messages[i].msg_hdr.msg_controllen = sizeof(room->control[i]);
	}
	require(call(fds[1], room->messages, MANY) == 2);
	ev = expect_message(fds[1], 0, NULL, 0);
	expect_tuple_unix(ev, recvmmsg__tuple, SOME_SOCKET, SOME_SOCKET, "");
	expect_bytes(ev, recvmmsg__msgcontrol, room->control[0],
		     room->messages[0].msg_hdr.msg_controllen);
	ev = expect_message(fds[1], 150, pattern, LIVE_SNAPLEN);
	expect_tuple_unix(ev, recvmmsg__tuple, SOME_SOCKET, SOME_SOCKET, "");
	expect_bytes(ev, recvmmsg__msgcontrol, room->control[1],
		     room->messages[1].msg_hdr.msg_controllen);
	expect_true(room->messages[1].msg_hdr.msg_controllen > 0);
	expect_no_event(EVENT_recvmmsg, gettid());
	close(fds[0]);
	close(fds[1]);
}

LIVE_TEST(recvmmsg)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct room *room = make_room();

	check_none(NO_FD, room->messages, 1, -EBADF);
	check_none(-1, room->messages, 1, -EBADF);
	check_none(link.server, room->messages, 0, 0);
	check_none(link.server, room->messages, 2, -EAGAIN);
	require(send(link.client, "x", 1, 0) == 1);
	check_none(link.server, UNREADABLE, 2, -EFAULT);
	fixture_disconnect(&link);
	check_many(SHOWN);
	check_many(MANY);
	check_control();
}
