/* SPDX-License-Identifier: MIT */
/* From a plan to a live capture. */
#ifndef AGENT_INPUT_LIVE_OPEN_H
#define AGENT_INPUT_LIVE_OPEN_H

#include <stdint.h>
#include <sys/types.h>

#include "agent/plan/plan.h"
#include "util/error.h"

struct scap_live;

/*
 * Loads and attaches the programs that the plan needs; capturing begins. self: the agent's id in
 * the initial pid namespace (0: none), whose events are left out unless the options say else.
 * boot_offset_ns: that of a capture that runs in parallel, or 0. Returns 0 or -errno with a
 * message; the capture is destroyed through its source.
 */
int live_open(const struct plan *plan, pid_t self, uint64_t boot_offset_ns, struct scap_live **live,
	      struct error *err);

#endif
