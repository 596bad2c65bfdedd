/* SPDX-License-Identifier: MIT */
/* Opening, closing, figures. */
#include "output/spool/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	SEGMENT_BYTES = 16 << 20,
	SEGMENT_BYTES_MIN = 64 << 10,
	/* So many segments at least within the limit, or on the disk: what goes goes in parts. */
	SEGMENTS_MIN = 8,
	FIXED_BYTES = 2 * SPOOL_BLOCK_BYTES, /* of the state and the lock */
};

static uint64_t segment_bytes(const struct spool *spool)
{
	uint64_t bytes = spool->config.limit_bytes / SEGMENTS_MIN;
	struct statvfs disk;

	if (spool->config.segment_bytes)
		return spool->config.segment_bytes;
	if (fstatvfs(spool->folder, &disk) == 0 &&
	    disk.f_blocks * disk.f_frsize / SEGMENTS_MIN < bytes)
		bytes = disk.f_blocks * disk.f_frsize / SEGMENTS_MIN;
	if (bytes > SEGMENT_BYTES)
		return SEGMENT_BYTES;
	return bytes < SEGMENT_BYTES_MIN ? SEGMENT_BYTES_MIN : bytes;
}

static void init_locks(struct spool *spool)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&spool->files, NULL);
	pthread_mutex_init(&spool->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&spool->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* Frees it, whatever of it is open. */
static void close_files(struct spool *spool)
{
	int *files[] = {&spool->writer.file, &spool->reader.scan.fd, &spool->state.fd,
			&spool->lock_file, &spool->folder};

	for (size_t i = 0; i < COUNT(files); i++) {
		if (*files[i] >= 0)
			close(*files[i]);
		*files[i] = -1;
	}
}

static void spool_destroy(struct spool *spool)
{
	close_files(spool);
	spool_encoder_finish(&spool->writer.encoder);
	spool_decoder_finish(&spool->reader.decoder);
	spool_decoder_finish(&spool->dropped);
	free(spool->reader.records);
	free(spool->segments.items);
	pthread_cond_destroy(&spool->changed);
	pthread_mutex_destroy(&spool->lock);
	pthread_mutex_destroy(&spool->files);
	free(spool->path);
	free(spool);
}

/* Opens the folder, and locks it. */
static int take_folder(struct spool *spool, struct error *err)
{
	spool->folder = spool_folder_open(spool->path, err);
	if (spool->folder < 0)
		return spool->folder;
	spool->lock_file = spool_folder_lock(spool->folder, spool->path, err);
	return spool->lock_file < 0 ? spool->lock_file : 0;
}

static int open_folder(struct spool *spool, struct error *err)
{
	int r = take_folder(spool, err);

	if (r < 0)
		return r;
	spool->config.segment_bytes = segment_bytes(spool);
	spool->stats.bytes = FIXED_BYTES;
	return spool_recover(spool, err);
}

/* The first store shows whether the disk can be written at all. */
static int spool_begin(struct spool *spool, struct error *err)
{
	int r;

	spool->slot.known_ns = clock_ns(CLOCK_REALTIME);
	r = spool_store_state(spool, true);
	if (r < 0)
		return error_set(err, r, "cannot write to the spool %s: %s", spool->path,
				 strerror(-r));
	/* What stays goes when something is acknowledged. */
	spool_remove_acknowledged(spool);
	memcpy(spool->stream, spool->slot.stream, SPOOL_STREAM_BYTES);
	spool->old_last = spool->slot.appended;
	spool->reader.position = spool->claimed = spool->slot.acknowledged;
	spool->reader.number = spool->slot.acknowledged_number;
	return 0;
}

int spool_open(const struct spool_config *config, struct spool **result, struct error *err)
{
	struct spool *spool;
	int r;

	if (config->limit_bytes < SPOOL_LIMIT_MIN)
		return error_set(err, -EINVAL, "a spool needs at least %d KiB",
				 SPOOL_LIMIT_MIN / 1024);
	spool = calloc(1, sizeof(*spool));
	if (!spool)
		return error_set(err, -ENOMEM, "out of memory");
	spool->folder = spool->lock_file = spool->state.fd = -1;
	spool->writer.file = spool->reader.scan.fd = -1;
	spool->config = *config;
	init_locks(spool);
	spool->config.path = spool->path = strdup(config->path);
	r = spool->path ? 0 : -ENOMEM;
	if (r == 0)
		r = spool_encoder_init(&spool->writer.encoder, config->level);
	if (r == 0)
		r = spool_decoder_init(&spool->reader.decoder);
	if (r == 0)
		r = spool_decoder_init(&spool->dropped);
	if (r < 0)
		error_set(err, r, "out of memory");
	if (r == 0)
		r = open_folder(spool, err);
	if (r == 0)
		r = spool_begin(spool, err);
	if (r < 0)
		spool_destroy(spool);
	else
		*result = spool;
	return r;
}

/* What was not acknowledged is gone; what was read of it is forgotten. */
static void forget_records(struct spool *spool)
{
	struct spool_slot *slot = &spool->slot;
	struct spool_reader *reader = &spool->reader;

	pthread_mutex_lock(&spool->lock);
	slot->acknowledged = slot->attempted = spool->claimed = slot->appended;
	slot->acknowledged_number = slot->number;
	slot->dropped_from = slot->dropped_to = 0;
	spool->segments.count = 0;
	spool->growing = false;
	spool->stats.bytes = FIXED_BYTES;
	spool->stats.oldest_ns = 0;
	pthread_mutex_unlock(&spool->lock);
	spool->writer.listed = spool->writer.unsynced = spool->writer.folder_unsynced = false;
	spool->writer.failure = 0;
	reader->segment = reader->passed = 0;
	reader->next = reader->frame.records = 0;
	reader->position = slot->appended;
	reader->number = slot->number;
}

int spool_renew(struct spool *spool, struct spool_loss *lost, struct error *err)
{
	const struct spool_slot *slot = &spool->slot;
	bool corrupt;
	int r;

	*lost = (struct spool_loss){
		.from = slot->acknowledged_number + 1,
		.to = slot->number,
		.first_ns = spool->stats.oldest_ns,
		.last_ns = slot->known_ns,
	};
	close_files(spool);
	r = take_folder(spool, err);
	if (r < 0)
		return r;
	r = spool_state_open(&spool->state, spool->folder, &corrupt);
	if (r == 1)
		return error_set(err, -EEXIST,
				 "the folder of the spool %s was replaced by that of another one: "
				 "restart the agent",
				 spool->path);
	if (r == 0) {
		forget_records(spool);
		r = spool_store_state(spool, true);
	}
	return r < 0 ? error_set(err, r, "cannot write to the spool %s: %s", spool->path,
				 strerror(-r))
		     : 0;
}

bool spool_may_open_later(int code)
{
	switch (code) {
	case -EACCES: /* of a folder that others own */
	case -EINVAL: /* the limit */
	case -ELOOP:
	case -ENAMETOOLONG:
	case -ENOTDIR:
	case -EPERM: /* others can write to it */
	case -EPROTONOSUPPORT: /* of a later version of the agent */
		return false;
	}
	return true;
}

void spool_close(struct spool *spool)
{
	uint64_t failed_syncs;

	if (!spool)
		return;
	failed_syncs = spool->stats.failed_syncs;
	spool_end_segment(spool);
	spool_remove_acknowledged(spool);
	spool->slot.closed =
		!atomic_load(&spool->is_incomplete) && spool->stats.failed_syncs == failed_syncs;
	spool_store_state(spool, true);
	spool_destroy(spool);
}

const char *spool_stream(const struct spool *spool)
{
	return spool->stream;
}

uint64_t spool_last_number(const struct spool *spool)
{
	return spool->slot.number;
}

const struct spool_before *spool_before(const struct spool *spool)
{
	return &spool->before;
}

/* What is neither acknowledged nor dropped, with spool->lock held. */
static uint64_t records_left(const struct spool_slot *slot)
{
	uint64_t left = slot->appended - slot->acknowledged;
	uint64_t from = slot->dropped_from, to = slot->dropped_to;

	from = from > slot->acknowledged ? from : slot->acknowledged + 1;
	return to >= from ? left - (to - from + 1) : left;
}

void spool_stats(struct spool *spool, struct spool_stats *stats)
{
	pthread_mutex_lock(&spool->lock);
	*stats = spool->stats;
	stats->segments = spool->segments.count;
	stats->records = records_left(&spool->slot);
	stats->last = spool->slot.appended;
	pthread_mutex_unlock(&spool->lock);
}
