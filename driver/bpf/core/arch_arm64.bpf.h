/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * arm64, where calls of 32-bit programs are distinguished but not decoded. Included only by
 * arch.bpf.h.
 */
#ifndef LANNER_ARCH_ARM64_BPF_H
#define LANNER_ARCH_ARM64_BPF_H

enum {
	PSTATE_32_BIT = 0x10,
	X32_BIT = 0,
	NATIVE_PROT_SAO = 0,	  /* the bit is another flag here, */
	PTRACE_REQUESTS_LOW = 33, /* and the last request of x86 is another one */
	COMPAT_HAS_NUMBERS = false, /* all calls of 32-bit programs are counted */
	JUMPS_DIRECTLY = false,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
	__u64 orig_x0;
	__s32 syscallno;
};

#pragma clang attribute pop

static __always_inline __u64 call_number(struct pt_regs *regs)
{
	return (__u32)regs->syscallno;
}

/* The result of a call in place of which a seccomp filter sends a signal. */
static __always_inline __s64 result_of_signal(struct pt_regs *regs)
{
	return (__s64)regs->orig_x0;
}

static __always_inline __u64 registers_ip(struct pt_regs *regs)
{
	return READ(regs, pc);
}

static __always_inline __u64 registers_sp(struct pt_regs *regs)
{
	return READ(regs, sp);
}

/* What a program at a function of a program gets: laid out as the kernel shows it to all. */
struct probe_registers {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};

enum { PROBE_RETURN_BYTES = 0 /* that a return takes off the stack */ };

static __always_inline __u64 probe_sp(const struct probe_registers *regs)
{
	return regs->sp;
}

static __always_inline __u64 probe_ip(const struct probe_registers *regs)
{
	return regs->pc;
}

static __always_inline __u64 probe_result(const struct probe_registers *regs)
{
	return regs->regs[0];
}

#define PROBE_ARGUMENT_0(registers) ((registers)->regs[0])
#define PROBE_ARGUMENT_1(registers) ((registers)->regs[1])
#define PROBE_ARGUMENT_2(registers) ((registers)->regs[2])
#define PROBE_ARGUMENT_3(registers) ((registers)->regs[3])
#define PROBE_ARGUMENT_4(registers) ((registers)->regs[4])

/* As Go calls functions. User space sets no such programs here: nobody has tried them. */
#define PROBE_GO_ARGUMENT_0(registers) ((registers)->regs[0])
#define PROBE_GO_ARGUMENT_1(registers) ((registers)->regs[1])
#define PROBE_GO_ARGUMENT_2(registers) ((registers)->regs[2])
#define PROBE_GO_ROUTINE(registers) ((registers)->regs[28])

static __always_inline bool probe_go_begins_again(const struct probe_registers *regs)
{
	return false;
}

static __always_inline bool call_is_compat(struct pt_regs *regs, struct task_struct *task)
{
	return regs->pstate & PSTATE_32_BIT;
}

/* No such programs exist here: no number is one of theirs. */
static __always_inline __u64 call_number_x32(__u64 number)
{
	return ~0ULL;
}

/* Dispatch keeps 32-bit callers from the fillers. */
static __always_inline struct caller call_caller(struct task_struct *task)
{
	return (struct caller){.native = ~0ULL};
}

/* On exit of a call, x0 has its result. */
static __always_inline __u64 call_argument(struct pt_regs *regs, struct caller caller, int n)
{
	return n == 0 ? regs->orig_x0 : regs->regs[n];
}

/*
 * Adds one to a count of users. Returns true for the only user. Atomic instructions of BPF that
 * return the old value are full barriers, and only those; the kernel has them here since
 * 1902472b4fa9 ("bpf, arm64: Support more atomic operations"), 5.18.
 */
static __always_inline bool users_enter(__u32 *users)
{
	return __sync_fetch_and_add(users, 1) == 0;
}

/* Makes the compiler use a result that is not needed. */
#define RESULT_USED(value) asm volatile("" : : "r"(value))

static __always_inline void users_leave(__u32 *users)
{
	RESULT_USED(__sync_fetch_and_add(users, -1));
}

/* A store that other CPUs may see only together with all stores before it. */
static __always_inline void store_in_order(__u64 *cell, __u64 value)
{
	RESULT_USED(__sync_lock_test_and_set(cell, value));
}

#undef RESULT_USED

#endif
