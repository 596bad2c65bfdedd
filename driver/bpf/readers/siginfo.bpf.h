/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Signals in the caller's memory: what they carry, how they are handled, who hears of a child. */
#ifndef LANNER_SIGINFO_BPF_H
#define LANNER_SIGINFO_BPF_H

#include "bpf/readers/signal.bpf.h"
#include "bpf/readers/time.bpf.h"

DEFINE_USER_STRUCT_OF_TWO_FORMS(sigaction, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(sigstack, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(siginfo, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(sigevent, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(rusage, narrow_words)

enum {
	SENT_BY_QUEUE = -1,
	SENT_BY_MESSAGE = -3,
	NOTIFY_BY_SIGNAL = 0,
	NOTIFY_THREAD = 4,
};

/* A number that does not fit the type of signals is that of none. */
static __always_inline __u8 signal_number(struct filler *f, __u32 number)
{
	f->absent = number > 255;
	return number;
}

/* Other codes have other things in the place of the sender. */
static __always_inline bool siginfo_has_sender(struct filler *f)
{
	return f->siginfo.signo == SIGNAL_CHILD || code_is_of_process(f->siginfo.code);
}

static __always_inline __s64 siginfo_pid(struct filler *f)
{
	f->absent = !f->struct_read || !siginfo_has_sender(f);
	return f->siginfo.pid;
}

static __always_inline __u32 siginfo_uid(struct filler *f)
{
	f->absent = !f->struct_read || !siginfo_has_sender(f);
	return f->siginfo.uid;
}

/* What sigqueue gave along. */
static __always_inline __u64 siginfo_value(struct filler *f)
{
	f->absent = !f->struct_read ||
		    (f->siginfo.code != SENT_BY_QUEUE && f->siginfo.code != SENT_BY_MESSAGE);
	return f->siginfo.value;
}

static __always_inline __u8 sigevent_signal(struct filler *f)
{
	__u8 signal = signal_number(f, f->sigevent.signo);

	f->absent |= !f->struct_read || (f->sigevent.notify != NOTIFY_BY_SIGNAL &&
					 f->sigevent.notify != NOTIFY_THREAD);
	return signal;
}

static __always_inline __u64 rusage_ns(struct filler *f, struct user_time time)
{
	f->absent = !f->struct_read;
	return f->absent ? 0 : time_to_ns(f, time, NS_PER_US);
}

#endif
