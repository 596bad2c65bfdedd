/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Times of the caller's memory (timespec, timeval, itimerspec, itimerval) as nanoseconds. An
 * invalid time (negative, or with too large a fraction) is absent, and so is one that cannot be
 * read.
 */
#ifndef LANNER_TIME_BPF_H
#define LANNER_TIME_BPF_H

#include "bpf/readers/user_memory.bpf.h"

#define NS_PER_SECOND 1000000000LL
#define NS_PER_US 1000
#define STA_NANO 0x2000 /* of a timex: fractions count nanoseconds */
#define TIMER_ABSTIME 1
#define ERESTART_RESTARTBLOCK 516 /* EINTR, unless the call goes on after a signal */
#define TIME_MAX_NS 0x7fffffffffffffffLL /* the kernel also uses this for longer times */

/*
 * The bits of a fraction that count: for 32-bit programs its upper half is padding. `narrow`: all
 * bits if the time has their narrow form, which has no padding, else none.
 */
static __always_inline __u64 fraction_mask(struct filler *f, __u64 narrow)
{
	return f->caller.native | f->caller.compat | narrow;
}

/* As DEFINE_USER_STRUCT_OF_TWO_FORMS; `fractions`: a statement for each, with TRIM(). */
#define DEFINE_USER_TIMES(name, fractions)                                                         \
	DEFINE_COPY(name)                                                                          \
                                                                                                   \
	static __always_inline struct name##_copy read_##name(struct filler *f, __u64 address)     \
	{                                                                                          \
		const __u64 narrow = narrow_times(f), mask = fraction_mask(f, narrow);             \
		union user_any_##name any = {};                                                    \
		bool is_read = read_user(f, &any, FORM_BYTES(f->slot, any, narrow), address);      \
		struct user_##name value = widen_##name(&any, narrow);                             \
                                                                                                   \
		fractions return (struct name##_copy){value, is_read};                             \
	}

#define TRIM(time) value.time.fraction &= mask;

DEFINE_USER_TIMES(itimer, TRIM(interval) TRIM(value))
DEFINE_USER_TIMES(timex, TRIM(time))
DEFINE_USER_TIMES(times, TRIM(access) TRIM(change))
DEFINE_USER_STRUCT_OF_TWO_FORMS(tms, narrow_words)
DEFINE_USER_STRUCT(timezone)

#undef TRIM

/*
 * `unit`: nanoseconds in one of the fraction. A time that is absent already is not compared: it is
 * zeros behind the mask of the caller, which the verifier would trace, and walk each caller apart.
 */
static __always_inline __u64 time_to_ns(struct filler *f, struct user_time time, __u32 unit)
{
	if (f->absent || time.seconds < 0 || (__u64)time.fraction >= NS_PER_SECOND / unit) {
		f->absent = true;
		return 0;
	}
	if (time.seconds >= TIME_MAX_NS / NS_PER_SECOND)
		return TIME_MAX_NS;
	return time.seconds * NS_PER_SECOND + time.fraction * unit;
}

/* A time that is part of a struct, absent with it. */
static __always_inline __u64 member_ns(struct filler *f, bool is_read, struct user_time time,
				       __u32 unit)
{
	f->absent = !is_read;
	return time_to_ns(f, time, unit);
}

#define MEMBER_NS(copy, unit, member) member_ns(f, (copy).is_read, (copy).value.member, unit)

static __always_inline __u64 timex_ns(struct filler *f, const struct timex_copy *timex)
{
	return MEMBER_NS(*timex, timex->value.status & STA_NANO ? 1 : NS_PER_US, time);
}

/* A timespec or timeval of one of its two forms; absent if it cannot be read. */
static __always_inline struct user_time user_time(struct filler *f, __u64 address, __u64 narrow)
{
	const __u64 mask = fraction_mask(f, narrow);
	union user_any_time any = {};
	struct user_time time;

	f->absent = !read_user(f, &any, FORM_BYTES(f->slot, any, narrow), address);
	time = widen_time(&any, narrow);
	time.fraction &= mask;
	return time;
}

static __always_inline __u64 user_timespec_ns(struct filler *f, __u64 address)
{
	return time_to_ns(f, user_time(f, address, narrow_times(f)), 1);
}

static __always_inline __u64 user_timeval_ns(struct filler *f, __u64 address)
{
	return time_to_ns(f, user_time(f, address, narrow_times(f)), NS_PER_US);
}

/*
 * Times as in the .scap format: seconds and fraction added, even if invalid; 0 for those that
 * cannot be read.
 */
static __always_inline __u64 user_time_raw_ns(struct filler *f, __u64 address, __u32 unit,
					      __u64 narrow)
{
	struct user_time time = user_time(f, address, narrow);

	f->absent = false;
	return time.seconds * NS_PER_SECOND + time.fraction * unit;
}

static __always_inline __u64 user_timespec_raw_ns(struct filler *f, __u64 address)
{
	return user_time_raw_ns(f, address, 1, narrow_times(f));
}

/* The time left of a sleep is reported if it was interrupted and had no absolute end. */
static __always_inline __u64 remain_address(struct filler *f, __u32 flags, __u64 address)
{
	bool interrupted = f->ret == -EINTR || f->ret == -ERESTART_RESTARTBLOCK;

	return interrupted && !(flags & TIMER_ABSTIME) ? address : 0;
}

#endif
