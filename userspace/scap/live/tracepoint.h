/* SPDX-License-Identifier: MIT */
/* Tracepoints as perf events; tracefs has their numbers. */
#ifndef SCAP_LIVE_TRACEPOINT_H
#define SCAP_LIVE_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens a perf event of "<group>:<name>" on all CPUs, to attach a program to. Returns a descriptor,
 * or -errno: -ENOENT if the kernel has no such tracepoint.
 */
int scap_tracepoint_open(const char *group, const char *name);

/* Whether the kernel has all of "<group>:<prefix><name>". */
bool scap_tracepoints_exist(const char *group, const char *prefix, const char *const *names,
			    size_t count);

#endif
