/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Maps of the profiler, all of a fixed size and allocated before it begins, as interrupts use them;
 * and the memory that a program works in, one for each program and CPU.
 */
#ifndef PROFILE_MAPS_BPF_H
#define PROFILE_MAPS_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/share_owner.bpf.h"
#include "profile_abi.h"

#define HASH_MAP(name, key_type, value_type, entries)                                              \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_HASH);                                                   \
		__uint(max_entries, entries);                                                      \
		__type(key, key_type);                                                             \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

#define ARRAY_MAP(name, value_type, entries, map_type, map_flags_set)                              \
	struct {                                                                                   \
		__uint(type, map_type);                                                            \
		__uint(map_flags, map_flags_set);                                                  \
		__uint(max_entries, entries);                                                      \
		__type(key, __u32);                                                                \
		__type(value, value_type);                                                         \
	} name SEC(".maps")

/* Registers of a process, laid out as programs of user space know them. */
#if defined(__TARGET_ARCH_x86)
struct registers {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs,
		flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct registers {
	__u64 regs[31], sp, pc, pstate;
};
#else
#error "the registers of this architecture are not known"
#endif

/* Code of a process that an address was found in, until one is not. */
struct mapping {
	__u64 begin, end; /* 0: none is known */
	__u64 offset; /* of `begin` in the file */
	__u32 file; /* its index */
	__u32 state; /* enum profile_file_state */
	__u32 is_file;
	__u32 zero;
};

/* What is known of the current frame. */
struct work {
	__u64 ip; /* of a caller that of the last byte of the call */
	__u64 sp, bp, r10, lr;
	__u64 mm;
	struct mapping mapping;
	__u64 node[32]; /* of the tree of mappings */
	__u64 entry; /* of that tree */
	__u64 vma;
	struct profile_rule rule;
	__u64 hash;
	__u32 in_use;
	__u32 files; /* that this program has numbered on this CPU */
	struct profile_process_key process;
	__u64 share; /* who takes room in maps: a key of `shares` */
	struct registers registers; /* of the process */
	struct profile_file file;
	struct profile_stack stack;
	struct profile_row row;
	struct profile_count count;
	struct profile_wait wait;
};

HASH_MAP(rows, struct profile_row, struct profile_count, PROFILE_ROWS);
HASH_MAP(stacks, __u64, struct profile_stack, PROFILE_STACKS);
HASH_MAP(waits, __u32, struct profile_wait, PROFILE_WAITS);
HASH_MAP(processes, struct profile_process_key, struct profile_process, PROFILE_PROCESSES);
HASH_MAP(files, struct profile_file_key, struct profile_file, PROFILE_FILES);
HASH_MAP(pages, struct profile_page_key, struct profile_page, PROFILE_PAGES);
HASH_MAP(targets, __u32, __u32, PROFILE_TARGETS);
HASH_MAP(shares, __u64, struct profile_share, PROFILE_SHARES);
/* How many waits each share has: user space, which writes to `shares`, does not change it. */
HASH_MAP(waiting, __u64, __u32, PROFILE_SHARES);
ARRAY_MAP(rules, struct profile_rule, PROFILE_RULES, BPF_MAP_TYPE_ARRAY, BPF_F_MMAPABLE);
ARRAY_MAP(chunks, struct profile_chunk, PROFILE_CHUNKS, BPF_MAP_TYPE_ARRAY, BPF_F_MMAPABLE);
/* Of each of `enum profile_shared` what all have taken. User space changes that of files and stacks. */
ARRAY_MAP(taken, __u64, PROFILE_TAKEN, BPF_MAP_TYPE_ARRAY, BPF_F_MMAPABLE);
ARRAY_MAP(works, struct work, PROFILE_SLOTS, BPF_MAP_TYPE_PERCPU_ARRAY, 0);
ARRAY_MAP(losses, __u64, PROFILE_LOSSES, BPF_MAP_TYPE_PERCPU_ARRAY, 0);

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PROFILE_NEWS_BYTES);
} news SEC(".maps");

