/* SPDX-License-Identifier: MIT */
/*
 * Connections without connect(2), or with one that only prepares: fastopen KIND. Sends to a
 * listener of its own, writes once more, and prints the two ports. KIND is a call with
 * MSG_FASTOPEN: sendto, sendmsg, sendmmsg, or `inprogress`, of a socket that does not wait;
 * `option`: with TCP_FASTOPEN_CONNECT; `unspec`: a datagram socket that connects, and then to
 * AF_UNSPEC.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIMIT_MS = 10000 };

static struct sockaddr_in target = {AF_INET, 0, {0}, {0}};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void check(int holds, const char *what)
{
	if (!holds)
		fail(what);
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in own;
	socklen_t len = sizeof(own);

	check(getsockname(fd, (struct sockaddr *)&own, &len) == 0, "getsockname");
	return own.sin_port;
}

static void send_first(int fd, const char *kind)
{
	struct iovec vector = {(void *)"x", 1};
	struct mmsghdr message = {.msg_hdr = {.msg_name = &target,
					      .msg_namelen = sizeof(target),
					      .msg_iov = &vector,
					      .msg_iovlen = 1}};
	int one = 1;

	if (strcmp(kind, "sendmsg") == 0) {
		check(sendmsg(fd, &message.msg_hdr, MSG_FASTOPEN) == 1, kind);
	} else if (strcmp(kind, "sendmmsg") == 0) {
		check(sendmmsg(fd, &message, 1, MSG_FASTOPEN) == 1, kind);
	} else if (strcmp(kind, "option") == 0) {
		check(setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof(one)) == 0 &&
			      connect(fd, (struct sockaddr *)&target, sizeof(target)) == 0 &&
			      write(fd, "x", 1) == 1,
		      kind);
	} else {
		ssize_t sent = sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&target,
				      sizeof(target));

		check(sent == 1 || (strcmp(kind, "inprogress") == 0 && errno == EINPROGRESS), kind);
	}
}

static void be_stream(const char *kind)
{
	int flags = strcmp(kind, "inprogress") == 0 ? SOCK_NONBLOCK : 0;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	struct pollfd wait = {fd, POLLOUT, 0};

	check(bind(listener, (struct sockaddr *)&target, sizeof(target)) == 0 &&
		      listen(listener, 1) == 0,
	      "listen");
	target.sin_port = port_of(listener);
	send_first(fd, kind);
	check(poll(&wait, 1, LIMIT_MS) == 1 && write(fd, "y", 1) == 1, "write");
	printf("%u %u\n", ntohs(port_of(fd)), ntohs(target.sin_port));
}

static void be_datagram(void)
{
	struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
	int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	check(bind(receiver, (struct sockaddr *)&target, sizeof(target)) == 0, "bind");
	target.sin_port = port_of(receiver);
	check(connect(fd, (struct sockaddr *)&target, sizeof(target)) == 0, "connect");
	printf("%u %u\n", ntohs(port_of(fd)), ntohs(target.sin_port));
	check(connect(fd, &nowhere, sizeof(nowhere)) == 0, "connect to nowhere");
	check(write(fd, "y", 1) < 0, "write");
}

int main(int argc, char **argv)
{
	target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "unspec") == 0)
		be_datagram();
	else
		be_stream(argv[1]);
	return 0;
}
