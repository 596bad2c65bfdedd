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
	__u32 nparams; /* number of lengths that follow */
} __attribute__((packed));

_Static_assert(sizeof(struct ppm_evt_hdr) == 26, "the frame header is part of the .scap format");

enum {
	/* A perf record counts its bytes in 16 bits: 8 of header and 4 of raw size come on top. */
	FRAME_BYTES_MAX = 65504,
	EVENT_PARAMS_MAX = 32,
	EVENT_ID_MAX = 512,
	SYSCALL_NR_MAX = 512,
	STRING_BYTES_MAX = 4096, /* a string from user memory, its NUL included */
	SNAPLEN_DEFAULT = 80,
	SNAPLEN_MAX = 65000,
	SCRATCH_SLOTS_PER_CPU = 4,
};

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

/* Per CPU and event id. For every id: seen = delivered + the sum of lost. */
struct event_counters {
	__u64 seen;                    /* wanted events for which a filler was to run */
	__u64 lost[LOSS_CAUSES_COUNT]; /* by cause */
	__u64 unreadable;              /* parameters left empty: their memory was not resident */
};

/* Per CPU, beside the counters by event. */
struct driver_counters {
	__u64 compat; /* system calls of 32-bit programs, which are not decoded */
};

/*
 * The visible part of a scratch slot. While `users` is not 0 a filler is writing an event whose
 * time is `since_ns` (boot clock), or not read yet when that is 0. User space reads it to know
 * from when on all rings are complete.
 */
struct scratch_state {
	__u32 users;
	__u32 pad;
	__u64 since_ns;
};

_Static_assert(sizeof(struct scratch_state) == 16, "read by user space from mapped memory");

#endif
