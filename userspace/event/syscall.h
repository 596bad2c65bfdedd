/* SPDX-License-Identifier: MIT */
/*
 * System calls: their numbers in the .scap world, on this machine and of 32-bit programs, and their
 * names. For start-up, but for the codes of numbers.
 */
#ifndef EVENT_SYSCALL_H
#define EVENT_SYSCALL_H

#include "abi.h"

/* System calls by their number in the .scap world, whatever the architecture. */
enum syscall_code {
#define SYSCALL(code, name, ...) SC_##name = code,
#include "events/syscalls/all.def"
	SYSCALL_CODES_COUNT,
};

/* Arrays by number that are filled from that list: see there. */
#define SYSCALL_AT(number, code) ((number) < 0 ? SYSCALL_NR_MAX + (code) : (number))
enum { SYSCALL_INDEX_END = SYSCALL_NR_MAX + SYSCALL_CODES_COUNT };

/* "read" for SC_read; NULL if the code is out of range. */
const char *syscall_name(unsigned int code);

/* The code of a system call by name, or -1. For start-up. */
int syscall_code_find(const char *name);

/* This machine's number of a system call, or -1 when it has none. For start-up. */
int syscall_native_number(unsigned int code);

/* The code of a system call number of this machine; SC_unknown if there is none. */
unsigned int syscall_code_of_native(unsigned int number);

/* The code of a number of 32-bit programs on this machine; SC_unknown if there is none. */
unsigned int syscall_code_of_compat(unsigned int number);

/* How the driver handles a system call of 32-bit programs: see events/syscalls/i386_layouts.def. */
enum syscall_layout { LAYOUT_ALIKE, LAYOUT_MULTIPLEXED, LAYOUT_OTHER };

enum syscall_layout syscall_layout_of_compat(unsigned int number);

/* The code of an operation of a multiplexed call; SC_unknown if there is none. */
unsigned int syscall_code_of_operation(enum multiplexed_call call, unsigned int operation);

#endif
