/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the BPF programs and user space agree on: the frame of an event, its limits, and the
 * counters. Included by both sides; only fixed-width types, every layout asserted.
 */
#ifndef LANNER_ABI_H
#define LANNER_ABI_H

#include <linux/types.h>

/*
 * A frame is this header, then `nparams` lengths of 16 bits, then the values, all unaligned and in
 * the byte order of the machine. A length of 0 means that the parameter is absent.
 */
struct ppm_evt_hdr {
	__u64 ts;      /* ns since the epoch */
	__u64 tid;     /* thread id in the initial pid namespace */
	__u32 len;     /* bytes of the whole frame, this header included */
	__u16 type;    /* event id of the event table */
	__u32 nparams; /* number of lengths that follow; FRAME_TIMED */
} __attribute__((packed));

_Static_assert(sizeof(struct ppm_evt_hdr) == 26, "the frame header is part of the .scap format");

/*
 * A bit of `nparams`: the last 8 of the frame's `len` bytes are no value, but how long the system
 * call took, in ns from its enter to `ts`. Without these bytes and this bit it is a frame of the
 * .scap format. A frame that has no room left for them goes without.
 */
#define FRAME_TIMED 0x80000000U

/* A descriptor that a call waits for. A value of type FDLIST is a count of 16 bits and so many. */
struct fdlist_entry {
	__s64 fd;
	__s16 events; /* poll_flags */
} __attribute__((packed));

_Static_assert(sizeof(struct fdlist_entry) == 10, "lists are part of the .scap format");

/*
 * A number for the program that a process runs, which events and /proc tell alike: when the process
 * began, in clock ticks since the boot, and where exec laid its stack. Never 0.
 */
static inline __u64 exec_id_of(__u64 start_ticks, __u64 start_stack)
{
	return (start_ticks * 0x9e3779b97f4a7c15ULL ^ start_stack) | 1;
}

enum {
	/* What /proc counts the starts of processes in, on all architectures. */
	TICK_NS = 10000000,
	/* A perf record counts its bytes in 16 bits: 20 of headers come on top. */
	RECORD_BYTES_MAX = 65504,
	FRAME_BYTES_MAX = RECORD_BYTES_MAX,
	FRAME_ALIGN = 8,
	/* Frames are collected in a slot until there are so many, or so many bytes. */
	GATHER_EVENTS_MAX = 16,
	GATHER_BYTES = 4096,
	WORK_BYTES = 8192 + 256,
	EVENT_PARAMS_MAX = 40,
	EVENT_EXTENSION_FIRST =
		2048, /* ids of the .scap world are below, those of events of our own not */
	EVENT_ID_MAX = 2304,
	SYSCALL_NR_MAX = 512,
	ARGUMENTS_MAX = 6, /* of a system call */
	ENTER_TIMES = 1 << 18, /* places for the times when calls began, by thread id */
	COMPAT_COUNTED =
		0xffff, /* in place of an event id: a call of 32-bit programs, not decoded */
	COMPAT_MULTIPLEXED = 0xfffe, /* likewise: what the call is depends on its first argument */
	MULTIPLEXED_OPERATIONS = 32,
	NO_NATIVE = 0xffff, /* in place of a number: there is none */
	STRING_BYTES_MAX = 4096, /* a string from user memory, its NUL included */
	SNAPLEN_DEFAULT = 80,
	SNAPLEN_MAX = 65000,
	STATSD_PORT_DEFAULT = 8125,
	SCRATCH_SLOTS_PER_CPU = 4,
	MESSAGES_MAX = 16, /* of one call that have an event; fewer than tail calls may be made */
};

/* Where more than snaplen bytes are kept of what goes over sockets. */
struct snaplen_rules {
	__u16 full_low, full_high; /* ports of which (nearly) all is; full_high 0: none */
	__u16 statsd_port;
	__u16 dynamic; /* whether the other ports and protocols count */
};

/*
 * Where a new task does not begin with the end of a system call, the child's side of every clone is
 * a clone event that is written at the tracepoint of the fork.
 */
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#define CHILD_EVENT_AT_FORK 1
#else
#define CHILD_EVENT_AT_FORK 0
#endif

/* The events that are wanted of the system calls of a number; 0: none. */
struct call_events {
	__u16 native;
	__u16 compat; /* where it is the number of 32-bit programs */
};

/* The calls of 32-bit programs that stand for several, by their first argument. */
enum multiplexed_call { MULTIPLEXED_SOCKETCALL, MULTIPLEXED_IPC, MULTIPLEXED_CALLS };

/* The events that are wanted of one of them. */
struct multiplexed_events {
	__u16 of_operation[MULTIPLEXED_OPERATIONS];
};

