/* SPDX-License-Identifier: MIT */
/* Attributes as the kernel takes them, and as text. */
#include "perf/attr.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/count.h"

/* The attr of Linux 6.3, with config3 behind that of 5.13. */
enum { ATTR_BYTES = 128, ATTR_BYTES_WITH_CONFIG3 = 136 };

int perf_attr_open(const struct perf_event_attr *attr, uint64_t config3, int pid, int cpu,
		   int group_fd, unsigned long flags)
{
	unsigned char bytes[ATTR_BYTES_WITH_CONFIG3] = {0};
	uint32_t size = config3 ? ATTR_BYTES_WITH_CONFIG3 : ATTR_BYTES;
	long fd;

	memcpy(bytes, attr, ATTR_BYTES);
	memcpy(bytes + ATTR_BYTES, &config3, sizeof(config3));
	memcpy(bytes + offsetof(struct perf_event_attr, size), &size, sizeof(size));
	fd = syscall(SYS_perf_event_open, bytes, pid, cpu, group_fd, flags);
	return fd < 0 ? -errno : (int)fd;
}

struct attr_number {
	const char *name;
	size_t offset, bytes;
};

#define NUMBER(member)                                                                             \
	{                                                                                          \
#member, offsetof(struct perf_event_attr, member),                                 \
			sizeof(((struct perf_event_attr *)NULL)->member)                           \
	}

static const struct attr_number numbers_before[] = {
	NUMBER(type),	       NUMBER(size),	    NUMBER(config),
	NUMBER(sample_period), NUMBER(sample_type), NUMBER(read_format),
};

static const struct attr_number numbers_behind[] = {
	NUMBER(wakeup_events),
	NUMBER(bp_type),
	NUMBER(config1),
	NUMBER(config2),
	NUMBER(branch_sample_type),
	NUMBER(sample_regs_user),
	NUMBER(sample_stack_user),
	NUMBER(clockid),
	NUMBER(sample_regs_intr),
	NUMBER(aux_watermark),
	NUMBER(sample_max_stack),
	NUMBER(aux_sample_size),
	NUMBER(sig_data),
};

/* The bits of the word behind read_format, from the lowest one. */
static const char *const flags[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};

enum { FLAGS_OFFSET = 40, PRECISE_BIT = 15, PRECISE_MASK = 3 };

static void append_numbers(const struct perf_event_attr *attr, const struct attr_number *rows,
			   size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;

		memcpy(&value, (const char *)attr + rows[i].offset, rows[i].bytes);
		if (value || strcmp(rows[i].name, "type") == 0)
			buf_printf(out, "%s %#llx\n", rows[i].name, (unsigned long long)value);
	}
}

void perf_attr_append(const struct perf_event_attr *attr, uint64_t config3, struct buf *out)
{
	uint64_t bits;

	memcpy(&bits, (const char *)attr + FLAGS_OFFSET, sizeof(bits));
	append_numbers(attr, numbers_before, COUNT(numbers_before), out);
	for (size_t i = 0; i < COUNT(flags); i++) {
		uint64_t mask = i == PRECISE_BIT ? PRECISE_MASK : 1;

		if (flags[i] && bits >> i & mask)
			buf_printf(out, "%s %llu\n", flags[i],
				   (unsigned long long)(bits >> i & mask));
	}
	append_numbers(attr, numbers_behind, COUNT(numbers_behind), out);
	if (config3)
		buf_printf(out, "config3 %#llx\n", (unsigned long long)config3);
}
