/* SPDX-License-Identifier: MIT */
/* recvmsg: data over several buffers, tuples, control data, failures. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct received {
	long fd;
	struct msghdr *message;
	long ret;
};

/* Makes the call and compares all but the tuple and the control data. */
static const struct event *check(const struct received *received, const char *data, size_t len)
{
	const struct event *ev;

	require(CALL(SYS_recvmsg, received->fd, received->message, MSG_DONTWAIT) == received->ret);
	ev = live_next(EVENT_recvmsg);
	expect_i64(ev, recvmsg__res, received->ret);
	expect_i64(ev, recvmsg__size, received->ret > 0 ? received->ret : 0);
	expect_bytes(ev, recvmsg__data, data, len);
	expect_i64(ev, recvmsg__fd, received->fd);
	return ev;
}

static void expect_no_control(const struct event *ev)
{
	expect_absent(ev, recvmsg__msgcontrol);
	expect_absent(ev, recvmsg__received);
	expect_absent(ev, recvmsg__received_path);
}

/* Which file was received, by the number that it has now. */
static void expect_received(const struct event *ev, int fd, const char *path)
{
	const struct event_param *param = &ev->params[recvmsg__received];
	struct stat file;
	uint64_t words[5], mount = 0;

	require(fstat(fd, &file) == 0);
	if (param->len == 5 * sizeof(mount))
		memcpy(&mount, param->data + 3 * sizeof(mount), sizeof(mount));
	expect_true(mount > 0);
	words[0] = (uint64_t)fd;
	words[1] = file.st_ino;
	words[2] = minor(file.st_dev) | major(file.st_dev) << 8;
	words[3] = mount;
	words[4] = file.st_mode;
	expect_bytes(ev, recvmsg__received, words, sizeof(words));
	expect_string(ev, recvmsg__received_path, path);
}

static void check_failed(long fd, struct msghdr *message, long ret)
{
	const struct event *ev = check(&(struct received){fd, message, ret}, NULL, 0);

	expect_absent(ev, recvmsg__tuple);
	expect_no_control(ev);
}

/* A message of two buffers, of 30 and 200 bytes. */
static struct msghdr *two_buffers(void)
{
	static char memory[300];
	static struct iovec vector[2];
	static struct msghdr message;

	memset(memory, '#', sizeof(memory));
	vector[0] = (struct iovec){memory, 30};
	vector[1] = (struct iovec){memory + 100, 200};
	message = (struct msghdr){.msg_iov = vector, .msg_iovlen = 2};
	return &message;
}

static void check_stream(const char *ip)
{
	struct connection link = fixture_connect(ip, SOCK_STREAM);
	const char *pattern = fixture_pattern(200);
	struct msghdr *message = two_buffers();
	const struct event *ev;

	require(send(link.client, pattern, 35, 0) == 35);
	ev = check(&(struct received){link.server, message, 35}, pattern, 35);
	expect_tuple_ip(ev, recvmsg__tuple, ip, link.client_port, ip, link.server_port);
	expect_no_control(ev);
	require(send(link.client, pattern, 200, 0) == 200);
	ev = check(&(struct received){link.server, message, 200}, pattern, LIVE_SNAPLEN);
	expect_tuple_ip(ev, recvmsg__tuple, ip, link.client_port, ip, link.server_port);
	expect_no_control(ev);
	check_failed(link.server, message, -EAGAIN);
	require(shutdown(link.client, SHUT_WR) == 0);
	ev = check(&(struct received){link.server, message, 0}, NULL, 0);
	expect_tuple_ip(ev, recvmsg__tuple, ip, link.client_port, ip, link.server_port);
	expect_no_control(ev);
	fixture_disconnect(&link);
}

/* The server's end has no connection: the sender is known only from the message's address. */
static void check_datagram(const char *ip, const char *any)
{
	struct connection link = fixture_connect(ip, SOCK_DGRAM);
	const char *pattern = fixture_pattern(20);
	struct msghdr *message = two_buffers();
	struct address from;
	const struct event *ev;

	require(send(link.client, pattern, 20, 0) == 20 && send(link.client, pattern, 20, 0) == 20);
	ev = check(&(struct received){link.server, message, 20}, pattern, 20);
	expect_tuple_ip(ev, recvmsg__tuple, any, 0, ip, link.server_port);
	expect_no_control(ev);
	message->msg_name = &from.any;
	message->msg_namelen = sizeof(from.un);
	ev = check(&(struct received){link.server, message, 20}, pattern, 20);
	expect_tuple_ip(ev, recvmsg__tuple, ip, link.client_port, ip, link.server_port);
	expect_no_control(ev);
	fixture_disconnect(&link);
}

/*
 * A descriptor that goes with the data: the event holds what the call left in the caller's memory.
 */
static void check_control(void)
{
	char out[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0}, in[256];
	struct cmsghdr *header = (struct cmsghdr *)out;
	struct iovec vector = {"xyz", 3};
	struct msghdr sent = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = out,
		.msg_controllen = sizeof(out),
	}, *message = two_buffers();
	const struct event *ev;
	int fds[2], null = open("/dev/null", O_RDONLY), passed = null;

	*header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(header), &passed, sizeof(passed));
	require(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0 && sendmsg(fds[0], &sent, 0) == 3);
	message->msg_control = in;
	message->msg_controllen = sizeof(in);
	ev = check(&(struct received){fds[1], message, 3}, "xyz", 3);
	require(message->msg_controllen >= CMSG_LEN(sizeof(int)));
	expect_tuple_unix(ev, recvmsg__tuple, SOME_SOCKET, SOME_SOCKET, "");
	expect_bytes(ev, recvmsg__msgcontrol, in, message->msg_controllen);
	memcpy(&passed, CMSG_DATA((struct cmsghdr *)in), sizeof(passed));
	expect_received(ev, passed, "/dev/null");
	expect_true(passed != null && close(passed) == 0);
	close(null);
	close(fds[0]);
	close(fds[1]);
}

static void check_unix(const char *name, size_t len, const char *shown)
{
	struct address own = fixture_unix(name, len);
	int server = fixture_socket(SOCK_DGRAM, &own, 0), fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct msghdr *message = two_buffers();
	const struct event *ev;

	require(sendto(fd, "xyz", 3, 0, &own.any, own.len) == 3);
	ev = check(&(struct received){server, message, 3}, "xyz", 3);
	expect_tuple_unix(ev, recvmsg__tuple, SOME_SOCKET, 0, shown);
	expect_no_control(ev);
	close(fd);
	close(server);
}

LIVE_TEST(recvmsg)
{
	struct connection udp = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct msghdr *message = two_buffers();

	check_failed(NO_FD, message, -EBADF);
	check_failed(udp.server, message, -EAGAIN);
	check_failed(udp.server, NULL, -EFAULT);
	check_failed(udp.server, UNREADABLE, -EFAULT);
	fixture_disconnect(&udp);
	check_stream("127.0.0.1");
	check_stream("::1");
	check_datagram("127.0.0.1", "0.0.0.0");
	check_datagram("::1", "::");
	check_unix("sock", 5, "sock");
	check_unix("\0lanner-recvmsg", 15, "@lanner-recvmsg");
	check_control();
}
