/* SPDX-License-Identifier: MIT */
/*
 * What functions on a stack of the kernel say: why a thread waits, where the scheduler begins,
 * where an interrupt does. Known by their names, whose addresses /proc/kallsyms has.
 */
#ifndef PROFILE_CAPTURE_KERNEL_FUNCTIONS_H
#define PROFILE_CAPTURE_KERNEL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "profile/stacks.h"

enum kernel_role {
	KERNEL_NO_ROLE,
	KERNEL_WAITS_FOR, /* .. the reason */
	KERNEL_SWITCHES, /* the scheduler: what is inside of it is of the measurement */
	KERNEL_WAKES,
	KERNEL_INTERRUPTS, /* what is outside of it was interrupted, and did nothing */
};

struct kernel_function {
	uint64_t begin, end; /* addresses */
	uint8_t role; /* enum kernel_role */
	uint8_t reason; /* enum stack_reason */
};

/* A zeroed struct has none. */
struct kernel_functions {
	struct kernel_function *list; /* owned; ascending */
	size_t count;
};

/*
 * Reads a text of the form of /proc/kallsyms. Returns 0, also if it hides the addresses: there are
 * none then; or -ENOMEM.
 */
int kernel_functions_read(const char *text, size_t len, struct kernel_functions *functions);
void kernel_functions_finish(struct kernel_functions *functions);

/* That of an address, or NULL. */
const struct kernel_function *kernel_functions_at(const struct kernel_functions *functions,
						  uint64_t address);

/* Why a thread with these frames waits, the innermost first; STACK_OTHER if it is not known. */
enum stack_reason kernel_functions_reason(const struct kernel_functions *functions,
					  const __u64 *frames, size_t count);

/* How many of the innermost frames are of the measurement: those up to the scheduler. */
size_t kernel_functions_inner(const struct kernel_functions *functions, enum kernel_role role,
			      const __u64 *frames, size_t count);

/* How many frames are of an interrupt; 0: none interrupted it. */
size_t kernel_functions_interrupt(const struct kernel_functions *functions, const __u64 *frames,
				  size_t count);

#endif
