/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The control groups of the current task, those where its cgroup namespace begins, and the moves of
 * tasks between groups.
 */
#ifndef LANNER_CGROUP_BPF_H
#define LANNER_CGROUP_BPF_H

#include "bpf/core/cgroup_key.bpf.h"
#include "bpf/readers/task.bpf.h"

enum {
	CGROUP_DEPTH_MAX = 16,
	CGROUP_NAME_BYTES = 256,
	CGROUPS_BYTES_MAX = WORK_BYTES - 2 * CGROUP_NAME_BYTES,
	CGROUP_NODES_AT = WORK_BYTES - CGROUP_DEPTH_MAX * sizeof(struct kernfs_node *),
};

_Static_assert(CGROUPS_BYTES_MAX + 1 + CGROUP_NAME_BYTES <= CGROUP_NODES_AT &&
		       CGROUP_NODES_AT % sizeof(struct kernfs_node *) == 0,
	       "the nodes of a path are behind its text");

struct cgroup_name {
	char text[12]; /* "name=" */
	__u32 len;
};

static const struct cgroup_name cgroup_names[CGROUPS] = {
	{"cpuset=", 7}, {"cpu=", 4}, {"cpuacct=", 8}, {"io=", 3}, {"memory=", 7},
};

/*
 * The group of a task in the hierarchy of a subsystem. In that of version 2 a subsystem has its
 * state in a group above if the task's own does not limit it, but the task is in its own.
 */
static __always_inline struct cgroup *cgroup_of(struct css_set *css_set,
						struct cgroup_subsys_state *state)
{
	struct cgroup *of_state = GET(state, cgroup), *common = GET(css_set, dfl_cgrp);

	return GET(of_state, root) == GET(common, root) ? common : of_state;
}

/* The path of a group: it is walked from its node up, and written from the root down. */
struct cgroup_path {
	struct scratch_slot *slot;
	struct kernfs_node *node;
	__u64 parent_at; /* of each node */
	__u64 depth; /* of nodes that were walked, and are to be written */
	__u64 at; /* where the next one is written to */
};

/*
 * The innermost nodes, without the root, whose name is not part of a path: in the work area, as the
 * verifier would walk all that follows once for each depth if they were on the stack.
 */
static __always_inline struct kernfs_node **cgroup_nodes(struct scratch_slot *slot)
{
	return (struct kernfs_node **)(slot->work + CGROUP_NODES_AT);
}

static __always_inline bool cgroup_walk_step(struct cgroup_path *path)
{
	__u64 depth = forget(path->slot, path->depth);
	struct kernfs_node *parent = NULL;

	CHECKED(depth);
	bpf_probe_read_kernel(&parent, sizeof(parent), (void *)path->node + path->parent_at);
	if (!parent || depth >= CGROUP_DEPTH_MAX)
		return false;
	cgroup_nodes(path->slot)[depth] = path->node;
	path->node = (void *)forget(path->slot, (__u64)parent);
	path->depth = depth + 1;
	return true;
}

static __always_inline bool cgroup_write_step(struct cgroup_path *path)
{
	struct scratch_slot *slot = path->slot;
	__u64 at = forget(slot, path->at), i = forget(slot, path->depth) - 1;
	long n;

	CHECKED(at);
	CHECKED(i);
	if (i >= CGROUP_DEPTH_MAX || at > CGROUPS_BYTES_MAX)
		return false;
	slot->work[at] = '/';
	n = bpf_probe_read_kernel_str(slot->work + at + 1, CGROUP_NAME_BYTES,
				      GET(cgroup_nodes(slot)[i], name));
	path->at = at + (n > 0 ? n : 0);
	path->depth = i;
	return true;
}

/* The node of a group of a set; NULL if the kernel was built without its subsystem. */
static __always_inline struct kernfs_node *cgroup_node(struct scratch_slot *slot,
						       struct css_set *css_set, __u32 index)
{
	__s64 subsystem = (__s64)forget(slot, (__u64)(__s64)cgroup_subsystem(index));
	struct cgroup_subsys_state *state = NULL;

