/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints as perf events, which the kernel knows by the numbers that tracefs gives.
 */
#ifndef SCAP_LIVE_TRACEPOINT_H
#define SCAP_LIVE_TRACEPOINT_H

/*
 * A perf event of "<group>:<name>" on the whole machine, to attach a program to. Results in a
 * descriptor, or -errno: -ENOENT when the kernel has no such tracepoint.
 */
int scap_tracepoint_open(const char *group, const char *name);

#endif