/* What the generic event says of a call of 32-bit programs. */
struct compat_call {
	__u16 code;   /* of the .scap world */
	__u16 native; /* the number that 64-bit programs have for it, or NO_NATIVE */
};

/* Of the programs; the kernel wants to know it. */
#define DRIVER_LICENSE "Dual MIT/GPL"

/* The names of the programs that a row of the event table, or of events/programs.def, gives. */
#define FILLER_NAME(event) fill_##event
#define EXIT_NAME(event) event##_called
#define ENTRY_NAME(event) enter_##event

/* Why an event that was wanted did not reach user space: LOSS(name, text). */
#define LOSS_CAUSES(LOSS)                                                                          \
	LOSS(RING_FULL, "ring full")                                                               \
	LOSS(SCRATCH_BUSY, "scratch busy")                                                         \
	LOSS(TOO_LARGE, "too large")                                                               \
	LOSS(TAIL_CALL, "tail call missing")                                                       \
	LOSS(OUTPUT, "output failed")

enum loss_cause {
#define LOSS(name, text) LOSS_##name,
	LOSS_CAUSES(LOSS)
#undef LOSS
	LOSS_CAUSES_COUNT,
};

/*
 * Per CPU and event id. For every id: the slots' seen + those that got no slot (SCRATCH_BUSY,
 * TAIL_CALL) = delivered + the sum of lost.
 */
struct event_counters {
	__u64 lost[LOSS_CAUSES_COUNT]; /* by cause */
	__u64 unreadable;              /* parameters left empty: their memory could not be read */
};

/* Per CPU, beside the counters by event. */
struct driver_counters {
	__u64 compat; /* system calls of 32-bit and x32 programs, which are not decoded */
	__u64 unnoted; /* failed calls whose argument could not be compared with that on entry */
	__u64 untimed; /* calls without latency, as the place of their enter time was another's */
};

/*
 * What a perf record carries: this, then whole frames one after the other, each at a multiple of
 * FRAME_ALIGN, in the order of their times. Records of one slot follow each other in time; those of
 * different slots of a CPU need not.
 */
struct batch_header {
	__u32 bytes; /* of the frames, padding included */
	__u16 slot;  /* of its CPU */
	__u16 count; /* frames */
};

_Static_assert(sizeof(struct batch_header) == 8, "frames behind it stay aligned");

/*
 * Who may write to a scratch slot, and what has collected there; user space maps it.
 *
 * A writer owns the slot while it alone has added 1 to `users`: it adds 1, and takes it back again
 * if it then reads more than 1. It owns the slot before it reads the clock. So user space, which
 * reads the clock first and then finds `users` 0, knows that what this slot will get is later.
 * Events stay in the slot until enough are collected for a record; `since_ns` is the time (boot
 * clock) of the first of them, 0 if there is none. User space takes out what stays for long, as
 * an owner like any other.
 */
struct scratch_state {
	__u32 users;
	__u32 pad;
	__u64 since_ns;
	struct batch_header batch; /* of the frames collected so far */
};

_Static_assert(sizeof(struct scratch_state) == 24, "read by user space from mapped memory");

/* How far the driver has come with a vector of buffers. */
struct vector_progress {
	__u64 at;	  /* bytes copied */
	__u64 left;	  /* bytes still to be copied, if there are so many */
	__u64 bytes;	  /* sum of the entries' lengths */
	__u64 unreadable; /* whether a part of it could not be read */
};

/* Which message of a call is next to be written, and whose call it is; `tid` 0: none is. */
struct messages_turn {
	__u32 tid, next;
};

/* A slot: user space reads `state` and `seen`, and the collected frames when it takes them out. */
struct scratch_slot {
	struct scratch_state state;
	__u64 seen[EVENT_ID_MAX]; /* events begun in this slot, by id; not lowered by losses */
	__u16 gathered[GATHER_EVENTS_MAX]; /* their ids, for the account of a record that is lost */
	__u64 forgotten;	  /* see forget() in the driver */
	__u64 entered_ns; /* boot clock: when the call of the event began; 0: not known */
	struct vector_progress vector; /* the one read last */
	struct messages_turn messages; /* kept by sendmmsg and recvmmsg */
	__u8 work[WORK_BYTES];	  /* where longer values are put together */
	struct batch_header record; /* written before the frames when they are sent */
	__u8 frames[GATHER_BYTES + 2 * (FRAME_BYTES_MAX + 32)];
};

_Static_assert(__builtin_offsetof(struct scratch_slot, frames) ==
	       __builtin_offsetof(struct scratch_slot, record) + sizeof(struct batch_header),
	       "a record is its header and its frames");

#endif
