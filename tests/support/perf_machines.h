/* SPDX-License-Identifier: MIT */
/* Machines as tests/machines describes them, each in a file, and events on them as text. */
#ifndef TESTS_PERF_MACHINES_H
#define TESTS_PERF_MACHINES_H

#include "perf/event.h"
#include "tree.h"

struct described_machine {
	struct tree tree; /* its sysfs and tracefs, below "sys" and "tracing" */
	struct perf_machine machine;
};

/* Unfolds a file of tests/machines. The test fails if it cannot. */
void described_machine_open(struct described_machine *described, const char *name);
void described_machine_close(struct described_machine *described);

/*
 * Appends lines about an event: its name, then " MEMBER=VALUE" for what is not as usual. A member
 * of a group but its leader begins with the leader's index.
 */
void perf_event_append_line(const struct perf_event_list *list, size_t i, struct buf *out);

#endif
