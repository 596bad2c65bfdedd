/* SPDX-License-Identifier: MIT */
/* Sums of losses, and the texts of their causes. */
#include "output/spool/loss.h"

const char *const spool_cause_texts[SPOOL_CAUSES] = {
	[SPOOL_LOST_LIMIT] = "the spool reached its limit",
	[SPOOL_LOST_NO_SPACE] = "the disk of the spool was full",
	[SPOOL_LOST_IO] = "the spool could not be written",
	[SPOOL_LOST_CORRUPT] = "the spool was corrupt",
	[SPOOL_LOST_POWER] = "the machine stopped before the spool was on disk",
	[SPOOL_LOST_REJECTED] = "rejected by the target",
	[SPOOL_LOST_TOO_LARGE] = "larger than the target takes",
};

void spool_loss_merge(struct spool_loss *loss, const struct spool_loss *more)
{
	if (!more->count)
		return;
	if (!loss->count) {
		*loss = *more;
		return;
	}
	loss->count += more->count;
	if (more->from < loss->from)
		loss->from = more->from;
	if (more->to > loss->to)
		loss->to = more->to;
	if (more->first_ns && (!loss->first_ns || more->first_ns < loss->first_ns))
		loss->first_ns = more->first_ns;
	if (more->last_ns > loss->last_ns)
		loss->last_ns = more->last_ns;
}

void spool_losses_add(struct spool_losses *losses, enum spool_cause cause, uint64_t number,
		      uint64_t ts_ns, unsigned int event)
{
	struct spool_loss one = {number, number, 1, ts_ns, ts_ns};

	spool_loss_merge(&losses->causes[cause], &one);
	if (event < EVENT_ID_MAX)
		losses->events[cause][event]++;
}

void spool_losses_merge(struct spool_losses *losses, const struct spool_losses *more)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++) {
		if (!more->causes[cause].count)
			continue;
		spool_loss_merge(&losses->causes[cause], &more->causes[cause]);
		for (unsigned int event = 0; event < EVENT_ID_MAX; event++)
			losses->events[cause][event] += more->events[cause][event];
	}
}

bool spool_losses_any(const struct spool_losses *losses)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++)
		if (losses->causes[cause].count)
			return true;
	return false;
}
