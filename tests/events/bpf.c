/* SPDX-License-Identifier: MIT */
/* bpf: a command that makes a descriptor, and commands that fail. */
#include <linux/bpf.h>

#include "harness/fixture.h"
#include "harness/live.h"

/* With this, kernels from 7.0 on look for more attributes first (BPF_COMMON_ATTRS). */
#define COMMON_ATTRS (1L << 16)

static long check(long command, const void *attr, long error)
{
	long ret = CALL(SYS_bpf, command, attr, sizeof(union bpf_attr));
	const struct event *ev = live_next(EVENT_bpf);

	require(error ? ret == error : ret >= 0);
	expect_i64(ev, bpf__fd, ret);
	expect_i64(ev, bpf__cmd, (uint32_t)command);
	return ret;
}

LIVE_TEST(bpf)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1};
	union bpf_attr no_map = {.map_fd = NO_FD};

	close((int)check(BPF_MAP_CREATE, &attr, 0));
	check(BPF_MAP_LOOKUP_ELEM, &no_map, -EBADF);
	check(BPF_MAP_CREATE, UNREADABLE, -EFAULT);
	check(9999, &attr, -EINVAL);
	check(~COMMON_ATTRS, &attr, -EINVAL);
}
