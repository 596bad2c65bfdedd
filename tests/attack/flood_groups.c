/* SPDX-License-Identifier: MIT */
/*
 * Makes control groups named like those of containers, as many as it can: flood_groups FOLDER FILE
 * BEFORE AFTER makes groups BEFORE<64 digits>AFTER in the folder, opens the file in each, and leaves
 * and removes it, until its input ends. Prints how many there were.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int enter(const char *group)
{
	char path[PATH_MAX];
	int fd, done;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -1;
	done = write(fd, "0", 1) == 1;
	close(fd);
	return done ? 0 : -1;
}

static int ends(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&input, 1, 0) != 0;
}

int main(int argc, char **argv)
{
	char group[PATH_MAX];
	unsigned long count = 0;

	if (argc != 5)
		return 2;
	for (; !ends(); count++) {
		snprintf(group, sizeof(group), "%s/%s%08x%056lx%s", argv[1], argv[3],
			 (unsigned int)getpid(), count, argv[4]);
		if (mkdir(group, 0755) || enter(group))
			break;
		close(open(argv[2], O_RDONLY));
		if (enter(argv[1]) || rmdir(group))
			break;
		if (count == 0)
			puts("begins");
		fflush(stdout);
	}
	printf("%lu\n", count);
	return !ends();
}
