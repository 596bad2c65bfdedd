/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What each architecture has of its own: where the registers of a system call lie, and which
 * callers use other numbers and layouts than its 64-bit programs.
 */
#ifndef LANNER_ARCH_BPF_H
#define LANNER_ARCH_BPF_H

#include "compat.bpf.h"
#include "kernel.bpf.h"

enum { TS_COMPAT_BIT = 2, X32_BIT = 1 << 30, NR_CLONE3 = 435 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
	unsigned long bp, bx, r10, r9, r8, cx, dx, si, di, orig_ax, ip;
};

#pragma clang attribute pop

static __always_inline __u64 call_number(struct pt_regs *regs)
{
	return regs->orig_ax;
}

static __always_inline __u64 registers_ip(struct pt_regs *regs)
{
	return READ(regs, ip);
}

/* Whether a 32-bit program made the system call at hand. */
static __always_inline bool call_is_compat(void)
{
	return current_status() & TS_COMPAT_BIT;
}

/* A number of the x32 kind without its mark; the others become too large to be one. */
static __always_inline __u64 call_number_x32(__u64 number)
{
	return number ^ X32_BIT;
}

/*
 * Who made the call, as masks over the registers of either kind of caller: arithmetic, where a
 * condition would have the verifier walk every filler twice.
 */
struct caller {
	__u64 native; /* all bits for a 64-bit program, else 0 */
	__u64 compat; /* the low 32 for a 32-bit one, else 0 */
};

static __always_inline struct caller call_caller(void)
{
	__u64 compat = (current_status() / TS_COMPAT_BIT) & 1;
	struct caller caller = {.native = compat - 1, .compat = -compat & 0xffffffff};

	CHECKED(caller.native);
	CHECKED(caller.compat);
	return caller;
}

#define ARGUMENT(native_register, compat_register)                                                 \
	((regs->native_register & caller.native) | (regs->compat_register & caller.compat))

static __always_inline __u64 call_argument(struct pt_regs *regs, struct caller caller, int n)
{
	switch (n) {
	case 0:
		return ARGUMENT(di, bx);
	case 1:
		return ARGUMENT(si, cx);
	case 2:
		return ARGUMENT(dx, dx);
	case 3:
		return ARGUMENT(r10, si);
	case 4:
		return ARGUMENT(r8, di);
	default:
		return ARGUMENT(r9, bp);
	}
}

#undef ARGUMENT

#endif
