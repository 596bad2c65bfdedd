/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What calls on memory, capabilities and the machine point to, depending on other arguments. */
#ifndef LANNER_SYSTEM_BPF_H
#define LANNER_SYSTEM_BPF_H

#include "bpf/readers/buffer.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

#include <linux/reboot.h>

DEFINE_USER_STRUCT(capability_header)
DEFINE_USER_STRUCT(capabilities)
DEFINE_USER_STRUCT_OF_TWO_FORMS(range, narrow_words)
DEFINE_USER_STRUCT(perf_attr)
DEFINE_USER_STRUCT(segment)
DEFINE_USER_STRUCT_OF_TWO_FORMS(sysinfo, narrow_words)

enum {
	CAPABILITIES_OF_32_BITS = 0x19980330,
	LOG_READ = 2,
	LOG_READ_CLEAR = 4,
	LDT_WRITE_OLD = 1,
	LDT_WRITE = 0x11,
};

/* The sets of capget and capset; all versions but the first have an upper half. */
struct capability_sets {
	struct user_capabilities low, high;
	bool is_read;
};

static __always_inline struct capability_sets
read_capability_sets(struct filler *f, const struct capability_header_copy *header, __u64 address)
{
	struct capabilities_copy low = read_capabilities(f, address), high = {};

	if (low.is_read && header->value.version != CAPABILITIES_OF_32_BITS) {
		high = read_capabilities(f, address + sizeof(low.value));
		low.is_read = high.is_read;
	}
	return (struct capability_sets){low.value, high.value, low.is_read};
}

#define CAPABILITY_SET(sets, set) (f->absent = !(sets).is_read, (sets).low.set | (__u64)(sets).high.set << 32)

/* The size of a set of nodes: whole words, for one node less than the argument. */
static __always_inline __u64 node_bytes(struct filler *f, __u64 maxnode)
{
	return maxnode ? set_bytes(f, maxnode - 1) : 0;
}

/* A byte for each page. */
static __always_inline void put_pages_resident(struct filler *f, __u64 vec, __u64 length)
{
	const __u64 page_bytes = 1024ULL << kib_per_page_shift;
	__u64 pages = f->ret == 0 ? (length + page_bytes - 1) / page_bytes : 0;

	put_bytes(f, vec, min_u64(pages, snaplen));
}

static __always_inline void put_log(struct filler *f, __u32 action, __u64 buffer)
{
	if (action >= LOG_READ && action <= LOG_READ_CLEAR)
		put_data_read(f, buffer);
	else
		put_absent(f);
}

static __always_inline void put_reboot_argument(struct filler *f, __u32 command, __u64 argument)
{
	if (command == LINUX_REBOOT_CMD_RESTART2)
		put_string(f, argument);
	else
		put_absent(f);
}

/* The address of the segment that modify_ldt writes, else 0. */
static __always_inline __u64 ldt_written(__u32 function, __u64 address)
{
	return function == LDT_WRITE_OLD || function == LDT_WRITE ? address : 0;
}

#endif
