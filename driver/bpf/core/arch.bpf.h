/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What each architecture has of its own: where the registers of a system call lie, which callers
 * use other numbers and layouts than its 64-bit programs, and how memory that other CPUs look at is
 * written in order.
 */
#ifndef LANNER_ARCH_BPF_H
#define LANNER_ARCH_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/kernel_versions.bpf.h"

/*
 * Who made the call, as masks over the registers of either kind of caller: arithmetic, where a
 * condition would have the verifier walk every filler twice.
 */
struct caller {
	__u64 native; /* all bits for a 64-bit program, else 0 */
	__u64 compat; /* the low 32 for a 32-bit one, else 0 */
};

#if defined(__TARGET_ARCH_x86)
#include "bpf/core/arch_x86.bpf.h"
#elif defined(__TARGET_ARCH_arm64)
#include "bpf/core/arch_arm64.bpf.h"
#else
#error "the registers of this architecture are not known"
#endif

#endif
