/* SPDX-License-Identifier: MIT */
/* The errors of perf_event_open(2), which have other meanings for each kind of event. */
#include "perf/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/attr.h"
#include "perf/probe_file.h"
#include "util/count.h"

int perf_open(const struct perf_event *event, struct perf_event_attr *attr, int pid, int cpu,
	      int group_fd, unsigned long flags)
{
	int fd;

	if (event->probe_file && !perf_probe_file_is_same(event->probe_file))
		return -ESTALE;
	flags |= PERF_FLAG_FD_CLOEXEC;
	fd = perf_attr_open(attr, event->config3, pid, cpu, group_fd, flags);

	if (fd != -EINVAL || event->chose_guest || !attr->exclude_guest)
		return fd;
	attr->exclude_guest = 0;
	return perf_attr_open(attr, event->config3, pid, cpu, group_fd, flags);
}

int perf_open_try(const struct perf_event *event)
{
	bool everywhere = event->is_uncore && event->cpus;
	struct perf_event_attr attr = event->attr;
	int cpu = everywhere ? (int)event->cpus->numbers[0] : -1, fd;

	attr.disabled = 1;
	fd = perf_open(event, &attr, everywhere ? -1 : 0, cpu, -1, 0);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool perf_open_counts_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_LOST,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_attr_open(&attr, 0, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int perf_open_paranoid(void)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
	char text[16] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? (int)strtol(text, NULL, 10) : -2;
}

/* What events can be of, for their reasons. Bits. */
enum {
	OF_HARDWARE = 1 << 0, /* generic and raw events of a CPU */
	OF_BREAKPOINT = 1 << 1,
	OF_PROBE = 1 << 2,
	OF_OTHERS = 1 << 3,
	OF_ANY = OF_HARDWARE | OF_BREAKPOINT | OF_PROBE | OF_OTHERS,
	WITHOUT_CORE = 1 << 4, /* the machine has no PMU of a CPU */
};

static unsigned int open_kind(const struct perf_machine *machine, const struct perf_event *event)
{
	uint32_t type = event->attr.type;
	unsigned int lacks = machine->cores ? 0 : WITHOUT_CORE;

	if (type == PERF_TYPE_BREAKPOINT)
		return OF_BREAKPOINT | lacks;
	if (event->is_probe)
		return OF_PROBE | lacks;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
		return OF_HARDWARE | lacks;
	return OF_OTHERS | lacks;
}

struct reason_row {
	int error;
	unsigned int kinds, needs; /* bits: one of `kinds`, and all of `needs` */
	const char *text;
};

/* The first row that fits. */
static const struct reason_row reasons[] = {
	{ENOENT, OF_HARDWARE, WITHOUT_CORE,
	 "this machine shows no counters of its CPUs, as most virtual machines"},
	{ENOENT, OF_HARDWARE, 0, "the CPU does not count this"},
	{ENOENT, OF_PROBE, 0, "there is no such place"},
	{ENOENT, OF_ANY, 0, "the kernel has no such event"},
	{ESTALE, OF_PROBE, 0, "the file was written to since its symbols were read"},
	{ENODEV, OF_ANY, 0, "the device is not there, or not on this CPU"},
	{EOPNOTSUPP, OF_ANY, 0, "the PMU cannot do what is asked for"},
	{ENOSPC, OF_BREAKPOINT, 0,
	 "all breakpoints of a CPU are taken, by debuggers or other tools"},
	{ENOSPC, OF_ANY, 0, "there is no room on the PMU"},
	{EBUSY, OF_ANY, 0, "another program has the PMU for itself"},
	{EINVAL, OF_BREAKPOINT, 0,
	 "the CPU has no such breakpoint: look at the alignment, the length, and r, w and x"},
	{EINVAL, OF_PROBE, 0, "the kernel cannot set a probe there"},
	{EINVAL, OF_ANY, 0, "the kernel rejects the combination of terms and modifiers"},
	{EFAULT, OF_ANY, 0, "config1 is no address of a text"},
	{EMFILE, OF_ANY, 0, "too many open files: raise the limit (ulimit -n)"},
	{ESRCH, OF_ANY, 0, "the process has ended"},
	{ENOSYS, OF_ANY, 0, "the kernel was built without perf events"},
};

static void append_permission(struct buf *out)
{
	int paranoid = perf_open_paranoid();

	buf_append_string(out, "it needs CAP_PERFMON, or root");
	if (paranoid > -2)
		buf_printf(out, "; kernel.perf_event_paranoid is %d", paranoid);
}

void perf_open_append_reason(const struct perf_machine *machine, const struct perf_event *event,
			     int error, struct buf *out)
{
	unsigned int kind = open_kind(machine, event);

	error = error < 0 ? -error : error;
	if (error == EACCES || error == EPERM) {
		append_permission(out);
		return;
	}
	for (size_t i = 0; i < COUNT(reasons); i++) {
		const struct reason_row *row = &reasons[i];

		if (row->error == error && row->kinds & kind && (row->needs & kind) == row->needs) {
			buf_append_string(out, row->text);
			return;
		}
	}
	buf_append_string(out, strerror(error));
}
