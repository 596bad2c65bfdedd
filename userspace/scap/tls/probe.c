/* SPDX-License-Identifier: MIT */
/* By perf events: all kernels can, and the loader of programs need not. */
#include "scap/tls/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int tls_probe_type(void)
{
	char text[16] = "";
	int fd = open("/sys/bus/event_source/devices/uprobe/type", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? -EOPNOTSUPP : -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 ? (int)strtol(text, NULL, 10) : -EIO;
}

/* Of one CPU, which has to be online; the program runs on all. */
static int open_event(struct perf_event_attr *attr)
{
	unsigned int cpu;

	if (getcpu(&cpu, NULL))
		cpu = 0;
	return (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int tls_probe_open(int type, const char *path, uint64_t offset, bool at_return, int program)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.size = sizeof(attr),
		.config = at_return, /* sysfs: format/retprobe, config:0 on all kernels */
		.config1 = (uintptr_t)path,
		.config2 = offset,
	};
	int fd = open_event(&attr), r;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}
