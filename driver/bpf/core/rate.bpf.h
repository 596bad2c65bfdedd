/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Limits of how many events a process and a control group may deliver in a second, so that a busy
 * one leaves the rings to the others. A second begins with the first event after the one before has
 * ended. The limit is exact but for events that other CPUs write at the same moment.
 */
#ifndef LANNER_RATE_BPF_H
#define LANNER_RATE_BPF_H

#include "bpf/core/filler.bpf.h"

#define SECOND_NS 1000000000ULL

static __always_inline void count_begun(enum rate_kind kind)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		driver->rates_begun[kind]++;
}

static __always_inline void *rates_of(enum rate_kind kind)
{
	if (kind == RATE_OF_SHARE)
		return &shares;
	return kind == RATE_OF_PROCESS ? (void *)&process_rates : (void *)&group_rates;
}

static __always_inline struct rate *rate_find(struct rate_key key)
{
	void *rates = rates_of(key.kind);
	struct rate *rate = bpf_map_lookup_elem(rates, &key);

	if (!rate) {
		struct rate none = {};

		bpf_map_update_elem(rates, &key, &none, BPF_NOEXIST);
		rate = bpf_map_lookup_elem(rates, &key);
		if (key.kind < RATE_LIMITS)
			count_begun(key.kind);
	}
	return rate;
}

/* Counts an event that is over it. pid: of whose process, of another one the name is not known. */
static __always_inline void rate_lose(struct rate *rate, __u32 pid)
{
	if (!rate->lost) {
		rate->pid = pid;
		if (pid == current_pid())
			bpf_get_current_comm(rate->name, sizeof(rate->name));
	}
	count(&rate->lost);
}

/* Counts an event; returns whether it is over the limit. */
static __always_inline bool rate_exceeds(__u64 id, enum rate_kind kind, __u64 now)
{
	struct rate *rate = rate_find((struct rate_key){.id = id, .kind = kind});

	if (!rate)
		return false;
	/* The clocks of two CPUs may differ by some ns: the difference has a sign. */
	if ((__s64)(now - rate->began) >= (__s64)SECOND_NS) {
		rate->began = now;
		rate->used = 0;
	}
	if (rate->used < rate_limits[kind]) {
		count(&rate->used);
		return false;
	}
	rate_lose(rate, current_pid());
	return true;
}

/*
 * Whether an event that the current task causes is over a limit. Returns the cause of its loss, or
 * LOSS_CAUSES_COUNT. Not inlined: the verifier walks it once for each caller, and there is one
 * copy.
 */
static __attribute__((noinline)) __u32 rate_cause(__u64 now)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (rate_limits[RATE_OF_PROCESS] && rate_exceeds(current_pid(), RATE_OF_PROCESS, now))
		return LOSS_PROCESS_LIMIT;
	/* Tasks share a css_set if, and only if, they share all their groups. */
	if (rate_limits[RATE_OF_CGROUP] &&
	    rate_exceeds((__u64)READ(task, cgroups), RATE_OF_CGROUP, now))
		return LOSS_CGROUP_LIMIT;
	return LOSS_CAUSES_COUNT;
}

static __always_inline bool rates_are_limited(void)
{
	return rate_limits[RATE_OF_PROCESS] || rate_limits[RATE_OF_CGROUP];
}

#endif
