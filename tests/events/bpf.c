/* SPDX-License-Identifier: MIT */
/* bpf: a command that makes a descriptor, and commands that fail. */
#include <linux/bpf.h>

#include "harness/fixture.h"
#include "harness/live.h"

/* With this, kernels from 7.0 on look for more attributes first (BPF_COMMON_ATTRS). */
#define COMMON_ATTRS (1L << 16)

/* kind: what the call is about, 0: not known. */
static void expect(long ret, long command, uint32_t kind, uint32_t id)
{
	const struct event *ev = live_next(EVENT_bpf);

	expect_i64(ev, bpf__fd, ret);
	expect_i64(ev, bpf__cmd, (uint32_t)command);
	if (kind) {
		expect_i64(ev, bpf__object, kind);
		expect_i64(ev, bpf__id, id);
	} else {
		expect_absent(ev, bpf__object);
		expect_absent(ev, bpf__id);
	}
}

static long check(long command, const void *attr, long error)
{
	long ret = CALL(SYS_bpf, command, attr, sizeof(union bpf_attr));

	require(error ? ret == error : ret >= 0);
	expect(ret, command, 0, 0);
	return ret;
}

static void check_object(long command, const union bpf_attr *attr, uint32_t kind, uint32_t id)
{
	long ret = CALL(SYS_bpf, command, attr, sizeof(*attr));

	expect(ret, command, kind, id);
	if (command == BPF_MAP_GET_FD_BY_ID && ret >= 0)
		close((int)ret);
}

/* By its id, and by a descriptor, wherever that stands. */
static void check_map(int map)
{
	struct bpf_map_info info = {0};
	union bpf_attr ask = {.info = {.bpf_fd = (uint32_t)map,
				       .info_len = sizeof(info),
				       .info = (uintptr_t)&info}};
	union bpf_attr by_id, by_fd = {.map_fd = (uint32_t)map}, other = {.map_fd = 0};
	union bpf_attr batch = {.batch = {.map_fd = (uint32_t)map}};
	long ret = CALL(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, sizeof(ask));

	require(ret == 0 && info.id);
	expect(ret, BPF_OBJ_GET_INFO_BY_FD, BPF_OBJECT_MAP, info.id);
	by_id = (union bpf_attr){.map_id = info.id};
	check_object(BPF_MAP_GET_FD_BY_ID, &by_id, BPF_OBJECT_MAP, info.id);
	check_object(BPF_MAP_FREEZE, &by_fd, BPF_OBJECT_MAP, info.id);
	check_object(BPF_MAP_DELETE_ELEM, &by_fd, BPF_OBJECT_MAP, info.id);
	check_object(BPF_MAP_DELETE_BATCH, &batch, BPF_OBJECT_MAP, info.id);
	check_object(BPF_MAP_DELETE_ELEM, &other, 0, 0);
	check_object(BPF_PROG_LOAD, &by_fd, 0, 0);
}

LIVE_TEST(bpf)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1};
	union bpf_attr no_map = {.map_fd = NO_FD};
	int map;

	map = (int)check(BPF_MAP_CREATE, &attr, 0);
	check_map(map);
	close(map);
	check(BPF_MAP_LOOKUP_ELEM, &no_map, -EBADF);
	check(BPF_MAP_CREATE, UNREADABLE, -EFAULT);
	check(9999, &attr, -EINVAL);
	check(~COMMON_ATTRS, &attr, -EINVAL);
}
