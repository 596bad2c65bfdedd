/* SPDX-License-Identifier: MIT */
/* Configures the programs from the options and the selection of a plan. */
#include "agent/run/live_open.h"

#include <string.h>
#include <unistd.h>

#include "scap/live/call_hooks.h"
#include "scap/live/programs.h"
#include "scap/proc/cgroup_keys.h"

struct scap_memory live_memory(const struct options *options)
{
	const struct scap_hardware machine = {
		.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
		.online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
	};

	return options->ring_bytes ? (struct scap_memory){.ring_bytes = options->ring_bytes}
				   : scap_memory_divide(&machine, options->buffers_bytes);
}

/* Where calls are captured, so are those that may be about the capture; not to be shown. */
static void watch_own(struct scap_live_config *config)
{
	static const bool none_rejected[EVENT_ID_MAX];

	if (config->events[EVENT_bpf] || !live_any_call_wanted(config, none_rejected))
		return;
	config->events[EVENT_bpf] = true;
	config->successes[EVENT_bpf] = true;
}

int live_open(const struct plan *plan, const struct live_place *place, uint64_t boot_offset_ns,
	      struct scap_live **live, struct error *err)
{
	const struct options *options = plan->options;
	const struct selection *selection = &plan->selection;
	const struct scap_memory memory = live_memory(options);
	struct scap_live_config config = {
		.loader = place->loader,
		.ring_bytes = memory.ring_bytes,
		.rings_bytes = memory.rings_bytes,
		.snaplen = options->snaplen,
		.snaplen_rules = options->snaplen_rules,
		.kernel_filters = plan->kernel_filters,
		.enter_times = selection_has_enter_times(selection),
		.entry_notes = selection_entry_notes(selection),
		.call_hooks = options->call_hooks,
		.iterators = {[SCAP_LIVE_THREADS] = true,
			      [SCAP_LIVE_OPEN_FDS] =
				      !(selection_lacks(selection) & SINSP_DESCRIPTORS)},
		.has_budget = options->budget > 0,
		.verbose = options->verbose,
		.boot_offset_ns = boot_offset_ns,
	};

	if (place->keys && plan->rejects_groups)
		config.kernel_filters.hierarchies = scap_cgroup_keys_hierarchies(place->keys);
	memcpy(config.rate_limits, options->rate_limits, sizeof(config.rate_limits));
	if (!options->include_self)
		memcpy(config.self_pids, place->self_pids, sizeof(config.self_pids));
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		config.events[id] = selection->events[id] != 0;
		config.successes[id] = !(selection->events[id] & WHY_FILTER);
		config.of_rules[id] = selection->of_rules[id];
	}
	watch_own(&config);
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		config.syscalls[number] = selection->syscalls[number];
		config.compat_syscalls[number] = selection->compat_syscalls[number];
	}
	return scap_live_open(&config, live, err);
}

bool live_knows_groups(const struct live_place *place, const struct scap_live *live)
{
	uint64_t key, made;
	const char *text;
	size_t len;

	return place->keys && scap_live_own_groups(live, &key, &text, &len) == 0 &&
	       scap_cgroup_keys_make(place->keys, text, len, &made) == 0 && made == key;
}

const char *live_hooks_text(const struct scap_live *live)
{
	static const char *const texts[] = {
		[CALL_HOOKS_ALL] = "tracepoints of all system calls",
		[CALL_HOOKS_EACH] = "tracepoints of each wanted call; 32-bit programs are not seen",
		[CALL_HOOKS_TOO_MANY] =
			"tracepoints of all system calls, as more than 32 are wanted",
		[CALL_HOOKS_MISSING] =
			"tracepoints of all system calls, as the kernel lacks some of single calls",
	};

	_Static_assert(CALL_HOOKS_MAX == 32, "the text has the number");
	return texts[scap_live_call_hooks(live)];
}
