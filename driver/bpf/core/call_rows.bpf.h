/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls that are counted here, in rows of this CPU, as nobody wants more of their events than a
 * number. The map does not grow: what has no room is counted in a row that user space adds first.
 */
#ifndef LANNER_CALL_ROWS_BPF_H
#define LANNER_CALL_ROWS_BPF_H

#include "bpf/core/latency.bpf.h"

enum { ERRNO_MAX = 4095 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, CALL_ROWS_MAX);
	__type(key, struct call_row_key);
	__type(value, struct call_row);
} call_rows SEC(".maps");

const volatile bool counts_calls; /* any */
const volatile bool counted_calls[EVENT_ID_MAX]; /* these, and there are no events of them */
const volatile __u32 call_rows_by; /* bits of enum call_rows_by */

static __always_inline struct call_row *call_row_of(struct call_row_key *key)
{
	struct call_row *row = bpf_map_lookup_elem(&call_rows, key), none = {};

	if (row)
		return row;
	bpf_map_update_elem(&call_rows, key, &none, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&call_rows, key);
	if (row)
		return row;
	*key = (struct call_row_key){};
	return bpf_map_lookup_elem(&call_rows, key);
}

/* entered_ns: 0 if it is not known. */
static __always_inline void call_row_add(__u32 event, long result, __u64 entered_ns)
{
	struct call_row_key key = {.event = event};
	struct call_row *row;
	__u64 ns;

	if (call_rows_by & BY_CPU)
		key.cpu = bpf_get_smp_processor_id();
	if (call_rows_by & BY_RESULT && result < 0 && result >= -ERRNO_MAX)
		key.error = -result;
	row = call_row_of(&key);
	if (!row)
		return;
	/* Programs of this CPU can be preempted by each other. */
	__sync_fetch_and_add(&row->count, 1);
	if (!entered_ns)
		return;
	ns = bpf_ktime_get_boot_ns() - entered_ns;
	__sync_fetch_and_add(&row->timed, 1);
	__sync_fetch_and_add(&row->latency_ns, ns);
	if (ns > row->latency_max_ns)
		row->latency_max_ns = ns;
}

#endif
