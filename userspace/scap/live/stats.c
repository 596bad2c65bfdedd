/* SPDX-License-Identifier: MIT */
/* Sums over captures that followed each other. */
#include "scap/live/live.h"

void scap_live_stats_add(struct scap_live_stats *stats, const struct scap_live_stats *past)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		stats->seen[id] += past->seen[id];
		stats->delivered[id] += past->delivered[id];
		stats->events[id].unreadable += past->events[id].unreadable;
		stats->events[id].filtered += past->events[id].filtered;
		stats->events[id].muted += past->events[id].muted;
		for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
			stats->events[id].lost[cause] += past->events[id].lost[cause];
	}
	stats->unread += past->unread;
	stats->rings_grown += past->rings_grown;
	stats->corrupt += past->corrupt;
	stats->out_of_order += past->out_of_order;
	stats->ring_lost += past->ring_lost;
	stats->compat += past->compat;
	stats->unnoted += past->unnoted;
	stats->untimed += past->untimed;
	stats->ownerless += past->ownerless;
	stats->owners_dropped += past->owners_dropped;
	stats->tls_notes_lost += past->tls_notes_lost;
	stats->counted_seen += past->counted_seen;
	stats->rates_ended += past->rates_ended;
	stats->run_missed += past->run_missed;
	stats->unjudged += past->unjudged;
	stats->unanswered += past->unanswered;
}
