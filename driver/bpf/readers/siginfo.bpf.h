/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Signals in the caller's memory: their data, how they are handled, how they notify. */
#ifndef LANNER_SIGINFO_BPF_H
#define LANNER_SIGINFO_BPF_H

#include "bpf/readers/signal.bpf.h"
#include "bpf/readers/time.bpf.h"

DEFINE_USER_STRUCT_OF_TWO_FORMS(sigaction, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(sigstack, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(siginfo, narrow_words)
DEFINE_USER_STRUCT_OF_TWO_FORMS(sigevent, narrow_words)

enum {
	SENT_BY_QUEUE = -1,
	SENT_BY_MESSAGE = -3,
	NOTIFY_BY_SIGNAL = 0,
	NOTIFY_THREAD = 4,
};

/* Absent if the number does not fit the type of signals. */
static __always_inline __u8 signal_number(struct filler *f, __u32 number)
{
	f->absent = number > 255;
	return number;
}

/* Other codes have other data in place of the sender. */
static __always_inline bool siginfo_has_sender(const struct siginfo_copy *info)
{
	return info->value.signo == SIGNAL_CHILD || code_is_of_process(info->value.code);
}

static __always_inline __s64 siginfo_pid(struct filler *f, const struct siginfo_copy *info)
{
	f->absent = !info->is_read || !siginfo_has_sender(info);
	return info->value.pid;
}

static __always_inline __u32 siginfo_uid(struct filler *f, const struct siginfo_copy *info)
{
	f->absent = !info->is_read || !siginfo_has_sender(info);
	return info->value.uid;
}

/* The value that sigqueue passed. */
static __always_inline __u64 siginfo_value(struct filler *f, const struct siginfo_copy *info)
{
	f->absent = !info->is_read ||
		    (info->value.code != SENT_BY_QUEUE && info->value.code != SENT_BY_MESSAGE);
	return info->value.value;
}

static __always_inline __u8 sigevent_signal(struct filler *f, const struct sigevent_copy *event)
{
	__u8 signal = signal_number(f, event->value.signo);

	f->absent |= !event->is_read || (event->value.notify != NOTIFY_BY_SIGNAL &&
					 event->value.notify != NOTIFY_THREAD);
	return signal;
}

#endif
