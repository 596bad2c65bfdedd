/* SPDX-License-Identifier: MIT */
#include "agent/commands/doctor_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int doctor_read(const struct doctor *doctor, const char *path, char text[DOCTOR_TEXT_BYTES])
{
	char full[PATH_MAX];
	ssize_t n;
	int fd;

	text[0] = '\0';
	snprintf(full, sizeof(full), "%s%s", doctor->root, path);
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, DOCTOR_TEXT_BYTES - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	if (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return 0;
}

int doctor_read_number(const struct doctor *doctor, const char *path, long *number)
{
	char text[DOCTOR_TEXT_BYTES], *end;
	int code = doctor_read(doctor, path, text);
	long value;

	if (code)
		return code;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end)
		return -EINVAL;
	*number = value;
	return 0;
}

void doctor_append_failure(const char *path, int error, struct buf *found)
{
	buf_printf(found, "%s: %s", path, strerror(-error));
}