	if (subsystem < 0)
		return NULL;
	bpf_core_read(&state, sizeof(state), (void *)&css_set->subsys + subsystem * sizeof(state));
	return GET(cgroup_of(css_set, state), kn);
}

/*
 * Appends "name=/path" and its NUL, of the group of a set, in the work area of a slot. Returns
 * where the next one goes. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u64 cgroup_append(__u32 slot_key, __u64 set, __u64 at, __u64 index)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct cgroup_path path = {.slot = slot, .parent_at = kernfs_parent_at()};

	if (!slot)
		return at;
	path.node = cgroup_node(slot, (struct css_set *)set, index);
	if (!path.node)
		return at;
	index = forget(slot, index);
	REPEAT(CGROUP_DEPTH_MAX, cgroup_walk_step, &path);
	path.depth = forget(slot, path.depth);
	/* Not before the walk: the verifiers of 5.10 and 6.1 lose the bounds of spilled values. */
	CHECKED(index);
	CHECKED(at);
	if (index >= CGROUPS || at > CGROUPS_BYTES_MAX)
		return at;
	__builtin_memcpy(slot->work + at, cgroup_names[index].text, 8);
	at += cgroup_names[index].len & 15;
	if (path.depth == 0) {
		slot->work[at++] = '/';
		slot->work[at++] = '\0';
		return at;
	}
	path.at = at;
	REPEAT(CGROUP_DEPTH_MAX, cgroup_write_step, &path);
	return path.at + 1;
}

/* All groups of a set, in the work area of a slot. Returns their bytes. */
static __always_inline __u64 cgroups_append(__u32 slot_key, struct css_set *set)
{
	__u64 at = 0;

	for (__u32 i = 0; i < CGROUPS; i++)
		at = cgroup_append(slot_key, (__u64)set, at, i);
	return at;
}

static __always_inline void put_cgroups(struct filler *f)
{
	__u8 *room = frame_room(f);
	__u64 at;

	if (!room)
		return;
	at = cgroups_append(f->slot_key, READ(current_task(f), cgroups));
	CHECKED(at);
	if (at > WORK_BYTES)
		at = 0;
	bpf_probe_read_kernel(room, at, f->slot->work);
	frame_advance(f, at);
}

/*
 * The agent runs this once, before the other programs: /proc shows it the paths of control groups
 * relative to those that this leaves in the first slot.
 */
static __always_inline int cgroup_roots_run(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return (int)cgroups_append(0, READ(task, nsproxy, cgroup_ns, root_cset));
}

/*
 * The agent runs this once, as cgroup_roots_run(): it leaves the key of its own groups in the
 * second slot, and behind it their names. Returns the bytes of both.
 */
static __always_inline int own_groups_run(void)
{
	__u32 slot_key = 1;
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct css_set *set = READ((struct task_struct *)bpf_get_current_task(), cgroups);
	__u64 at = sizeof(__u64);

	if (!slot)
		return 0;
	*(__u64 *)slot->work = cgroup_key(set);
	for (__u32 i = 0; i < CGROUPS; i++)
		at = cgroup_append(slot_key, (__u64)set, at, i);
	return (int)at;
}

/* At cgroup_attach_task: its arguments. */
static __always_inline struct task_struct *cgroup_moved_task(struct filler *f)
{
	return (void *)((__u64 *)f->ctx)[2];
}

static __always_inline bool cgroup_moves_process(struct filler *f)
{
	return ((__u64 *)f->ctx)[3];
}

/* Those of the hierarchy in which the task moves. */
static __always_inline __u32 cgroup_moved_subsystems(struct filler *f)
{
	struct cgroup *group = (void *)((__u64 *)f->ctx)[0];
	__u32 mask = READ(group, root, subsys_mask), moved = 0;

	for (__u32 i = 0; i < CGROUPS; i++) {
		int subsystem = cgroup_subsystem(i);

		if (subsystem >= 0 && (mask >> (subsystem & 31) & 1))
			moved |= 1U << i;
	}
	return moved;
}

static __always_inline void put_cgroup_path(struct filler *f)
{
	put_kernel_string(f, (void *)((__u64 *)f->ctx)[1], STRING_BYTES_MAX);
}

#endif
