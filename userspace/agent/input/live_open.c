/* SPDX-License-Identifier: MIT */
/* Configures the programs from the options and the selection of a plan. */
#include "agent/input/live_open.h"

#include <unistd.h>

#include "scap/live/live.h"
#include "scap/live/memory.h"

/* The size of the option, or one that suits the machine. */
static uint32_t ring_bytes(const struct options *options)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES), page = (uint64_t)sysconf(_SC_PAGESIZE);

	return options->ring_bytes
		       ? options->ring_bytes
		       : scap_ring_bytes((uint32_t)sysconf(_SC_NPROCESSORS_ONLN), pages * page);
}

int live_open(const struct plan *plan, pid_t self, uint64_t boot_offset_ns, struct scap_live **live,
	      struct error *err)
{
	const struct options *options = plan->options;
	const struct selection *selection = &plan->selection;
	struct scap_live_config config = {
		.ring_bytes = ring_bytes(options),
		.snaplen = options->snaplen,
		.snaplen_rules = options->snaplen_rules,
		.self_pid = options->include_self ? 0 : (uint32_t)self,
		.enter_times = selection_has_enter_times(selection),
		.verbose = options->verbose,
		.boot_offset_ns = boot_offset_ns,
	};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		config.events[id] = selection->events[id] != 0;
		config.successes[id] = !(selection->events[id] & WHY_FILTER);
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		config.syscalls[number] = selection->syscalls[number];
		config.compat_syscalls[number] = selection->compat_syscalls[number];
	}
	return scap_live_open(&config, live, err);
}
