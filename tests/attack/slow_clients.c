/* SPDX-License-Identifier: MIT */
/*
 * Clients of HTTP that never end their request: slow_clients PORT CONNECTIONS SECONDS. Each sends a
 * byte now and then, and connects again when it was closed. Each has another address of the
 * loopback, as a client has who rents addresses. Prints a line when all have connected once, and at
 * the end how often they were closed.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 1024, PAUSE_US = 100000 };

static unsigned int closed;

static int connect_slow(unsigned short port, unsigned int number)
{
	struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + number);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(port);
	bind(fd, (struct sockaddr *)&from, sizeof(from));
	connect(fd, (struct sockaddr *)&to, sizeof(to));
	return fd;
}

/* Whether the server has closed it. */
static int is_closed(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);

	return n == 0 || (n < 0 && send(fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0);
}

int main(int argc, char **argv)
{
	static int fds[CONNECTIONS_MAX];
	static const char begin[] = "GET /";
	unsigned short port = argc > 1 ? (unsigned short)atoi(argv[1]) : 0;
	unsigned int count = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	time_t end = time(NULL) + (argc > 3 ? atoi(argv[3]) : 0);

	if (count > CONNECTIONS_MAX)
		return 2;
	for (unsigned int i = 0; i < count; i++)
		fds[i] = connect_slow(port, i);
	usleep(PAUSE_US);
	for (unsigned int i = 0; i < count; i++)
		send(fds[i], begin, sizeof(begin) - 1, MSG_NOSIGNAL);
	puts("connected");
	fflush(stdout);
	while (time(NULL) < end) {
		usleep(PAUSE_US);
		for (unsigned int i = 0; i < count; i++) {
			if (!is_closed(fds[i]))
				continue;
			closed++;
			close(fds[i]);
			fds[i] = connect_slow(port, i);
		}
	}
	printf("%u\n", closed);
	return 0;
}
