/* SPDX-License-Identifier: MIT */
/* Each change is one call, so that it meets those of the programs before or after it as a whole. */
#include "scap/live/muted.h"

#include <bpf/bpf.h>
#include <errno.h>

static int muted_update(int map, pid_t pid, uint64_t program, uint64_t how)
{
	uint32_t key = (uint32_t)pid;

	return bpf_map_update_elem(map, &key, &program, how) < 0 ? -errno : 0;
}

int live_muted_propose(int map, pid_t pid)
{
	return muted_update(map, pid, 0, BPF_NOEXIST);
}

int live_muted_set(int map, pid_t pid, uint64_t program)
{
	return muted_update(map, pid, program, BPF_EXIST);
}

void live_muted_remove(int map, pid_t pid)
{
	uint32_t key = (uint32_t)pid;

	bpf_map_delete_elem(map, &key);
}
