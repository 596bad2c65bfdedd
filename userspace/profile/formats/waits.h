/* SPDX-License-Identifier: MIT */
/* Stacks with the time that threads were off their CPUs there, as bcc's offcputime prints them. */
#ifndef PROFILE_FORMATS_WAITS_H
#define PROFILE_FORMATS_WAITS_H

#include <stdbool.h>

#include "profile/names/names.h"
#include "profile/stacks.h"
#include "util/buf.h"

struct waits_options {
	bool folded; /* a line for each stack, the outermost frame first */
	bool delimited; /* what is between the frames of the kernel and of the process is marked */
	bool no_kernel, no_user; /* without these frames */
};

/*
 * Appends the stacks of threads that were off CPU, in microseconds, those of the longest time last,
 * whatever they waited for and whoever woke them. Names have no bytes that control a terminal.
 * Returns 0 or -ENOMEM.
 */
int waits_write(const struct stacks *stacks, const struct profile_names *names,
		const struct waits_options *options, struct buf *out);

#endif
