/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The number of the current call, for the generic event. */
#ifndef LANNER_SYSCALL_NUMBER_BPF_H
#define LANNER_SYSCALL_NUMBER_BPF_H

#include "bpf/core/call.bpf.h"

/* The number that 64-bit programs have for the current call. */
static __always_inline __u16 syscall_number(struct filler *f)
{
	__u64 number = call_number(f->regs);

	if (!f->caller.compat)
		return number;
	CHECKED(number);
	number = number < SYSCALL_NR_MAX ? compat_calls[number].native : NO_NATIVE;
	f->absent = number == NO_NATIVE;
	return number;
}

static __always_inline __u16 syscall_code(struct filler *f)
{
	__u64 number = call_number(f->regs);

	CHECKED(number);
	if (number >= SYSCALL_NR_MAX)
		return 0;
	return f->caller.compat ? compat_calls[number].code : syscall_codes[number];
}

#endif
