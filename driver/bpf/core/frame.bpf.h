/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Writing one event: take a scratch slot, put the parameters in their order, send the frame, give
 * the slot back. All of it is inlined into each filler, where offsets ahead of the first variable
 * parameter are constants. What a slot has gathered never exceeds GATHER_BYTES; comparisons that
 * say so again tell it to the verifier.
 */
#ifndef LANNER_FRAME_BPF_H
#define LANNER_FRAME_BPF_H

#include "bpf/core/arch.bpf.h"
#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/kernel_versions.bpf.h"
#include "bpf/core/maps.bpf.h"
#include "bpf/readers/user_file_structs.bpf.h"
#include "bpf/readers/user_structs.bpf.h"

#include <asm/errno.h>
#include <linux/openat2.h>
#include <linux/quota.h>

struct user_message {
	__u64 name;
	__s32 name_len;
	__u32 pad;
	__u64 vector;
	__u64 vector_len;
	__u64 control;
	__u64 control_len;
};

struct user_iovec {
	__u64 base;
	__u64 len;
};

/* What sendmmsg and recvmmsg are given for each message. */
struct user_messages_entry {
	struct user_message message;
	__u64 flags;
	__u32 len;
	__u32 pad;
};

struct delivered_signal {
	__s64 sender;
	__u8 number;
};

/* The beginning of struct io_uring_params, the same for every caller. */
struct user_ring {
	__u32 sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features;
};

struct fd_pair {
	__s32 first, second;
};

struct opened_file {
	__u64 ino;
	__u32 dev, flags;
	__u16 layer; /* enum overlay_layer, as stored for creat */
	bool known;
};

struct accept_queue {
	__u32 percent, length, limit;
};

/*
 * One event being written. It lives in registers: no address in it may be given to a helper, which
 * would move all of it to the stack, out of the verifier's sight.
 */
struct filler {
	void *ctx;
	struct pt_regs *regs; /* NULL unless at a system call */
	struct caller caller; /* likewise */
	__u64 args[ARGUMENTS_MAX]; /* when `args_taken`; see multiplexed.bpf.h */
	bool args_taken;
	bool times_are_wide; /* those at hand have 64 bits whoever the caller is */
	bool ipc_is_older; /* its struct is of the older layout */
	struct scratch_slot *slot;
	__u8 *frame; /* the event's own, within the slot */
	__u32 slot_key;
	__u16 event;
	struct task_struct *task;
	bool of_child; /* told of `task`, which has not run yet, instead of the current one */
	bool timed; /* of a call that ends: see slot->entered_ns */
	long ret;
	__u64 pos;	 /* where the next value goes */
	__u32 param;	 /* index of the parameter being put */
	bool absent;	 /* the value just computed does not exist */
	bool too_large;

	/* What one parameter reads and later ones use too. */
	struct opened_file opened;
	struct open_how how;
	struct fd_pair pair;
	struct accept_queue queue;
	struct user_ring ring;
	struct user_message message;
	bool message_read;
	__u32 vector_bytes;
	__u64 size_pos;	     /* of a size that is known later */
	long messages;	     /* result of a call for several messages */
	__u32 message_index; /* the one that this event is about */
	__u32 option_len;    /* of a socket option */
	struct if_dqblk quota_limits;
	struct if_dqinfo quota_settings;
	bool struct_read; /* the last of the structs below that was read could be */
	struct user_time time;
	struct user_itimer itimer;
	struct user_rlimit rlimit;
	struct delivered_signal signal;
	struct user_timezone timezone;
	struct user_timex timex;
	struct user_tms tms;
	struct user_sigaction sigaction;
	struct user_sigstack sigstack;
	struct user_siginfo siginfo;
	struct user_sigevent sigevent;
	struct user_rusage rusage;
	struct user_sched_attr sched_attr;
	struct user_capability_header capability_header;
	struct user_capabilities capabilities, capabilities_high;
	struct user_ipc_perm ipc_perm;
	struct user_semaphore semaphore;
	struct user_mq_attr mq_attr;
	struct user_range range;
	struct user_futex futex;
	struct user_perf_attr perf_attr;
	struct user_segment segment;
	struct user_sysinfo sysinfo;
	struct user_times times;
	struct user_utimbuf utimbuf;
	struct user_statx statx;
	struct user_statfs statfs;
	struct user_ustat ustat;
	struct user_file_attr file_attr;
	struct user_file_handle file_handle;
	struct user_cache_range cache_range;
	struct user_cache_state cache_state;
	struct user_xattr_args xattr_args;
	struct user_epoll_event epoll_event;
	struct user_mask_argument mask_argument;
	struct user_aio_control aio_control;
	struct user_aio_event aio_event;
	struct user_ruleset_attr ruleset_attr;
	struct user_rule_path rule_path;
	struct user_rule_port rule_port;
	struct user_lsm_context lsm_context;
	struct user_mount_attr mount_attr;
	struct user_mount_request mount_request;
	struct user_ns_request ns_request;
	struct user_statmount statmount;
	bool argv_ended; /* ahead of its first string */
};

