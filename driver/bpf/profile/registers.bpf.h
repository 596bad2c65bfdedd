/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Where a process was: its registers, from the context of a sample that hit it, or from where the
 * kernel saved them when it was entered.
 */
#ifndef PROFILE_REGISTERS_BPF_H
#define PROFILE_REGISTERS_BPF_H

#include "bpf/profile/maps.bpf.h"

enum {
	/* Without CONFIG_KASAN, and with pages of 4 KiB. */
	STACK_BYTES_OF_KERNEL = 16384,
	NO_PROCESS_FLAGS = 0x00200000 | 0x10, /* PF_KTHREAD, PF_IO_WORKER */
};

#if defined(__TARGET_ARCH_x86)

static __always_inline bool registers_are_of_user(const struct registers *registers)
{
	return registers->cs & 3;
}

/* The segment of code of 32 bits. */
static __always_inline bool registers_are_compat(const struct registers *registers)
{
	return registers->cs == 0x23;
}

static __always_inline void take_registers(struct work *work)
{
	const struct registers *registers = &work->registers;

	work->ip = registers->ip;
	work->sp = registers->sp;
	work->bp = registers->bp;
	work->r10 = registers->r10;
	work->lr = 0;
}

/* Of a context the verifier takes loads of members alone. */
static __always_inline void copy_registers(const struct registers *context, struct registers *to)
{
	to->ip = context->ip;
	to->sp = context->sp;
	to->bp = context->bp;
	to->r10 = context->r10;
	to->cs = context->cs;
}

static __always_inline __u64 plain_address(__u64 address)
{
	return address;
}

#elif defined(__TARGET_ARCH_arm64)

static __always_inline bool registers_are_of_user(const struct registers *registers)
{
	return (registers->pstate & 0xf) == 0;
}

static __always_inline bool registers_are_compat(const struct registers *registers)
{
	return registers->pstate & 0x10;
}

static __always_inline void take_registers(struct work *work)
{
	const struct registers *registers = &work->registers;

	work->ip = registers->pc;
	work->sp = registers->sp;
	work->bp = registers->regs[29];
	work->r10 = 0;
	work->lr = registers->regs[30];
}

static __always_inline void copy_registers(const struct registers *context, struct registers *to)
{
	to->pc = context->pc;
	to->sp = context->sp;
	to->regs[29] = context->regs[29];
	to->regs[30] = context->regs[30];
	to->pstate = context->pstate;
}

/* Without the signature of a return address: programs have 48 bits of address. */
static __always_inline __u64 plain_address(__u64 address)
{
	return address & ((1ULL << 48) - 1);
}

#endif

/* For its size: all that the kernel saves. */
struct pt_regs___size {
	long none;
} __attribute__((preserve_access_index));

struct task_struct___stack {
	void *stack;
} __attribute__((preserve_access_index));

/* dd6e10fbd9fb ("bpf: Add bpf_task_pt_regs() helper"), 5.15; before, they are where they always were. */
static __always_inline bool read_saved_registers(struct work *work, struct task_struct *task)
{
	struct task_struct___stack *has_stack = (void *)task;
	void *saved;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		saved = (void *)bpf_task_pt_regs((void *)bpf_get_current_task_btf());
	else
		saved = BPF_CORE_READ(has_stack, stack) + STACK_BYTES_OF_KERNEL -
			bpf_core_type_size(struct pt_regs___size);
	return bpf_probe_read_kernel(&work->registers, sizeof(work->registers), saved) == 0;
}

#endif
