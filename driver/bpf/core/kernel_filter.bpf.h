/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The part of the filter that the kernel decides, before an event costs anything else. The verifier
 * knows which filter an event has, as it is in read-only data at a constant index: it removes the
 * call where there is none, and what reads facts that no check compares.
 *
 * User space knows the names of threads from exec, prctl and clone. A name that is written to the
 * file "comm" of /proc has no event: the threads that have one are noted, and their name decides
 * nothing here.
 */
#ifndef LANNER_KERNEL_FILTER_BPF_H
#define LANNER_KERNEL_FILTER_BPF_H

#include "bpf/core/cgroup_key.bpf.h"
#include "bpf/core/filler.bpf.h"

#include <asm/errno.h>

enum {
	RENAMED_MAX = 8192,
	OPENED_PATH_MAX = 4096, /* bytes of a path that is compared: fewer, its NUL included */
	OPENED_PATH_END = 8192, /* of the work area: where the path of an opened file ends */
};

/*
 * Key: thread. Allocated in advance: Linux 5.10 warns of tracing programs that allocate. User space
 * makes it small if no names are compared.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RENAMED_MAX);
	__type(key, __u32);
	__type(value, __u8);
} renamed SEC(".maps");

__u32 renamed_count; /* of the map; more than RENAMED_MAX if one is missing there */

static __always_inline void rename_note(__u32 tid)
{
	__u8 nothing = 0;
	long err = bpf_map_update_elem(&renamed, &tid, &nothing, BPF_NOEXIST);

	if (err == 0)
		__sync_fetch_and_add(&renamed_count, 1);
	else if (err != -EEXIST && renamed_count <= RENAMED_MAX)
		__sync_fetch_and_add(&renamed_count, RENAMED_MAX + 1);
}

static __always_inline void rename_forget(__u32 tid)
{
	if (renamed_count && bpf_map_delete_elem(&renamed, &tid) == 0)
		__sync_fetch_and_add(&renamed_count, -1);
}

/* Whether the current thread may have a name that user space does not know. */
static __always_inline bool is_renamed(struct task_struct *task)
{
	__u32 tid;

	if (!renamed_count || renamed_count > RENAMED_MAX)
		return renamed_count;
	tid = tid_of(task);
	return bpf_map_lookup_elem(&renamed, &tid);
}

/* All bits of the bytes before the first NUL of a word of text. */
static __always_inline __u64 text_mask(__u64 word)
{
	const __u64 ones = 0x0101010101010101, high = ones << 7;
	__u64 ends = (word - ones) & ~word & high;

	return ((ends & -ends) >> 7) - 1;
}

/*
 * The name of the current thread, with zeros after it. By words: the helper takes 30 ns, and what
 * kernels leave behind the NUL differs.
 */
static __always_inline void read_name(struct task_struct *task, __u64 words[2])
{
	__u64 first, second, mask;

	if (!CAN_TYPE_CURRENT) {
		bpf_get_current_comm(words, 2 * sizeof(words[0]));
		return;
	}
	first = ((__u64 *)CURRENT(task)->comm)[0];
	second = ((__u64 *)CURRENT(task)->comm)[1];
	mask = text_mask(first);
	words[0] = first & mask;
	words[1] = mask == ~0ULL ? second & text_mask(second) : 0;
}

/* Reads what the filter compares. Returns false if a fact may differ from what user space knows. */
static __always_inline bool facts_read(struct task_struct *task, __u32 wanted,
				       struct kernel_facts *facts)
{
	if (wanted & (1 << KERNEL_PID | 1 << KERNEL_TID)) {
		facts->words[KERNEL_PID] = pid_of(task);
		facts->words[KERNEL_TID] = tid_of(task);
	}
	if (wanted & 1 << KERNEL_PPID)
		facts->words[KERNEL_PPID] = GET(task, real_parent, tgid);
	if (wanted & (1 << KERNEL_UID | 1 << KERNEL_GID)) {
		const struct cred *cred = cred_of(task);

		/* Elsewhere calls set ids of their namespace. */
		if (GET(cred, user_ns, level))
			return false;
		facts->words[KERNEL_UID] = GET(cred, euid.val);
		facts->words[KERNEL_GID] = GET(cred, egid.val);
	}
	if (wanted & 1 << KERNEL_NAME) {
		if (is_renamed(task))
			return false;
		read_name(task, &facts->words[KERNEL_NAME]);
	}
	return true;
}

/*
 * Whether the current call, of `task`, passes the filter of that number. Static and not inlined:
 * there is one copy of it, which the verifier walks with the number that each caller has.
 */
