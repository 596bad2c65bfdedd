/* SPDX-License-Identifier: MIT */
/* Attributes of perf events: opened, and shown. */
#ifndef PERF_ATTR_H
#define PERF_ATTR_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "util/buf.h"

/*
 * Opens an event, as perf_event_open() does; config3: for Linux 6.3, 0: none. Returns a descriptor,
 * or -errno.
 */
int perf_attr_open(const struct perf_event_attr *attr, uint64_t config3, int pid, int cpu,
		   int group_fd, unsigned long flags);

/*
 * Appends a line "NAME VALUE" for the type and for each other member that is not 0, in their order
 * in memory, numbers of words in base 16.
 */
void perf_attr_append(const struct perf_event_attr *attr, uint64_t config3, struct buf *out);

#endif
