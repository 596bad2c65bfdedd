/* SPDX-License-Identifier: MIT */
/* Pending entry events: buckets of few threads to find them, and a list by age to remove them. */
#include "scap/file/upgrade_pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int upgrade_pending_init(struct upgrade_pending *pending)
{
	*pending = (struct upgrade_pending){0};
	pending->buckets = calloc(PENDING_BUCKETS * PENDING_WAYS, sizeof(*pending->buckets));
	return pending->buckets ? 0 : -ENOMEM;
}

/* Consecutive thread ids are in different buckets. */
static struct pending_enter **bucket_of(const struct upgrade_pending *pending, int64_t tid)
{
	uint64_t hash = ((uint64_t)tid ^ (uint64_t)tid >> 32) % PENDING_BUCKETS;

	return pending->buckets + hash * PENDING_WAYS;
}

static unsigned int way_of(struct pending_enter *const *bucket, int64_t tid)
{
	unsigned int way = 0;

	while (way < PENDING_WAYS && bucket[way] && bucket[way]->tid != tid)
		way++;
	return way;
}

struct pending_enter *upgrade_pending_find(const struct upgrade_pending *pending, int64_t tid)
{
	struct pending_enter *const *bucket = bucket_of(pending, tid);
	unsigned int way = way_of(bucket, tid);

	return way < PENDING_WAYS ? bucket[way] : NULL;
}

static void list_remove(struct upgrade_pending *pending, struct pending_enter *enter)
{
	*(enter->older ? &enter->older->newer : &pending->oldest) = enter->newer;
	*(enter->newer ? &enter->newer->older : &pending->newest) = enter->older;
}

static void list_add(struct upgrade_pending *pending, struct pending_enter *enter)
{
	enter->older = pending->newest;
	enter->newer = NULL;
	*(pending->newest ? &pending->newest->newer : &pending->oldest) = enter;
	pending->newest = enter;
}

void upgrade_pending_forget(struct upgrade_pending *pending, struct pending_enter *enter)
{
	struct pending_enter **bucket;
	unsigned int way;

	if (!enter)
		return;
	bucket = bucket_of(pending, enter->tid);
	way = way_of(bucket, enter->tid);
	for (; way < PENDING_WAYS - 1 && bucket[way]; way++)
		bucket[way] = bucket[way + 1];
	bucket[way] = NULL;
	list_remove(pending, enter);
	pending->bytes -= enter->bytes;
	pool_free(&pending->pool, enter, enter->bytes);
}

/* Few sizes, so that freed blocks can be reused. */
static size_t block_bytes(size_t bytes)
{
	static const size_t sizes[] = {128, 1024, POOL_BLOCK_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (bytes <= sizes[i])
			return sizes[i];
	return bytes;
}

void upgrade_copy_values(uint8_t *to, const struct event_param *params, size_t nparams)
{
	const struct event_param *param = params, *end = params + nparams;

	/* Most values are contiguous and copied at once. */
	while (param < end) {
		const uint8_t *data = param->data;
		size_t len = 0;

		for (; param < end && param->data == data + len; param++)
			len += param->len;
		memcpy(to, data, len);
		to += len;
	}
}

static struct pending_enter *make(struct upgrade_pending *pending, const struct event_param *params,
				  unsigned int nparams)
{
	size_t bytes = sizeof(struct pending_enter) + nparams * sizeof(uint16_t);
	struct pending_enter *enter;

	for (unsigned int i = 0; i < nparams; i++)
		bytes += params[i].len;
	bytes = block_bytes(bytes);
	while (pending->oldest && pending->bytes + bytes > PENDING_BYTES_MAX)
		upgrade_pending_forget(pending, pending->oldest);
	enter = pool_alloc(&pending->pool, bytes);
	if (!enter)
		return NULL;
	enter->bytes = (uint32_t)bytes;
	enter->nparams = (uint16_t)nparams;
	for (unsigned int i = 0; i < nparams; i++)
		enter->lengths[i] = (uint16_t)params[i].len;
	upgrade_copy_values((uint8_t *)&enter->lengths[nparams], params, nparams);
	return enter;
}

void upgrade_pending_put(struct upgrade_pending *pending, int64_t tid, uint16_t id,
			 const struct event_param *params, unsigned int nparams)
{
	struct pending_enter **bucket = bucket_of(pending, tid), *enter;

	upgrade_pending_forget(pending, upgrade_pending_find(pending, tid));
	upgrade_pending_forget(pending, bucket[PENDING_WAYS - 1]);
	enter = make(pending, params, nparams);
	if (!enter)
		return;
	enter->tid = tid;
	enter->id = id;
	memmove(bucket + 1, bucket, (PENDING_WAYS - 1) * sizeof(*bucket));
	bucket[0] = enter;
	list_add(pending, enter);
	pending->bytes += enter->bytes;
}

struct event_param pending_enter_param(const struct pending_enter *enter, unsigned int index)
{
	const uint8_t *at = (const uint8_t *)&enter->lengths[enter->nparams];

	if (index >= enter->nparams)
		return (struct event_param){0};
	for (unsigned int i = 0; i < index; i++)
		at += enter->lengths[i];
	return (struct event_param){at, enter->lengths[index]};
}

void upgrade_pending_finish(struct upgrade_pending *pending)
{
	while (pending->oldest)
		upgrade_pending_forget(pending, pending->oldest);
	pool_finish(&pending->pool);
	free(pending->buckets);
}
