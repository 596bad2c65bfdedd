/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* x86_64, and the 32-bit and x32 programs that run there. Included only by arch.bpf.h. */
#ifndef LANNER_ARCH_X86_BPF_H
#define LANNER_ARCH_X86_BPF_H

enum {
	TS_COMPAT_BIT = 2,
	X32_BIT = 1 << 30,
	NATIVE_PROT_SAO = 0x10,
	PTRACE_REQUESTS_LOW = 34,
	COMPAT_HAS_NUMBERS = true, /* user space knows the calls of 32-bit programs */
	/* 428d5df1fa4f ("bpf, x86: Emit patchable direct jump as tail call"), 5.5 */
	JUMPS_DIRECTLY = true,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
	unsigned long bp, bx, r10, r9, r8, cx, dx, si, di, orig_ax, ip, sp;
};

#pragma clang attribute pop

DEFINE_CURRENT(status, __u32, thread_info.status)

/* Of the register the kernel takes the lower half: what a program left above it hides no call. */
static __always_inline __u64 call_number(struct pt_regs *regs)
{
	return (__u32)regs->orig_ax;
}

/* The result of a call in place of which a seccomp filter sends a signal. */
static __always_inline __s64 result_of_signal(struct pt_regs *regs)
{
	return (__s64)regs->orig_ax;
}

static __always_inline __u64 registers_ip(struct pt_regs *regs)
{
	return READ(regs, ip);
}

static __always_inline __u64 registers_sp(struct pt_regs *regs)
{
	return READ(regs, sp);
}

/* What a program at a function of a 64-bit program gets: laid out as the kernel's own, for ever. */
struct probe_registers {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags,
		sp, ss;
};

enum { PROBE_RETURN_BYTES = 8 /* that a return takes off the stack */ };

static __always_inline __u64 probe_sp(const struct probe_registers *regs)
{
	return regs->sp;
}

static __always_inline __u64 probe_ip(const struct probe_registers *regs)
{
	return regs->ip;
}

static __always_inline __u64 probe_result(const struct probe_registers *regs)
{
	return regs->ax;
}

#define PROBE_ARGUMENT_0(regs) ((regs)->di)
#define PROBE_ARGUMENT_1(regs) ((regs)->si)
#define PROBE_ARGUMENT_2(regs) ((regs)->dx)
#define PROBE_ARGUMENT_3(regs) ((regs)->cx)
#define PROBE_ARGUMENT_4(regs) ((regs)->r8)

/* As Go calls functions, from 1.17 on. Results begin in the register of other programs. */
#define PROBE_GO_ARGUMENT_0(regs) ((regs)->ax)
#define PROBE_GO_ARGUMENT_1(regs) ((regs)->bx)
#define PROBE_GO_ARGUMENT_2(regs) ((regs)->cx)
#define PROBE_GO_ROUTINE(regs) ((regs)->r14)

enum { BELOW_OR_EQUAL = 0x41 /* of the flags: the branch of that name is taken */ };

/* Where a function has compared its stack with the limit: whether it begins again, with more. */
static __always_inline bool probe_go_begins_again(const struct probe_registers *regs)
{
	return regs->flags & BELOW_OR_EQUAL;
}

/* Whether a 32-bit program made the current system call; `task`: the current one. */
static __always_inline bool call_is_compat(struct pt_regs *regs, struct task_struct *task)
{
	return status_of(task) & TS_COMPAT_BIT;
}

/* The number of an x32 call without its mark; other numbers become too large to be valid. */
static __always_inline __u64 call_number_x32(__u64 number)
{
	return number ^ X32_BIT;
}

static __always_inline struct caller call_caller(struct task_struct *task)
{
	__u64 compat = (status_of(task) / TS_COMPAT_BIT) & 1;
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

/*
 * Adds one to a count of users. Returns true for the only user; two that meet may both get false.
 * Kernels before 5.12 have no addition that returns the old value. Locked instructions keep all
 * accesses of this processor in order, and it keeps its stores in order by itself.
 */
static __always_inline bool users_enter(__u32 *users)
{
	__sync_fetch_and_add(users, 1);
	return *(volatile __u32 *)users == 1;
}

static __always_inline void users_leave(__u32 *users)
{
	__sync_fetch_and_add(users, -1);
}

/* A store that other CPUs may see only together with all stores before it. */
static __always_inline void store_in_order(__u64 *cell, __u64 value)
{
	*(volatile __u64 *)cell = value;
}

#endif