enum {
	LENGTHS_AT = sizeof(struct ppm_evt_hdr),
	FIXED_BYTES_MAX = 512, /* of a frame, ahead of its first value of variable length */
};

static __always_inline void count(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

/* A call of a program that is not of 64 bits is left out. */
static __always_inline void count_compat(void)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->compat);
}

static __always_inline void count_lost(__u32 event, enum loss_cause cause)
{
	struct event_counters *of_event = bpf_map_lookup_elem(&counters, &event);

	if (of_event)
		count(&of_event->lost[cause]);
}

/* A parameter stays empty because the caller's memory could not be read. */
static __always_inline void count_unreadable(struct filler *f)
{
	__u32 event = f->event;
	struct event_counters *of_event = bpf_map_lookup_elem(&counters, &event);

	if (of_event)
		count(&of_event->unreadable);
}

/*
 * Programs can be preempted, so that two of one CPU interleave. The only user of a slot owns it;
 * two that meet may both decline it, but never both take it.
 */
static __always_inline struct scratch_slot *scratch_take(__u32 *taken)
{
	__u32 first = bpf_get_smp_processor_id() * SCRATCH_SLOTS_PER_CPU;

	for (__u32 i = 0; i < SCRATCH_SLOTS_PER_CPU; i++) {
		__u32 key = first + i;
		struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &key);

		if (!slot)
			return NULL;
		if (users_enter(&slot->state.users)) {
			*taken = key;
			return slot;
		}
		users_leave(&slot->state.users);
	}
	return NULL;
}

static __always_inline void scratch_give_back(struct scratch_slot *slot)
{
	users_leave(&slot->state.users);
}

static __always_inline __u32 event_tid(struct filler *f)
{
	struct task_struct *task = f->task;

	return f->of_child ? READ(task, pid) : current_tid();
}

static __always_inline __u32 event_pid(struct filler *f)
{
	struct task_struct *task = f->task;

	return f->of_child ? READ(task, tgid) : current_pid();
}

/* Where the event that is being written begins: behind those that the slot has gathered. */
static __always_inline __u8 *slot_frame(struct scratch_slot *slot)
{
	__u64 at = slot->state.batch.bytes;

	CHECKED(at);
	if (at > GATHER_BYTES)
		at = 0;
	return slot->frames + at;
}

/* Starts an event: counts it as seen, and writes its header but for the length. */
static __always_inline bool filler_begin(struct filler *f, void *ctx, __u16 event, __u32 nparams)
{
	__u64 now;

	if (!f->slot)
		f->slot = scratch_take(&f->slot_key);
	if (!f->slot) {
		count_lost(event, LOSS_SCRATCH_BUSY);
		return false;
	}
	now = bpf_ktime_get_boot_ns();
	f->slot->seen[event]++;
	if (f->slot->state.batch.bytes == 0)
		*(volatile __u64 *)&f->slot->state.since_ns = now;
	f->ctx = ctx;
	f->event = event;
	f->frame = slot_frame(f->slot);
	*(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, ts)) = now + boot_offset_ns;
	*(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, tid)) = event_tid(f);
	*(__u16 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, type)) = event;
	*(__u32 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, nparams)) = nparams;
	f->pos = LENGTHS_AT + nparams * sizeof(__u16);
	return true;
}

/* Counts the events of a record that did not go out. Not inlined: the verifier walks it once. */
__attribute__((noinline)) int batch_count_lost(__u32 slot_key, __u32 events, __u32 cause)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);

	if (!slot || cause >= LOSS_CAUSES_COUNT)
		return 0;
	for (__u32 i = 0; i < GATHER_EVENTS_MAX && i < events; i++)
		count_lost(slot->gathered[i], cause);
	return 0;
}

