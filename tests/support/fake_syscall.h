/* SPDX-License-Identifier: MIT */
/*
 * System calls answered by the test: link it whole, and those that libraries make by the C
 * library's syscall() come to fake_syscall() instead.
 */
#ifndef TESTS_FAKE_SYSCALL_H
#define TESTS_FAKE_SYSCALL_H

enum { SYSCALL_ARGUMENTS = 6 };

/* Defined by the test: does what syscall() does. */
long fake_syscall(long number, const long arg[SYSCALL_ARGUMENTS]);

/* The C library's. */
long real_syscall(long number, const long arg[SYSCALL_ARGUMENTS]);

#endif