static __attribute__((noinline)) bool kernel_filter_run(struct task_struct *task, __u32 number,
							long result, __u32 open_flags,
							__u64 descriptor)
{
	const volatile struct kernel_filter *filter;
	struct kernel_facts facts = {};

	if (number == 0 || number > KERNEL_FILTERS_MAX)
		return true;
	filter = &kernel_filters.filters[number - 1];
	facts.words[KERNEL_RESULT] = result;
	facts.words[KERNEL_OPEN_FLAGS] = open_flags;
	facts.words[KERNEL_DESCRIPTOR] = descriptor;
	if (filter->facts & 1 << KERNEL_DESCRIPTOR && !descriptor)
		return true;
	return !facts_read(task, filter->facts, &facts) || kernel_filter_passes(filter, &facts);
}

/* The highest bytes of a word, of which the lowest so many bits are cleared. */
static __always_inline __u64 high_bits(__u64 word, __u64 cleared)
{
	return cleared >= 64 ? 0 : word >> cleared << cleared;
}

/*
 * Reads the ends of a path of `n` bytes, its NUL included, which stands at the end of the work area
 * of a slot. What is behind a NUL is compared with nothing: what is before it differs.
 */
static __always_inline void read_path_facts(struct scratch_slot *slot, __u64 n,
					    struct kernel_facts *facts)
{
	__u64 at = (OPENED_PATH_END - n) & (OPENED_PATH_END - 1), bits = (n - 1) * 8;
	const __u64 *first = (void *)slot->work + at;
	const __u64 *last = (void *)slot->work + OPENED_PATH_END - 1 - 16;

	facts->words[KERNEL_PATH] = first[0];
	facts->words[KERNEL_PATH + 1] = first[1];
	facts->words[KERNEL_PATH_2] = first[2];
	facts->words[KERNEL_PATH_2 + 1] = first[3];
	facts->words[KERNEL_PATH_END] = bits < 128 ? high_bits(last[0], 128 - bits) : last[0];
	facts->words[KERNEL_PATH_END + 1] = bits < 64 ? high_bits(last[1], 64 - bits) : last[1];
}

/*
 * Whether a call that opened a file passes the filter of that number. A path that is absent, longer
 * than an event can have, or without its beginning decides nothing. Not inlined, as
 * kernel_filter_run().
 */
static __attribute__((noinline)) bool path_filter_run(struct scratch_slot *slot, __u64 n,
						      __u32 number, long result, __u32 open_flags)
{
	const volatile struct kernel_filter *filter;
	struct kernel_facts facts = {};

	if (number == 0 || number > KERNEL_FILTERS_MAX || n < 2 || n >= OPENED_PATH_MAX ||
	    slot->path_is_part)
		return true;
	filter = &kernel_filters.filters[number - 1];
	facts.words[KERNEL_RESULT] = result;
	facts.words[KERNEL_OPEN_FLAGS] = open_flags;
	read_path_facts(slot, n, &facts);
	return !facts_read(this_task(), filter->facts, &facts) ||
	       kernel_filter_passes(filter, &facts);
}

/* Whether the filter rejects all events of `task` for its control groups. Not inlined, as above. */
static __attribute__((noinline)) bool groups_are_rejected(struct task_struct *task)
{
	struct css_set *set =
		CAN_TYPE_CURRENT ? CURRENT(task)->cgroups : BPF_CORE_READ(task, cgroups);
	__u64 key = cgroup_key(set);

	return bpf_map_lookup_elem(&rejected_groups, &key);
}

/* Whether the groups of a task decide of an event, if its call has this result. */
static __always_inline bool groups_decide(__u32 event, long result)
{
	__u8 calls = kernel_filters.groups[event];

	return kernel_filters.hierarchies &&
	       (calls == KERNEL_GROUPS_OF_ALL || (calls == KERNEL_GROUPS_OF_FAILED && result < 0));
}

/*
 * Whether the filter rejects a call of `task` on its entry, when the result is not known yet.
 * Control groups do not decide here: user space may accept them before the exit.
 */
static __always_inline bool entry_is_rejected(struct task_struct *task, __u32 event)
{
	__u32 number = kernel_filters.at_entry[event];

	return number && !kernel_filter_run(task, number, 0, 0, 0);
}

static __always_inline bool filter_compares(__u32 number, enum kernel_fact fact)
{
	return number && number <= KERNEL_FILTERS_MAX &&
	       kernel_filters.filters[number - 1].facts & 1 << fact;
}

/* Whether a filter of an event compares a fact on the exit of its call. */
static __always_inline bool exit_compares(__u32 event, enum kernel_fact fact)
{
	return filter_compares(kernel_filters.at_exit[event], fact) ||
	       filter_compares(kernel_filters.at_path[event], fact);
}

/* Whether the filter rejects a call of `task` on its exit; a rejected event is counted. */
static __always_inline bool exit_is_rejected(struct task_struct *task, __u32 event, long result,
					     __u32 open_flags, __u64 descriptor)
{
	__u32 number = kernel_filters.at_exit[event];

	if ((!number || kernel_filter_run(task, number, result, open_flags, descriptor)) &&
	    !(groups_decide(event, result) && groups_are_rejected(task)))
		return false;
	count_filtered(event);
	return true;
}

#endif
