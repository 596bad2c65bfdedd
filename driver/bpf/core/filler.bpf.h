/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The event that a program is writing, and the counters of its failures. It has nothing that only
 * the parameters of one event need: rows declare that with LOCAL.
 */
#ifndef LANNER_FILLER_BPF_H
#define LANNER_FILLER_BPF_H

#include "bpf/core/arch.bpf.h"
#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/kernel_versions.bpf.h"
#include "bpf/core/maps.bpf.h"

#include <asm/errno.h>

/* Whose a socket is, and what is known of its connection. Times: boot clock, 0: not known. */
struct socket_owner {
	__u32 pid; /* that connected, listened or accepted; its thread may end before; 0: not known
		    */
	__u64 begun_ns; /* when a client began to connect */
	__u64 established_ns;
	__u64 ino; /* of its descriptors, also when these are closed */
	__u32 role; /* request_roles */
	__u32 is_accepted; /* its owner is final */
	__u32 pad;
};

struct uring_note;

/* Bytes that a function of a TLS library took or gave. */
struct tls_piece {
	__u64 buffer; /* address in the caller's memory */
	__u64 key; /* of the stream: see TLS_KEY */
	__u32 size;
	__u32 wanted; /* of its bytes */
	__s32 fd; /* of the socket; -1: not known */
	__u8 direction; /* tls_directions */
	__u8 is_guess; /* that this is the socket */
	__u8 is_framed; /* see struct tls_count */
};

enum { URING_TEXT_BYTES = 256 /* of a request's strings, buffers and addresses in its note */ };

/*
 * One event being written. It lives in registers: no address in it may be passed to a helper, which
 * would move all of it to the stack, where the verifier loses track of it.
 */
struct filler {
	void *ctx;
	__u16 event;

	/* The subject of the event. */
	struct task_struct *self; /* the current task */
	struct task_struct *task; /* NULL: not read yet, see current_task() */
	bool of_child; /* `task` is not the current one: it has not run yet, or does next */
	struct pt_regs *regs; /* NULL unless at a system call */
	struct caller caller; /* likewise */
	long ret;
	__u64 args[ARGUMENTS_MAX]; /* valid if `args_taken`; see multiplexed.bpf.h */
	bool args_taken;
	bool ipc_is_older; /* the call's struct has the older layout; likewise */
	bool timed; /* of a call that ends: see slot->entered_ns */
	__u32 stream; /* see stream_wanted(); 0 while no streams are followed */
	/* Of an operation of io_uring, whose program may run in another task: see uring.bpf.h. */
	bool of_request; /* there is no call: `args_taken`, and `caller` is a native one */
	bool has_memory; /* the current task has the memory of its process */
	/* In place of branches, which the verifier would walk apart: */
	__u32 not_its_files; /* all bits: the current task does not have its descriptors; else 0 */
	__u32 number_mask; /* of a descriptor that counts: 0 if `file` is known, else all bits */
	__u32 owner_pid, owner_tid; /* who submitted it */
	__u64 file; /* the struct file that the request used; 0: none */
	__u64 made_file; /* that of the registered file that it made; likewise */
	__u64 copy; /* where the note has what was copied of its memory: URING_TEXT_BYTES */
	struct uring_note *note; /* that ends with the event; NULL: none does */
	__u64 *word; /* of its place; likewise, */
	__u64 request; /* and whose it is */
	__u64 is_untold; /* 1: it is not known how it ended, and `ret` is that of a failure */
	__u32 origin; /* enum uring_origin */
	/* Of events of sockets: */
	struct socket_owner owner; /* whose it is */
	struct sock *sk; /* NULL: a packet that belongs to none */
	struct sk_buff *skb; /* NULL: none is known */
	struct tls_piece tls; /* of plaintext */
	__u64 since_ns; /* of runqueue: since when its thread waited, then how long */

	/* Where it is written to. */
	struct scratch_slot *slot;
	__u32 slot_key;
	__u8 *frame; /* of this event, within the slot */
	__u64 pos; /* where the next value goes; beyond FRAME_BYTES_MAX the frame is full */
	__u32 param; /* index of the parameter being put */
	bool absent; /* the value just computed does not exist */
	__u64 path_bytes; /* of the path in the work area, NUL included; see path_is_rejected() */

	/* For a call with several messages, which has an event for each. */
	long messages; /* its result */
	__u32 message_index; /* the one that this event is about */
	__u64 turn; /* of the messages that this program writes */
};

/* Of a process of the agent itself. */
static __always_inline bool is_own_pid(__u32 pid)
{
	for (int i = 0; i < SELF_PIDS; i++) {
		__u32 own = self_pids[i];

		if (own && pid == own)
			return true;
	}
	return false;
}

static __always_inline __u64 min_u64(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __always_inline void count_times(__u64 *counter, __u64 times)
{
	__sync_fetch_and_add(counter, times);
}

static __always_inline void count(__u64 *counter)
{
	count_times(counter, 1);
}

/* Counts a call of a 32-bit or x32 program that is not decoded. */
static __always_inline void count_compat(void)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->compat);
}

/* Returns whether there is such an event. */
static __always_inline bool count_lost_times(__u32 event, enum loss_cause cause, __u64 times)
{
	struct event_counters *of_event = bpf_map_lookup_elem(&counters, &event);

	if (!of_event)
		return false;
	count_times(&of_event->lost[cause], times);
	return true;
}

static __always_inline bool count_lost(__u32 event, enum loss_cause cause)
{
	return count_lost_times(event, cause, 1);
}

static __always_inline void count_filtered(__u32 event)
{
	struct event_counters *of_event = bpf_map_lookup_elem(&counters, &event);

	if (of_event)
		count(&of_event->filtered);
}

/* Counts a parameter that is empty because the caller's memory could not be read. */
static __always_inline void count_unreadable(struct filler *f)
{
	__u32 event = f->event;
	struct event_counters *of_event = bpf_map_lookup_elem(&counters, &event);

	if (of_event)
		count(&of_event->unreadable);
}

/* Whether an address is that of what was copied of a request. What programs name is not. */
static __always_inline bool is_copy(struct filler *f, __u64 address)
{
	return f->of_request && address - f->copy < URING_TEXT_BYTES;
}

/*
 * Reads memory of the caller, as bpf_probe_read_user() does: of a request its copy, or memory of
 * its process, if the current task has that.
 */
static __always_inline long read_caller(struct filler *f, void *to, __u32 size, __u64 address)
{
	if (is_copy(f, address))
		return bpf_probe_read_kernel(to, size, (void *)address);
	if (f->of_request && !f->has_memory)
		return -EFAULT;
	return bpf_probe_read_user(to, size, (void *)address);
}

static __always_inline __u32 event_tid(struct filler *f)
{
	struct task_struct *task = f->task;

	if (f->of_request)
		return f->owner_tid;
	return f->of_child ? READ(task, pid) : tid_of(f->self);
}

static __always_inline __u32 event_pid(struct filler *f)
{
	struct task_struct *task = f->task;

	if (f->of_request)
		return f->owner_pid;
	return f->of_child ? READ(task, tgid) : pid_of(f->self);
}

#endif
