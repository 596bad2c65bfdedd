/* SPDX-License-Identifier: MIT */
/* What was sent and what arrived: the promises that the state keeps over a crash. */
#include <errno.h>
#include <string.h>

#include "output/spool/spool_impl.h"

static int fail(const struct spool *spool, int code, struct error *err)
{
	return error_set(err, code, "cannot write the state of the spool %s: %s", spool->path,
			 strerror(-code));
}

int spool_attempt(struct spool *spool, uint64_t position, struct error *err)
{
	uint64_t before;
	int r;

	pthread_mutex_lock(&spool->lock);
	before = spool->slot.attempted;
	if (position > before)
		spool->slot.attempted = position;
	pthread_mutex_unlock(&spool->lock);
	if (position <= before)
		return 0;
	r = spool_store_state(spool, spool_syncs_always(spool));
	if (r == 0)
		return 0;
	pthread_mutex_lock(&spool->lock);
	spool->slot.attempted = before;
	pthread_mutex_unlock(&spool->lock);
	return fail(spool, r, err);
}

/* The record of the last batch at this position, or NULL. */
static const struct output_record *record_at(const struct spool_batch *batch, uint64_t position)
{
	return position >= batch->first && position - batch->first < batch->count
		       ? &batch->records[position - batch->first]
		       : NULL;
}

int spool_acknowledge(struct spool *spool, uint64_t position, struct error *err)
{
	const struct spool_batch *batch = &spool->reader.batch;
	const struct output_record *record = record_at(batch, position);
	const struct output_record *next = record_at(batch, position + 1);
	int r;

	if (position > spool->reader.position)
		return error_set(err, -EINVAL, "spool %s: record %llu was never read", spool->path,
				 (unsigned long long)position);
	pthread_mutex_lock(&spool->lock);
	if (position > spool->slot.acknowledged) {
		spool->stats.acknowledged += position - spool->slot.acknowledged;
		spool->slot.acknowledged = position;
		spool->slot.acknowledged_number =
			record ? record->number : spool->slot.acknowledged_number;
		spool->stats.oldest_ns = position == spool->slot.appended ? 0
					 : next				  ? next->ts_ns
									  : spool->stats.oldest_ns;
	}
	pthread_mutex_unlock(&spool->lock);
	r = spool_store_state(spool, spool_syncs_always(spool));
	if (r == 0)
		r = spool_remove_acknowledged(spool);
	return r < 0 ? fail(spool, r, err) : 0;
}

void spool_lose_record(struct spool *spool, enum spool_cause cause,
		       const struct output_record *record)
{
	pthread_mutex_lock(&spool->lock);
	spool_losses_add(&spool->losses, cause, record->number, record->ts_ns, record->event);
	spool->stats.lost[cause]++;
	pthread_mutex_unlock(&spool->lock);
}

int spool_lost_reported(struct spool *spool, struct error *err)
{
	int r;

	pthread_mutex_lock(&spool->lock);
	memset(&spool->given, 0, sizeof(spool->given));
	spool->given_redelivered = false;
	pthread_mutex_unlock(&spool->lock);
	r = spool_store_state(spool, spool_syncs_always(spool));
	return r < 0 ? fail(spool, r, err) : 0;
}

void spool_wake(struct spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	spool->woken = true;
	pthread_cond_signal(&spool->changed);
	pthread_mutex_unlock(&spool->lock);
}
