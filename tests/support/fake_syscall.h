/* SPDX-License-Identifier: MIT */
/*
 * System calls answered by a test: linked whole, and those that libraries make by the C library's
 * syscall() come here instead.
 */
#ifndef TESTS_FAKE_SYSCALL_H
#define TESTS_FAKE_SYSCALL_H

enum { SYSCALL_ARGUMENTS = 6 };

/* From now on a function answers them, which does what syscall() does; until then, the kernel does.
 */
void fake_syscall_by(long (*answer)(long number, const long arg[SYSCALL_ARGUMENTS]));

/* The C library's. */
long real_syscall(long number, const long arg[SYSCALL_ARGUMENTS]);

#endif
