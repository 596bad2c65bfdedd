/* SPDX-License-Identifier: MIT */
/* System calls by the gate of 32-bit programs, which those of 64 bits may use too: on x86_64. */
#ifndef TESTS_INT80_H
#define TESTS_INT80_H

#include <errno.h>

/* What is in the upper halves of registers, which the gate ignores. */
#define GARBAGE_ABOVE_32_BITS (0x5eedcafeL << 32)

/*
 * The result, or -errno. All registers have garbage above. A kernel without 32-bit programs kills
 * the caller.
 */
static inline long int80_call(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef __x86_64__
	const long above = GARBAGE_ABOVE_32_BITS;
	register long sixth asm("r12") = above | (unsigned int)f;
	long ret;

	/* The sixth argument is in the frame pointer; below the stack pointer may be variables. */
	asm volatile("lea -128(%%rsp), %%rsp\n\t"
		     "push %%rbp\n\t"
		     "mov %%r12, %%rbp\n\t"
		     "int $0x80\n\t"
		     "pop %%rbp\n\t"
		     "lea 128(%%rsp), %%rsp"
		     : "=a"(ret)
		     : "a"(above | (unsigned int)number), "b"(above | (unsigned int)a),
		       "c"(above | (unsigned int)b), "d"(above | (unsigned int)c),
		       "S"(above | (unsigned int)d), "D"(above | (unsigned int)e), "r"(sixth)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
#else
	return -ENOSYS;
#endif
}

#endif
