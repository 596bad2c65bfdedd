/* SPDX-License-Identifier: MIT */
/* Numbers of tracepoints. tracefs may be mounted nowhere, so it is opened without being mounted. */
#include "scap/live/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/kernel_fs.h"

/* The number of a tracepoint, or -errno. */
static long tracepoint_read_number(int tracefs, const char *group, const char *name)
{
	char path[128], text[32];
	long number;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "events/%s/%s/id", group, name);
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	number = strtol(text, NULL, 10);
	return number > 0 ? number : -EIO;
}

int scap_tracepoint_open(const char *group, const char *name)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};
	int tracefs = kernel_fs_open("tracefs", "/sys/kernel/tracing", "events"), fd;
	long number;

	if (tracefs < 0)
		return tracefs;
	number = tracepoint_read_number(tracefs, group, name);
	close(tracefs);
	if (number < 0)
		return (int)number;
	attr.config = (uint64_t)number;
	/* A program on one CPU's event runs on all of them. */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool scap_tracepoints_exist(const char *group, const char *prefix, const char *const *names,
			    size_t count)
{
	int tracefs = kernel_fs_open("tracefs", "/sys/kernel/tracing", "events");
	bool exist = tracefs >= 0;
	char name[96];

	for (size_t i = 0; i < count && exist; i++) {
		snprintf(name, sizeof(name), "%s%s", prefix, names[i]);
		exist = tracepoint_read_number(tracefs, group, name) > 0;
	}
	if (tracefs >= 0)
		close(tracefs);
	return exist;
}