/* Set before the programs are loaded. */
const volatile __u64 secret; /* of hashes: nobody can choose stacks that have the same one */
const volatile __u32 cpus = 1; /* that there can be */
const volatile __u32 kernel_frames_max = PROFILE_FRAMES_MAX; /* kernel.perf_event_max_stack */
const volatile __u32 stacks_max = PROFILE_STACKS; /* entries of that map */
const volatile bool has_targets; /* processes that are not in the map are left out */
/* Which waits are counted. */
const volatile __u32 only_tid; /* 0: of all threads */
const volatile bool leaves_out_kernel, leaves_out_users; /* their threads */
const volatile __u64 wait_min_ns, wait_max_ns; /* 0: any */
const volatile bool has_states; /* only waits that begin in one of these */
const volatile __u64 only_states; /* bits of task_struct.state; 0: it can run */
const volatile __u32 own_pid; /* the process that profiles, which is left out; 0: none is */

/* User space changes it to read what was counted under the one before. */
__u32 generation;

/* That of taken[PROFILE_SHARED_ROWS]. */
__u32 rows_generation;

/* Since when waits are counted (monotonic). */
__u64 begin_ns;

static __always_inline void lose(__u32 cause)
{
	__u64 *count = bpf_map_lookup_elem(&losses, &cause);

	if (count)
		(*count)++;
}

/* The share of the current process. */
static __always_inline __u64 current_share(void)
{
	return share_owner((void *)bpf_get_current_task());
}

static __always_inline struct profile_share *find_share(__u64 key)
{
	const __u64 others = PROFILE_SHARE_OF_OTHERS;
	struct profile_share none = {}, *share = bpf_map_lookup_elem(&shares, &key);

	if (share)
		return share;
	bpf_map_update_elem(&shares, &key, &none, BPF_NOEXIST);
	share = bpf_map_lookup_elem(&shares, &key);
	return share ? share : bpf_map_lookup_elem(&shares, &others);
}

/*
 * Whether one who has `own` entries of a map may have one more: nobody has more than what is free, so
 * that however many act for one, something is left for all others.
 */
static __always_inline bool has_room(__u32 what, __u64 own, __u64 max)
{
	__u64 *all = bpf_map_lookup_elem(&taken, &what);

	return !all || (*all < max && own < max - *all);
}

static __always_inline void add_taken(__u32 what, __s64 entries)
{
	__u64 *all = bpf_map_lookup_elem(&taken, &what);

	if (all && (entries > 0 || *all))
		__sync_fetch_and_add(all, entries);
}

/* Rows are those of a generation. */
static __always_inline void renew_rows(struct profile_share *share)
{
	__u32 what = PROFILE_SHARED_ROWS;
	__u64 *all = bpf_map_lookup_elem(&taken, &what);

	if (rows_generation != generation && all) {
		rows_generation = generation;
		*all = 0;
	}
	if (share->generation != generation) {
		share->generation = generation;
		share->taken[PROFILE_SHARED_ROWS] = 0;
	}
}

/* Takes room for one entry of a map, which has `max`. Returns whether there is any left. */
static __always_inline bool take_share(__u64 key, __u32 what, __u32 max)
{
	struct profile_share *share = find_share(key);

	if (!share)
		return true;
	if (what == PROFILE_SHARED_ROWS)
		renew_rows(share);
	if (!has_room(what, share->taken[what], max))
		return false;
	__sync_fetch_and_add(&share->taken[what], 1);
	add_taken(what, 1);
	return true;
}

/* Gives back what was taken for an entry that was not made. */
static __always_inline void give_share(__u64 key, __u32 what)
{
	struct profile_share *share = find_share(key);

	if (!share || !share->taken[what])
		return;
	__sync_fetch_and_add(&share->taken[what], -1);
	add_taken(what, -1);
}

static __always_inline struct work *work_of(__u32 slot)
{
	return bpf_map_lookup_elem(&works, &slot);
}

/* A wake-up for each: what is new is rare. */
static __always_inline void tell(struct profile_news *told)
{
	if (bpf_ringbuf_output(&news, told, sizeof(*told), 0))
		lose(PROFILE_LOST_NEWS);
}

#endif
