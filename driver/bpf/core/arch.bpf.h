/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What differs between architectures: where the registers of a system call are, which callers use
 * other numbers and layouts than 64-bit programs, and how memory that other CPUs read is written in
 * order.
 */
#ifndef LANNER_ARCH_BPF_H
#define LANNER_ARCH_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/kernel_versions.bpf.h"

/*
 * The kind of the caller, as masks over the registers of each kind: arithmetic, as with a condition
 * the verifier would walk every filler twice.
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
