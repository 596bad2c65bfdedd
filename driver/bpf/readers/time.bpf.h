/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Times of the caller's memory (timespec, timeval, itimerspec, itimerval) as nanoseconds. What is
 * no time (negative, or with too large a fraction) is absent, and so is one that cannot be read.
 */
#ifndef LANNER_TIME_BPF_H
#define LANNER_TIME_BPF_H

#include "bpf/readers/user_memory.bpf.h"

#define NS_PER_SECOND 1000000000LL
#define NS_PER_US 1000
#define STA_NANO 0x2000 /* of a timex: fractions count nanoseconds */
#define TIMER_ABSTIME 1
#define ERESTART_RESTARTBLOCK 516 /* EINTR, unless the call goes on behind a signal */
#define TIME_MAX_NS 0x7fffffffffffffffLL /* the kernel takes longer times for this one too */

DEFINE_USER_STRUCT_OF_TWO_FORMS(time, narrow_times)
DEFINE_USER_STRUCT_OF_TWO_FORMS(itimer, narrow_times)
DEFINE_USER_STRUCT_OF_TWO_FORMS(timex, narrow_times)
DEFINE_USER_STRUCT_OF_TWO_FORMS(tms, narrow_words)
DEFINE_USER_STRUCT(timezone)

/* The upper half of a fraction of 64 bits is padding to 32-bit programs. */
static __always_inline __s64 fraction_of(struct filler *f, struct user_time time)
{
	__u64 padding = narrow_words(f) & ~narrow_times(f) & ~0xffffffffULL;

	return time.fraction & ~padding;
}

/* `unit`: nanoseconds in one of the fraction. */
static __always_inline __u64 time_to_ns(struct filler *f, struct user_time time, __u32 unit)
{
	time.fraction = fraction_of(f, time);
	if (time.seconds < 0 || (__u64)time.fraction >= NS_PER_SECOND / unit) {
		f->absent = true;
		return 0;
	}
	if (time.seconds >= TIME_MAX_NS / NS_PER_SECOND)
		return TIME_MAX_NS;
	return time.seconds * NS_PER_SECOND + time.fraction * unit;
}

static __always_inline __u64 user_timespec_ns(struct filler *f, __u64 address)
{
	read_time(f, address);
	f->absent = !f->struct_read;
	return time_to_ns(f, f->time, 1);
}

static __always_inline __u64 user_timeval_ns(struct filler *f, __u64 address)
{
	read_time(f, address);
	f->absent = !f->struct_read;
	return time_to_ns(f, f->time, NS_PER_US);
}

/* The two times of an itimerspec (unit 1) or itimerval (NS_PER_US) that read_itimer() has read. */
static __always_inline __u64 itimer_interval_ns(struct filler *f, __u32 unit)
{
	f->absent = !f->struct_read;
	return time_to_ns(f, f->itimer.interval, unit);
}

static __always_inline __u64 itimer_value_ns(struct filler *f, __u32 unit)
{
	f->absent = !f->struct_read;
	return time_to_ns(f, f->itimer.value, unit);
}

/*
 * Times as the .scap world has them: seconds and fraction added up, whatever they are; 0 for those
 * that cannot be read.
 */
static __always_inline __u64 user_timespec_raw_ns(struct filler *f, __u64 address)
{
	read_time(f, address);
	return f->time.seconds * NS_PER_SECOND + fraction_of(f, f->time);
}

static __always_inline __u64 user_timeval_raw_ns(struct filler *f, __u64 address)
{
	read_time(f, address);
	return f->time.seconds * NS_PER_SECOND + fraction_of(f, f->time) * NS_PER_US;
}

static __always_inline __u64 timex_ns(struct filler *f)
{
	f->absent = !f->struct_read;
	return time_to_ns(f, f->timex.time, f->timex.status & STA_NANO ? 1 : NS_PER_US);
}

/* What is left of a sleep is told when it was interrupted and had no absolute end. */
static __always_inline __u64 remain_address(struct filler *f, __u32 flags, __u64 address)
{
	bool interrupted = f->ret == -EINTR || f->ret == -ERESTART_RESTARTBLOCK;

	return interrupted && !(flags & TIMER_ABSTIME) ? address : 0;
}

#endif
