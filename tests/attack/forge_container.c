/* SPDX-License-Identifier: MIT */
/*
 * A process that makes itself look like one of a container: forge_container GROUP FILE [WORD...] makes
 * the control group, moves a child there, which opens the file a few times, and now and then until
 * its input ends. The words are there for whoever reads its command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPENS = 20, PAUSE_MS = 20 };

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static void make(const char *group)
{
	char path[PATH_MAX];

	for (const char *slash = group; slash; slash = strchr(slash + 1, '/')) {
		const char *end = strchr(slash + 1, '/');

		snprintf(path, sizeof(path), "%.*s", end ? (int)(end - group) : PATH_MAX, group);
		if (mkdir(path, 0755) && errno != EEXIST)
			fail(path);
	}
}

static void enter(const char *group)
{
	char path[PATH_MAX + sizeof("/cgroup.procs")];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	close(fd);
}

int main(int argc, char **argv)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	int status = 0;
	pid_t child;

	if (argc < 3)
		return 2;
	make(argv[1]);
	child = fork();
	if (child == 0) {
		enter(argv[1]);
		for (int i = 0; i < OPENS; i++)
			close(open(argv[2], O_RDONLY));
		puts("done");
		fflush(stdout);
		while (poll(&input, 1, PAUSE_MS) == 0)
			close(open(argv[2], O_RDONLY));
		_exit(0);
	}
	waitpid(child, &status, 0);
	rmdir(argv[1]);
	return status != 0;
}
