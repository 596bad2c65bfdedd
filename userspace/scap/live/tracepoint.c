/* SPDX-License-Identifier: MIT */
/* Numbers of tracepoints. tracefs may be mounted nowhere, so it is opened without being mounted. */
#include "scap/live/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The root of tracefs: where it is mounted, else a mount that no other process sees. */
static int open_tracefs(void)
{
	int fs, root = open("/sys/kernel/tracing", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root >= 0 && faccessat(root, "events", F_OK, 0) == 0)
		return root;
	if (root >= 0)
		close(root);
	fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		root = -errno;
	else
		root = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (root == -1)
		root = -errno;
	close(fs);
	return root;
}

/* The number of a tracepoint, or -errno. */
static long read_number(int tracefs, const char *group, const char *name)
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
	int tracefs = open_tracefs(), fd;
	long number;

	if (tracefs < 0)
		return tracefs;
	number = read_number(tracefs, group, name);
	close(tracefs);
	if (number < 0)
		return (int)number;
	attr.config = (uint64_t)number;
	/* A program on one CPU's event runs on all of them. */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
