/* SPDX-License-Identifier: MIT */
/* Lists of CPUs as the kernel and users write them: "0-3,8". */
#ifndef PERF_CPUS_H
#define PERF_CPUS_H

#include <stdbool.h>
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

#define PERF_CPUS_ONLINE "/sys/devices/system/cpu/online"
enum { PERF_CPUS_TEXT_BYTES = 4096 };

/* The list of the CPUs that are online. Returns 0, or -errno, also if it is longer. */
int perf_cpus_online(char text[PERF_CPUS_TEXT_BYTES]);

bool perf_cpus_have(const struct perf_cpus *cpus, unsigned int cpu);

/*
 * Numbers the packages, or dies if they have several, that the CPUs of a list are in: of each CPU
 * that of its package. One whose package is not known has one of its own. `folder`:
 * "/sys/devices/system/cpu". The result is of the arena; NULL if out of memory.
 */
size_t *perf_cpus_packages(const struct perf_cpus *cpus, const char *folder, struct arena *arena);

#endif