/*
 * Sends `bytes` of frames from `start` on as one record. Its header goes right ahead of them, over
 * what was sent before.
 */
static __always_inline void batch_send(struct filler *f, __u64 start, __u64 bytes, __u16 events)
{
	struct batch_header *header = (void *)(f->slot->frames + start) - sizeof(*header);
	long err;

	header->bytes = bytes;
	header->slot = f->slot_key & (SCRATCH_SLOTS_PER_CPU - 1);
	header->count = events;
	err = bpf_perf_event_output(f->ctx, &rings, BPF_F_CURRENT_CPU, header,
				    sizeof(*header) + bytes);
	if (err)
		batch_count_lost(f->slot_key, events,
				 err == -ENOSPC ? LOSS_RING_FULL : LOSS_OUTPUT);
}

/* Sends what the slot has gathered. */
static __always_inline void batch_flush(struct filler *f)
{
	struct batch_header *batch = &f->slot->state.batch;
	__u64 bytes = batch->bytes;

	CHECKED(bytes);
	if (bytes <= RECORD_BYTES_MAX)
		batch_send(f, 0, bytes, batch->count);
	batch->bytes = 0;
	batch->count = 0;
}

/*
 * Gives a value back by way of memory, where the verifier loses what it knew of it: paths that
 * differ in that alone are then walked once and not each to its end.
 */
static __always_inline __u64 forget(struct scratch_slot *slot, __u64 value)
{
	volatile __u64 *cell = &slot->forgotten;

	*cell = value;
	return *cell;
}

/* Ends a frame with the latency of its call, if that is known: see FRAME_TIMED. */
static __always_inline void put_latency(struct filler *f)
{
	__u64 now =
		*(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, ts)) - boot_offset_ns;
	__u64 entered = f->slot->entered_ns, pos = f->pos;

	CHECKED(pos);
	if (!entered || f->too_large || pos > FRAME_BYTES_MAX - sizeof(entered))
		return;
	/* This clock may step back by some ns. */
	*(__u64 *)(f->frame + pos) = now > entered ? now - entered : 0;
	*(__u32 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, nparams)) |= FRAME_TIMED;
	f->pos = forget(f->slot, pos + sizeof(entered));
}

/* Leaves the finished frame in the slot, and sends the slot's frames when there are enough. */
static __always_inline void filler_send(struct filler *f)
{
	struct batch_header *batch = &f->slot->state.batch;
	__u64 len, bytes;

	if (enter_times && f->timed)
		put_latency(f);
	len = f->pos;
	CHECKED(len);
	if (f->too_large || len > FRAME_BYTES_MAX) {
		count_lost(f->event, LOSS_TOO_LARGE);
		goto out;
	}
	*(__u32 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, len)) = len;
	len = (len + FRAME_ALIGN - 1) & ~(__u64)(FRAME_ALIGN - 1);
	bytes = batch->bytes + len;
	if (bytes > RECORD_BYTES_MAX) {
		__u64 start = batch->bytes;

		batch_flush(f);
		f->slot->gathered[0] = f->event;
		CHECKED(start);
		if (start <= GATHER_BYTES)
			batch_send(f, start, len, 1);
		goto out;
	}
	f->slot->gathered[batch->count & (GATHER_EVENTS_MAX - 1)] = f->event;
	batch->bytes = bytes;
	batch->count++;
	if (batch->count >= GATHER_EVENTS_MAX || bytes > gather_bytes)
		batch_flush(f);
out:
	/* The record is in the ring by then, for everybody. */
	if (batch->count == 0)
		store_in_order(&f->slot->state.since_ns, 0);
}

static __always_inline void filler_end(struct filler *f)
{
	filler_send(f);
	scratch_give_back(f->slot);
}

/*
 * A call for several messages has an event for each. Its filler jumps to itself for the next one
 * and keeps its slot meanwhile, where it finds again what its turn is.
 */
static __always_inline void messages_resume(struct filler *f)
{
	__u32 first = bpf_get_smp_processor_id() * SCRATCH_SLOTS_PER_CPU, tid = current_tid();

	for (__u32 i = 0; i < SCRATCH_SLOTS_PER_CPU; i++) {
		__u32 key = first + i;
		struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &key);

		if (!slot)
			return;
		if (slot->messages.tid != tid)
			continue;
		slot->messages.tid = 0;
		f->slot = slot;
		f->slot_key = key;
		f->message_index = slot->messages.next;
		return;
	}
}

