/* SPDX-License-Identifier: MIT */
/* Live captures that are judged by what the test itself does. */
#include "own_events.h"

#include <string.h>
#include <unistd.h>

void own_events_only(struct scap_live_config *config)
{
	struct kernel_filters *filters = &config->kernel_filters;
	const __u64 self = (__u64)getpid();

	memset(filters->at_exit, 1, sizeof(filters->at_exit));
	filters->filters[0] = (struct kernel_filter){
		.facts = 1 << KERNEL_PID | 1 << KERNEL_PPID,
		.checks = {{KERNEL_PID, KERNEL_EQUAL, KERNEL_PASS, 1, .value = {self},
			    .mask = {UINT64_MAX}},
			   {KERNEL_PPID, KERNEL_EQUAL, KERNEL_PASS, KERNEL_REJECT, .value = {self},
			    .mask = {UINT64_MAX}}},
	};
}

uint64_t own_events_seen(const struct scap_live_stats *stats, unsigned int id)
{
	return stats->seen[id] - stats->events[id].filtered;
}

uint64_t own_events_lost(const struct scap_live_stats *stats, unsigned int id)
{
	uint64_t sum = 0;

	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		sum += stats->events[id].lost[cause];
	return sum;
}
