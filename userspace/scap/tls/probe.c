/* SPDX-License-Identifier: MIT */
/* By perf events, which all kernels can; or by links, in the layout of later kernels than headers
 * are of. */
#include "scap/tls/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
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

/* As the kernel's union bpf_attr has it for BPF_LINK_CREATE. */
struct link_attr {
	uint32_t program, target, type, flags;
	uint64_t path, offsets, references, cookies; /* addresses */
	uint32_t count, link_flags, pid, pad;
};

int tls_probe_link(const char *path, const struct tls_probe_places *places, bool at_return,
		   int program)
{
	struct link_attr attr = {
		.program = (uint32_t)program,
		.type = TLS_PROBE_LINK_TYPE,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)places->offsets,
		.cookies = (uintptr_t)places->cookies,
		.count = (uint32_t)places->count,
		.link_flags = at_return, /* BPF_F_UPROBE_MULTI_RETURN */
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* No path of a file that has functions: kernels that can say so, others do not get there. */
bool tls_probe_has_links(int program)
{
	const struct tls_probe_places place = {.count = 1};
	int fd = tls_probe_link("/", &place, false, program);

	if (fd >= 0)
		close(fd);
	return fd != -EINVAL;
}
