/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The arguments of the current system call, for both kinds of callers: 32-bit programs have some of
 * them in another form or place. multiplexed.bpf.h has the calls whose arguments are all elsewhere.
 */
#ifndef LANNER_CALL_BPF_H
#define LANNER_CALL_BPF_H

#include "bpf/core/frame.bpf.h"

#ifdef __TARGET_ARCH_x86
#define NATIVE_NUMBER(x86_64, arm64) x86_64
#else
#define NATIVE_NUMBER(x86_64, arm64) arm64
#endif

/*
 * NR_<name>: the number of a call; NR32_<name> that of 32-bit programs, NR32_WIDE_<name> that of
 * the later call with wider arguments.
 */
enum {
#define SYSCALL(code, name, x86_64, arm64, i386, i386_wide)                                        \
	NR_##name = NATIVE_NUMBER(x86_64, arm64), NR32_##name = i386, NR32_WIDE_##name = i386_wide,
#include "events/syscalls/all.def"
};

/* Of 32-bit programs: the first numbers of calls that have wider arguments than those before. */
enum {
	NR32_TRUNCATE64 = NR32_WIDE_truncate, /* lengths of 64 bits, also those of ftruncate64 */
	NR32_LCHOWN32 = NR32_WIDE_lchown, /* ids of 32 bits */
	NR32_SENDFILE64 = NR32_WIDE_sendfile, /* offsets in memory */
	NR32_STATFS64 = NR32_WIDE_statfs, /* counts of blocks and files */
	NR32_FADVISE64_64 = NR32_WIDE_fadvise64, /* lengths */
	NR32_PRLIMIT64 = NR32_prlimit64, /* limits */
	NR32_CLOCK_GETTIME64 = NR32_WIDE_clock_gettime, /* times, in this and all later calls */
};

/*
 * The size of pointers, and of numbers of type long. The verifier traces sizes back to their
 * origin: that must not be the caller, or it would walk everything that depends on the caller
 * twice.
 */
static __always_inline __u32 word_bytes(struct scratch_slot *slot, struct caller caller)
{
	return sizeof(__u32) + (forget(slot, caller.native) & sizeof(__u32));
}

static __always_inline __u64 argument(struct filler *f, int n)
{
	return f->args_taken ? f->args[n] : call_argument(f->regs, f->caller, n);
}

/*
 * Whether the caller has a narrower form than 64-bit programs, as a mask: all bits if it does, else
 * none. First of pointers and longs, and so of structs that contain them.
 */
static __always_inline __u64 narrow_words(struct filler *f)
{
	return -(f->caller.compat & 1);
}

static __always_inline __u64 narrow_before(struct filler *f, __u64 number)
{
	__u64 is_before, narrow;

	if (f->of_request)
		return 0;
	is_before = (call_number(f->regs) - number) >> 63;
	narrow = -(is_before & f->caller.compat);
	/* Otherwise the compiler makes branches of a mask that has one of two values. */
	CHECKED(narrow);
	return narrow;
}

static __always_inline __u64 narrow_times(struct filler *f)
{
	return narrow_before(f, NR32_CLOCK_GETTIME64);
}

static __always_inline __u64 narrow_limits(struct filler *f)
{
	return narrow_before(f, NR32_PRLIMIT64);
}

/* The value for one kind of caller, 0 for the other. */
#define IF_NATIVE(value) ((value) & f->caller.native)
#define IF_COMPAT(value) ((value) & narrow_words(f))

/* A number with as many bits as the caller's pointers, and a sign. */
static __always_inline __s64 signed_word(struct filler *f, __u64 value)
{
	__u32 shift = f->caller.compat & 32;

	return (__s64)(value << shift) >> shift;
}

/* An argument that is number `compat` for 32-bit programs. */
static __always_inline __u64 argument_moved(struct filler *f, int native, int compat)
{
	return IF_NATIVE(argument(f, native)) | IF_COMPAT(argument(f, compat));
}

/*
 * An argument of 64 bits: for 32-bit programs `compat` is its lower half, the next one the upper.
 */
static __always_inline __u64 argument_wide(struct filler *f, int native, int compat)
{
	return argument_moved(f, native, compat) | IF_COMPAT(argument(f, compat + 1)) << 32;
}

/* The length of truncate and ftruncate. */
static __always_inline __s64 argument_length(struct filler *f)
{
	if (f->of_request)
		return argument(f, 1);
	return call_number(f->regs) < NR32_TRUNCATE64 ? signed_word(f, argument(f, 1)) :
							argument_wide(f, 1, 1);
}

static __always_inline __s64 argument_fadvise_length(struct filler *f)
{
	if (f->of_request)
		return argument(f, 2);
	return call_number(f->regs) < NR32_FADVISE64_64 ? argument_moved(f, 2, 3) :
							  argument_wide(f, 2, 3);
}

static __always_inline __u32 argument_fadvise_advice(struct filler *f)
{
	if (f->of_request)
		return argument(f, 3);
	return call_number(f->regs) < NR32_FADVISE64_64 ? argument_moved(f, 3, 4) :
							  argument_moved(f, 3, 5);
}

/* The id of a user or group. All bits, which means none, remain all bits. */
static __always_inline __u32 id_value(struct filler *f, __u64 value)
{
	__u64 narrow = narrow_before(f, NR32_LCHOWN32), short_id = value & 0xffff;

	return (value & ~narrow) | ((short_id | -((short_id + 1) >> 16)) & narrow);
}

#endif
