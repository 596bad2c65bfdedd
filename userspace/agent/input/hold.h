/* SPDX-License-Identifier: MIT */
/*
 * Losslessness: processes whose events shall not be lost wait while rings are full. A command is
 * frozen in a group of its own as soon as a quarter of a ring is, which nobody notices. What
 * is faster than that, or has no such group, is stopped by the programs in the kernel at three
 * quarters: that takes no time, but is a SIGSTOP, of which its parent may hear. When the rings are
 * read, all go on.
 */
#ifndef AGENT_INPUT_HOLD_H
#define AGENT_INPUT_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "agent/process/freezer.h"
#include "agent/input/input.h"

/* Part of `struct run`; zeroed: nobody waits. */
struct hold {
	bool holds;
	struct freezer freezer;
	uint64_t since_ns; /* boot clock: since when processes wait; 0: they do not */
	uint64_t waited_ns; /* in all */
};

/* Whether the options ask for it. */
bool hold_is_wanted(const struct options *options);

/*
 * Prepares it, if the options ask for it; before the input is opened, while the process has its
 * privileges, and no threads. command: the process that waits to become one, or 0.
 */
void hold_begin(struct hold *hold, const struct options *options, pid_t command);

/* Lets processes wait, or go on; to be called often, between two events. */
void hold_step(struct hold *hold, struct input *input);

/* All go on, and none waits any more: the capture has ended. input: NULL: it never began. */
void hold_end(struct hold *hold, struct input *input);

/* "agent: the command waited 0.3 s for us"; nothing if nobody waited. */
void hold_append_report(const struct hold *hold, const struct options *options, struct buf *text);

#endif
