/* SPDX-License-Identifier: MIT */
/*
 * A network namespace with many sockets, and a process in it that is given one of them after the
 * other and uses it: many_sockets SOCKETS SECONDS. Prints a line when all are there, and at the end
 * how many were used.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OF_PROCESS = 900,
	PORT_FIRST = 2000,
	PORTS = 60000,
	GIVEN = 256,
	NUMBER_FIRST = 16,
	NUMBERS = 900,
	PAUSE_US = 200
};

static void set_up_loopback(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};

	if (ioctl(fd, SIOCSIFFLAGS, &request))
		perror("lo");
	close(fd);
}

/* Bound, and connected to itself. */
static int make_socket(unsigned int number)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + number / PORTS);
	address.sin_port = htons((unsigned short)(PORT_FIRST + number % PORTS));
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	return fd;
}

/* A process with some of them, as many as any user may have open. */
static void keep(unsigned int first, unsigned int count, int ready)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < count; i++)
		make_socket(first + i);
	if (write(ready, "x", 1) == 1)
		pause();
	_exit(0);
}

static void give(int to, int fd)
{
	char byte = 'x', control[CMSG_SPACE(sizeof(fd))] = {0};
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	sendmsg(to, &message, 0);
}

/* Returns how many it used. */
static unsigned long use(int from, time_t end)
{
	unsigned long used = 0;

	while (time(NULL) < end) {
		char byte, control[CMSG_SPACE(sizeof(int))];
		struct iovec part = {&byte, 1};
		struct msghdr message = {.msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = control,
					 .msg_controllen = sizeof(control)};
		int fd, other;

		if (recvmsg(from, &message, 0) <= 0 || !CMSG_FIRSTHDR(&message))
			break;
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
		/* Another number each time, since one that was asked for is not soon asked for
		 * again. */
		other = fcntl(fd, F_DUPFD, (int)(NUMBER_FIRST + used % NUMBERS));
		used += write(other, "y", 1) == 1;
		close(fd);
		close(other);
	}
	return used;
}

static void give_all(int to, time_t end)
{
	int fds[GIVEN];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < GIVEN; i++)
		fds[i] = make_socket(4 * PORTS + i);
	for (unsigned int i = 0; time(NULL) < end; i++) {
		give(to, fds[i % GIVEN]);
		usleep(PAUSE_US);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
	int seconds = argc > 2 ? atoi(argv[2]) : 0, ready[2], ends[2];
	time_t end;
	char byte;

	if (unshare(CLONE_NEWNET) || pipe(ready)) {
		perror("unshare");
		return 1;
	}
	set_up_loopback();
	for (unsigned int i = 0; i < count; i += OF_PROCESS)
		keep(i, count - i < OF_PROCESS ? count - i : OF_PROCESS, ready[1]);
	for (unsigned int i = 0; i < count; i += OF_PROCESS)
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	puts("ready");
	fflush(stdout);
	end = time(NULL) + seconds;
	if (fork() == 0)
		give_all(ends[0], end);
	close(ends[0]);
	printf("%lu\n", use(ends[1], end));
	return 0;
}
