/* SPDX-License-Identifier: MIT */
/* The state as it is in memory, made into what is stored. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"

uint64_t spool_segment_last(const struct spool *spool, size_t i)
{
	return i + 1 < spool->segments.count ? spool->segments.items[i + 1].first - 1
					     : spool->slot.appended;
}

static void take_losses(struct spool_slot *slot, const struct spool_losses *losses)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++) {
		struct spool_slot_loss *stored = &slot->losses[cause];
		struct spool_loss sum = {stored->from, stored->to, stored->count, stored->first_ns,
					 stored->last_ns};

		spool_loss_merge(&sum, &losses->causes[cause]);
		*stored = (struct spool_slot_loss){sum.from, sum.to, sum.count, sum.first_ns,
						   sum.last_ns};
	}
}

static int count_failure(struct spool *spool, int code)
{
	pthread_mutex_lock(&spool->lock);
	spool->stats.failed_stores++;
	pthread_mutex_unlock(&spool->lock);
	return code;
}

int spool_store(struct spool *spool, bool sync)
{
	struct spool_slot slot;
	int r;

	pthread_mutex_lock(&spool->lock);
	slot = spool->slot;
	slot.number = spool->used > slot.number ? spool->used : slot.number;
	slot.losses_count = SPOOL_CAUSES;
	memset(slot.losses, 0, sizeof(slot.losses));
	take_losses(&slot, &spool->losses);
	take_losses(&slot, &spool->given);
	pthread_mutex_unlock(&spool->lock);
	r = spool_state_store(&spool->state, &slot, sync);
	return r < 0 ? count_failure(spool, r) : 0;
}

int spool_store_state(struct spool *spool, bool sync)
{
	int r;

	pthread_mutex_lock(&spool->files);
	r = spool_store(spool, false);
	pthread_mutex_unlock(&spool->files);
	/* The other thread need not wait for the disk, too. */
	if (r == 0 && sync && fdatasync(spool->state.fd))
		r = count_failure(spool, -errno);
	return r;
}
