/* SPDX-License-Identifier: MIT */
/*
 * Hides few calls behind many: cover FILE COUNT makes a flood of calls that mean nothing, in this process and in
 * children that live for ten calls each, and meanwhile COUNT times opens FILE, connects, sets its user id and
 * starts /bin/true. Without the right to, it keeps its user id.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS_FIRST = 20000, CALLS_BETWEEN = 2000, OF_CHILD = 10 };

static void flood(int calls)
{
	while (calls--)
		syscall(SYS_getpid);
}

static void flood_in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		flood(OF_CHILD);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		err(1, "fork");
}

static void start_true(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		err(1, "/bin/true");
}

static void connect_nowhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) || close(fd))
		err(1, "connect");
}

static void open_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || close(fd))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0;

	if (!count)
		errx(1, "cover FILE COUNT");
	flood(CALLS_FIRST);
	while (count--) {
		flood(CALLS_BETWEEN);
		flood_in_child();
		open_file(argv[1]);
		connect_nowhere();
		if (setuid(getuid()))
			err(1, "setuid");
		start_true();
	}
	return 0;
}
