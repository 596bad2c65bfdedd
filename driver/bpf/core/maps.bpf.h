/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The maps and the configuration. User space sets the sizes and the read-only data before it loads
 * the programs, so that the verifier sees constants and removes disabled code. Maps to which it
 * does not write later are frozen when it has loaded them (userspace/scap/live/load.c).
 */
#ifndef LANNER_MAPS_BPF_H
#define LANNER_MAPS_BPF_H

#include "abi.h"
#include "bpf/core/kernel_structs.bpf.h"

enum { CLONES_MAX = 4096, GROUPS_REJECTED_MAX = 8192 };

/* A perf ring for each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} rings SEC(".maps");

/* Of a flight recorder, likewise: what nobody reads as it comes, where the oldest is overwritten. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} backward_rings SEC(".maps");

/*
 * Index: cpu * SCRATCH_SLOTS_PER_CPU + slot. User space maps it, and takes out frames that wait
 * there.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SCRATCH_SLOTS_PER_CPU);
	__type(key, __u32);
	__type(value, struct scratch_slot);
} scratch SEC(".maps");

/* What is written there only wakes user space, which waits for the next event. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} bell SEC(".maps");

/* Index: event id, or enum jump. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, JUMPS_END);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} fillers SEC(".maps");

/* Index: event id. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENT_ID_MAX);
	__type(key, __u32);
	__type(value, struct event_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct driver_counters);
} driver_counters SEC(".maps");

/*
 * Key: thread. The flags of the clone3 that it makes or that created it, until the exit event is
 * written.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CLONES_MAX);
	__type(key, __u32);
	__type(value, __u64);
} clone3_noted SEC(".maps");

/*
 * By kind, so that processes that come and go do not end what control groups are counted by. User
 * space makes those small whose kind is not counted.
 */
struct rates {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, RATES_MAX);
	__type(key, struct rate_key);
	__type(value, struct rate);
};

struct rates process_rates SEC(".maps");
struct rates group_rates SEC(".maps");
struct rates shares SEC(".maps");

/*
 * Key: of control groups, see cgroup_key_add(); the filter rejects all events of their threads.
 * User space changes it while the capture runs, and makes it small if groups decide nothing.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__uint(max_entries, GROUPS_REJECTED_MAX);
	__type(key, __u64);
	__type(value, __u8);
} rejected_groups SEC(".maps");

/*
 * Key: the inode of a socket. How many bytes of each call on it are wanted, in place of
 * stream_bytes; 0: none. User space changes it while the capture runs, and makes it small if no
 * streams are followed; of HTTP/2 programs say first that all are.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, STREAM_LIMITS_MAX);
	__type(key, __u64);
	__type(value, __u32);
} stream_limits SEC(".maps");

/* Key: thread. What it does; only of those that moved bytes of sockets while `keeps_times`. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THREAD_TIMES_MAX);
	__type(key, __u32);
	__type(value, struct thread_times);
} thread_times SEC(".maps");

/* struct tls_note: programs and libraries that user space has not seen yet, maybe. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, TLS_NOTES_BYTES);
} tls_notes SEC(".maps");

/* User space changes it while the capture runs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct shed);
} shed SEC(".maps");

const volatile struct call_events call_events[SYSCALL_NR_MAX]; /* by the caller's number */
const volatile struct multiplexed_events multiplexed_events[MULTIPLEXED_CALLS];
const volatile struct compat_call compat_calls[SYSCALL_NR_MAX]; /* by their number */
const volatile __u16 syscall_codes[SYSCALL_NR_MAX]; /* .scap number by native number */
const volatile __u32 self_pids[SELF_PIDS]; /* not captured; 0: none */
const volatile bool drops_calls; /* any of what call_is_dropped() asks for */
const volatile bool follows; /* see follow.bpf.h */
const volatile bool follows_children;
const volatile bool holds; /* see follow.bpf.h */
const volatile __u8 followed_of[EVENT_ID_MAX]; /* enum followed_whose */
const volatile __u32 uring_kernel; /* enum uring_kernel */
const volatile __u64 uring_worker_flag; /* of requests that a worker may have done; 0: not known */
const volatile struct uring_events uring_events[URING_OPCODES]; /* by IORING_OP_* */
const volatile __u64 uring_secret[2]; /* see uring_number() */
const volatile bool classic_calls; /* see userspace/scap/live/call_hooks.h */
const volatile bool enter_times; /* latencies are wanted */
const volatile bool compares_arguments; /* with those on entry */
const volatile bool reads_environments; /* of programs, when they begin */
const volatile bool tells_files; /* see FRAME_FILE */
const volatile bool notes_sends; /* see readers/sent.bpf.h */
const volatile struct tls_chosen tls_chosen; /* whose plaintext is wanted; zeros: of none */
const volatile __u32 stream_bytes; /* see readers/stream.bpf.h; 0: no streams are followed */
const volatile bool keeps_times; /* see bpf/waits.bpf.h */
const volatile char reason_names[REASONS_MAX][REASON_BYTES_MAX]; /* NUL-terminated, or empty */
const volatile bool owns_sockets; /* see core/socket_owner.bpf.h */
const volatile bool stream_only[EVENT_ID_MAX]; /* nobody else asks for these events of others */
const volatile struct kernel_filters kernel_filters; /* see kernel_filter.bpf.h */
const volatile bool overwrites; /* it is a flight recorder: see backward_rings */
const volatile bool read_at_once[EVENT_ID_MAX]; /* then: these go to `rings` */
const volatile bool reserves_room; /* of rings, for important events; and each process has a share */
const volatile __u32 rate_limits[RATE_LIMITS]; /* events in a second; 0: not limited */
const volatile bool never_limited[EVENT_ID_MAX]; /* important ones, and those of rules */
const volatile bool has_budget; /* see budget.bpf.h */
const volatile __u8 shed_classes[EVENT_ID_MAX]; /* enum shed_class */
const volatile __u32 snaplen; /* bytes of data kept of a buffer */
const volatile struct snaplen_rules snaplen_rules; /* more than snaplen bytes, on some ports */
const volatile __u32 batch_bytes; /* larger batches are sent; <= BATCH_BYTES_MAX */
const volatile __u32 kib_per_page_shift; /* 1 KiB << this is a page */
const volatile __u64 boot_offset_ns; /* epoch minus boot clock */

#endif
