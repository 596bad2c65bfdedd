/* SPDX-License-Identifier: MIT */
/* Lists of CPUs as the kernel and users write them: "0-3,8". */
#ifndef PERF_CPUS_H
#define PERF_CPUS_H

#include <stddef.h>

#include "util/arena.h"

/* Linux has no configuration with more. */
enum { PERF_CPUS_MAX = 8192 };

struct perf_cpus {
	unsigned int *numbers; /* ascending; of an arena */
	size_t count;
};

/*
 * Reads a list; one newline may end it. Returns 0, -EINVAL for what is no list or has no CPU, or
 * -ENOMEM.
 */
int perf_cpus_read(const char *text, struct arena *arena, struct perf_cpus *cpus);

#endif