static __always_inline void messages_end(struct filler *f)
{
	__u32 next = f->message_index + 1;

	filler_send(f);
	if (next < f->messages && next < MESSAGES_MAX && CAN_JUMP_FROM_FUNCTIONS) {
		f->slot->messages.next = next;
		f->slot->messages.tid = current_tid();
		bpf_tail_call(f->ctx, &fillers, f->event);
		f->slot->messages.tid = 0;
		count_lost(f->event, LOSS_TAIL_CALL);
	}
	scratch_give_back(f->slot);
}

/* For readers of which an event has many: what one learns of the result the next need not know. */
static __always_inline bool call_failed(struct filler *f)
{
	return (__s64)forget(f->slot, f->ret) < 0;
}

static __always_inline void put_length(struct filler *f, __u16 n)
{
	*(__u16 *)(f->frame + LENGTHS_AT + f->param * sizeof(__u16)) = n;
}

/* The length of a parameter that has been put. */
static __always_inline __u16 length_put(struct filler *f, __u32 param)
{
	return *(__u16 *)(f->frame + LENGTHS_AT + param * sizeof(__u16));
}

static __always_inline void put_absent(struct filler *f)
{
	put_length(f, 0);
}

/*
 * Where the next value goes, or NULL when the frame is full. From there, 65535 bytes are within
 * the slot.
 */
static __always_inline __u8 *frame_room(struct filler *f)
{
	__u64 pos = f->pos;

	CHECKED(pos);
	if (pos > FRAME_BYTES_MAX) {
		f->too_large = true;
		put_length(f, 0);
		return NULL;
	}
	return f->frame + pos;
}

/* Takes over `n` bytes that were written at frame_room(). */
static __always_inline void frame_advance(struct filler *f, __u64 n)
{
	put_length(f, n);
	f->pos += n;
	if (!__builtin_constant_p(n))
		f->pos = forget(f->slot, f->pos);
}

#define DEFINE_PUT_FIXED(name, type)                                                               \
	static __always_inline void put_##name(struct filler *f, type value)                       \
	{                                                                                          \
		__u8 *room;                                                                        \
                                                                                                   \
		if (f->absent) {                                                                   \
			f->absent = false;                                                         \
			put_absent(f);                                                             \
			return;                                                                    \
		}                                                                                  \
		room = frame_room(f);                                                              \
		if (!room)                                                                         \
			return;                                                                    \
		*(type *)room = value;                                                             \
		frame_advance(f, sizeof(type));                                                    \
	}

DEFINE_PUT_FIXED(u8, __u8)
DEFINE_PUT_FIXED(u16, __u16)
DEFINE_PUT_FIXED(u32, __u32)
DEFINE_PUT_FIXED(u64, __u64)

/* A string of the caller's memory, up to its NUL. Absent when the pointer is NULL. */
static __always_inline void put_string(struct filler *f, __u64 address)
{
	__u8 *room = frame_room(f);
	long n = 0;

	if (!room)
		return;
	if (address) {
		n = read_user_string(room, STRING_BYTES_MAX, (void *)address);
		if (n < 0) {
			count_unreadable(f);
			n = 0;
		}
	}
	frame_advance(f, n & (2 * STRING_BYTES_MAX - 1));
}

/* A string of kernel memory. */
static __always_inline void put_kernel_string(struct filler *f, const void *address, __u32 size)
{
	__u8 *room = frame_room(f);
	long n;

	if (!room)
		return;
	n = bpf_probe_read_kernel_str(room, size, address);
	frame_advance(f, n < 0 ? 0 : n & (2 * STRING_BYTES_MAX - 1));
}

/* Up to 65535 bytes of the caller's memory, all or nothing. */
static __always_inline void put_bytes(struct filler *f, __u64 address, __u64 n)
{
	__u8 *room = frame_room(f);

	if (!room)
		return;
	CHECKED(n);
	if (n > 65535)
		n = 65535;
	if (n && (!address || bpf_probe_read_user(room, n, (void *)address))) {
		count_unreadable(f);
		n = 0;
	}
	frame_advance(f, n);
}

#endif
