/* SPDX-License-Identifier: MIT */
/* From a plan to a live capture. */
#ifndef AGENT_RUN_LIVE_OPEN_H
#define AGENT_RUN_LIVE_OPEN_H

#include <stdint.h>

#include "agent/plan/plan.h"
#include "scap/live/live.h"
#include "scap/rings/memory.h"
#include "util/error.h"

/* Where captures are opened from. */
struct live_place {
	uint32_t self_pids[SELF_PIDS]; /* of the agent, in the initial pid namespace; 0: none */
	struct live_loader *loader; /* borrowed; NULL: this process */
	struct scap_cgroup_keys *keys; /* borrowed; NULL: keys of control groups are not known */
};

/*
 * Loads and attaches the programs that the plan needs; capturing begins. The events of the agent
 * itself are left out unless the options say else. boot_offset_ns: that of a capture that runs in
 * parallel, or 0. Returns 0 or -errno with a message; the capture is destroyed through its source.
 */
int live_open(const struct plan *plan, const struct live_place *place, uint64_t boot_offset_ns,
	      struct scap_live **live, struct error *err);

/*
 * The memory of the ring buffers: each of the size of the option, or what suits the machine, grown
 * for busy CPUs.
 */
struct scap_memory live_memory(const struct options *options);

/* Whether the keys of control groups are those that the programs of a capture make. */
bool live_knows_groups(const struct live_place *place, const struct scap_live *live);

/* Where the programs of system calls run, and why, in words for the user. */
const char *live_hooks_text(const struct scap_live *live);

#endif
