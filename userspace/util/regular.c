/* SPDX-License-Identifier: MIT */
/* Looks at a descriptor that gives no access, and opens what it stands for. */
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_BYTES = 64 };

int regular_reopen(int path_fd)
{
	char link[LINK_BYTES];
	struct statx file;
	int fd;

	/* What the kernel knows, without asking a server. */
	if (statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &file))
		return -errno;
	if (!S_ISREG(file.stx_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	/* Without waiting for a process that has a lease on it. */
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int regular_open(const char *path)
{
	int path_fd = open(path, O_PATH | O_CLOEXEC), fd;

	if (path_fd < 0)
		return -errno;
	fd = regular_reopen(path_fd);
	close(path_fd);
	return fd;
}
