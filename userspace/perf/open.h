/* SPDX-License-Identifier: MIT */
/* Opening events, and why the kernel refuses one. */
#ifndef PERF_OPEN_H
#define PERF_OPEN_H

#include "perf/event.h"

/*
 * Opens an event with the attr that the caller completed. That exclude_guest is usual, but unknown
 * to a PMU, is no reason to fail: it is removed from `attr` then. flags: PERF_FLAG_*, beside that
 * of closing on exec. Returns a descriptor; -ESTALE if the file of a probe was written to since the
 * event was parsed; or another -errno.
 */
int perf_open(const struct perf_event *event, struct perf_event_attr *attr, int pid, int cpu,
	      int group_fd, unsigned long flags);

/* Opens it for the calling thread, or where it counts, and closes it. Returns 0 or -errno. */
int perf_open_try(const struct perf_event *event);

/* Appends why an event could not be opened, in words, with what to do about it. */
void perf_open_append_reason(const struct perf_machine *machine, const struct perf_event *event,
			     int error, struct buf *out);

/* Whether the kernel counts what is lost of each event, which reading it with PERF_FORMAT_LOST
 * says: Linux 6.0. */
bool perf_open_counts_lost(void);

/* The value of kernel.perf_event_paranoid; -2: it is not known. */
int perf_open_paranoid(void);

#endif
