/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that no open(2) of the reader made: passed_fd KIND ROUNDS, in a folder with the files
 * secret and decoy. Each round gets one of `secret`, reads 11 bytes of it, closes it, and reads 7 bytes of
 * `decoy` under the same number, which stays open; at the end it waits for the end of its input. KIND: `message`, by SCM_RIGHTS; `short`, likewise by a process that ends
 * after a round; `getfd`, by pidfd_getfd(2).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECRET_BYTES = 11, DECOY_BYTES = 7 };

static int ends[2], secret, own_pidfd;

union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct msghdr message_with(struct iovec *vector, union rights *rights)
{
	return (struct msghdr){.msg_iov = vector,
			       .msg_iovlen = 1,
			       .msg_control = rights,
			       .msg_controllen = sizeof(*rights)};
}

static void give(void)
{
	char byte = 0;
	struct iovec vector = {&byte, 1};
	union rights rights = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr message = message_with(&vector, &rights);

	memcpy(CMSG_DATA(&rights.header), &secret, sizeof(secret));
	if (sendmsg(ends[0], &message, 0) != 1)
		fail("sendmsg");
}

static int receive(void)
{
	char byte;
	int fd;
	struct iovec vector = {&byte, 1};
	union rights rights;
	struct msghdr message = message_with(&vector, &rights);

	if (recvmsg(ends[1], &message, 0) != 1)
		fail("recvmsg");
	memcpy(&fd, CMSG_DATA(&rights.header), sizeof(fd));
	return fd;
}

static void use(int fd)
{
	char data[SECRET_BYTES];

	if (pread(fd, data, SECRET_BYTES, 0) != SECRET_BYTES)
		fail("secret");
	close(fd);
	if (open("decoy", O_RDONLY) != fd || pread(fd, data, DECOY_BYTES, 0) != DECOY_BYTES)
		fail("decoy");
}

static void do_round(const char *kind)
{
	int fd;

	if (strcmp(kind, "getfd") == 0) {
		fd = (int)syscall(SYS_pidfd_getfd, own_pidfd, secret, 0);
		if (fd < 0)
			fail("pidfd_getfd");
	} else {
		give();
		fd = receive();
	}
	use(fd);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";
	long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	int status;

	secret = open("secret", O_RDONLY | O_CLOEXEC);
	own_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (secret < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		fail("secret");
	while (rounds-- > 0) {
		if (strcmp(kind, "short") != 0) {
			do_round(kind);
		} else if (fork() == 0) {
			do_round(kind);
			_exit(0);
		} else if (wait(&status) < 0 || status) {
			return 1;
		}
	}
	puts("done");
	fflush(stdout);
	return getchar() != EOF;
}
