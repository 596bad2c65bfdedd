/* SPDX-License-Identifier: MIT */
/* Removal of segments, acknowledged or at the limit the oldest; sums of what is lost. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/spool/spool.h"
#include "output/spool/spool_impl.h"

/*
 * Removal of segments: those that are acknowledged, and, at the limit, the oldest. The state is on
 * disk before a file goes, so that no run looks for what is not there.
 */

/* Takes the first segment off the list, with spool->lock held. */
static struct spool_segment take_first(struct spool *spool)
{
	struct spool_segment first = spool->segments.items[0];

	spool->stats.bytes -= spool_bytes_on_disk(first.bytes);
	spool_segments_remove(&spool->segments, 1);
	return first;
}

static int unlink_segment(struct spool *spool, const struct spool_segment *segment)
{
	char name[SPOOL_NAME_BYTES];

	spool_segment_name(segment->first, name);
	return unlinkat(spool->folder, name, 0) && errno != ENOENT ? -errno : 0;
}

static bool first_is_acknowledged(const struct spool *spool)
{
	return spool->segments.count > (spool->growing ? 1 : 0) &&
	       spool_segment_last(spool, 0) <= spool->slot.acknowledged;
}

static bool has_acknowledged(struct spool *spool)
{
	bool found;

	pthread_mutex_lock(&spool->lock);
	found = first_is_acknowledged(spool);
	pthread_mutex_unlock(&spool->lock);
	return found;
}

static bool take_acknowledged(struct spool *spool, struct spool_segment *segment)
{
	bool found;

	pthread_mutex_lock(&spool->lock);
	found = first_is_acknowledged(spool);
	if (found)
		*segment = take_first(spool);
	pthread_mutex_unlock(&spool->lock);
	return found;
}

int spool_remove_acknowledged(struct spool *spool)
{
	struct spool_segment segment;
	int r = 0;

	pthread_mutex_lock(&spool->files);
	if (has_acknowledged(spool))
		r = spool_store(spool, true);
	while (r == 0 && take_acknowledged(spool, &segment))
		r = unlink_segment(spool, &segment);
	pthread_mutex_unlock(&spool->files);
	return r;
}

/* What is dropped: positions from..to of one segment. */
struct dropped {
	uint64_t from, to;
	struct spool_losses losses;
	uint64_t counted; /* positions that the losses or earlier ones account for */
	uint64_t known; /* of the losses, those that were counted before: drop records said them */
	uint64_t old_before; /* positions up to it are those of earlier runs */
	uint64_t old_drops; /* drop records of these */
	struct output_record drop; /* the last drop record, if none of its kind followed */
	bool after_drop;
};

/*
 * A drop record that is dropped said how many records were missing behind its number; now nothing
 * else does.
 */
static void count_hole(struct dropped *dropped, uint64_t next_number)
{
	uint64_t hole = next_number - dropped->drop.number - 1;
	struct spool_loss loss = {dropped->drop.number + 1, next_number - 1, hole,
				  dropped->drop.ts_ns, dropped->drop.ts_ns};

	if (dropped->after_drop && next_number > dropped->drop.number) {
		spool_loss_merge(&dropped->losses.causes[SPOOL_LOST_LIMIT], &loss);
		dropped->known += hole;
	}
	dropped->after_drop = false;
}

static void room_count_record(struct dropped *dropped, uint64_t position,
			      const struct output_record *record)
{
	dropped->counted++;
	if (record->flags & RECORD_IS_DROP) {
		dropped->old_drops += position <= dropped->old_before;
		dropped->drop = *record;
		dropped->after_drop = true;
		return;
	}
	count_hole(dropped, record->number);
	spool_losses_add(&dropped->losses, SPOOL_LOST_LIMIT, record->number, record->ts_ns,
			 record->event);
}

static void count_unreadable(struct dropped *dropped, const struct spool_frame_header *header)
{
	uint64_t from = header->first, to = spool_frame_last(header);
	struct spool_loss loss = {header->first_number, header->last_number, 0, header->first_ns,
				  header->last_ns};

	from = from < dropped->from ? dropped->from : from;
	to = to > dropped->to ? dropped->to : to;
	if (from > to)
		return;
	loss.count = to - from + 1;
	dropped->counted += loss.count;
	spool_loss_merge(&dropped->losses.causes[SPOOL_LOST_LIMIT], &loss);
}

static void count_frame(struct spool *spool, struct dropped *dropped, const struct spool_scan *scan,
			const struct spool_frame_header *header)
{
	struct spool_decoder *decoder = &spool->dropped;

	if (spool_decode_index(decoder, scan->fd, scan->frame, header) < 0) {
		count_unreadable(dropped, header);
		return;
	}
	for (size_t i = 0; i < decoder->count; i++) {
		struct output_record record;

		if (header->first + i < dropped->from || header->first + i > dropped->to)
			continue;
		spool_decoder_entry(decoder, header, i, &record);
		room_count_record(dropped, header->first + i, &record);
	}
}

/* Counts all that is dropped, by number and type. */
static void room_count_segment(struct spool *spool, const struct spool_segment *segment,
			       struct dropped *dropped)
{
	struct spool_frame_header header;
	struct spool_scan scan;
	uint64_t all = dropped->to - dropped->from + 1;

	if (spool_scan_open(&scan, spool->folder, segment) == 0) {
		scan.limit = dropped->to + 1;
		while (spool_scan_next(&scan, &header) == 1)
			count_frame(spool, dropped, &scan, &header);
		close(scan.fd);
	}
	/* Whatever no frame tells of is lost, too; its numbers are not known. */
	if (all > dropped->counted)
		dropped->losses.causes[SPOOL_LOST_LIMIT].count += all - dropped->counted;
}

/* The number that follows the last drop record is in the segment behind it. */
static void count_last_hole(struct spool *spool, const struct spool_segment *next,
			    struct dropped *dropped)
{
	struct spool_frame_header header;
	struct spool_scan scan;

	if (!dropped->after_drop || !next->first || spool_scan_open(&scan, spool->folder, next) < 0)
		return;
	if (spool_scan_next(&scan, &header) == 1)
		count_hole(dropped, header.first_number);
	close(scan.fd);
}

/* Takes the oldest segment off the list, and marks as dropped what nobody has read of it. */
static bool room_take_oldest(struct spool *spool, struct spool_segment *segment,
			     struct spool_segment *next, struct dropped *dropped)
{
	struct spool_slot *slot = &spool->slot;
	bool found;

	pthread_mutex_lock(&spool->lock);
	found = spool->segments.count > 0;
	if (found) {
		uint64_t known =
			slot->acknowledged > spool->claimed ? slot->acknowledged : spool->claimed;

		dropped->to = spool_segment_last(spool, 0);
		*segment = take_first(spool);
		dropped->from = segment->first > known ? segment->first : known + 1;
		if (dropped->from <= dropped->to) {
			if (slot->dropped_to + 1 != dropped->from)
				slot->dropped_from = dropped->from;
			slot->dropped_to = dropped->to;
		}
		if (spool->segments.count)
			*next = spool->segments.items[0];
	}
	pthread_mutex_unlock(&spool->lock);
	return found;
}

static void room_add_losses(struct spool *spool, const struct dropped *dropped)
{
	const struct spool_losses *losses = &dropped->losses;

	pthread_mutex_lock(&spool->lock);
	spool_losses_merge(&spool->losses, losses);
	spool->stats.lost[SPOOL_LOST_LIMIT] +=
		losses->causes[SPOOL_LOST_LIMIT].count - dropped->known;
	spool->stats.lost_old_drops += dropped->old_drops;
	pthread_mutex_unlock(&spool->lock);
}

static size_t count_segments(struct spool *spool)
{
	size_t count;

	pthread_mutex_lock(&spool->lock);
	count = spool->segments.count;
	pthread_mutex_unlock(&spool->lock);
	return count;
}

/* Returns 0, or -ENOBUFS if there is no segment, or -errno. */
static int room_drop_oldest(struct spool *spool)
{
	struct dropped *dropped = calloc(1, sizeof(*dropped));
	struct spool_segment segment, next = {0};
	int r;

	if (!dropped)
		return -ENOMEM;
	dropped->old_before = spool->old_last;
	if (count_segments(spool) == 1)
		spool_end_segment(spool);
	pthread_mutex_lock(&spool->files);
	r = room_take_oldest(spool, &segment, &next, dropped) ? 0 : -ENOBUFS;
	if (r == 0 && dropped->from <= dropped->to) {
		room_count_segment(spool, &segment, dropped);
		count_last_hole(spool, &next, dropped);
		room_add_losses(spool, dropped);
	}
	if (r == 0)
		r = spool_store(spool, true);
	if (r == 0)
		r = unlink_segment(spool, &segment);
	pthread_mutex_unlock(&spool->files);
	free(dropped);
	return r;
}

/* Whether the frame of the encoder has room in the folder. */
static bool spool_has_room(struct spool *spool)
{
	const struct spool_writer *writer = &spool->writer;
	uint64_t frame = writer->encoder.frame.len, more;
	bool yes;

	if (writer->file >= 0 && writer->listed && writer->written < spool->config.segment_bytes)
		more = spool_bytes_on_disk(writer->written + frame) -
		       spool_bytes_on_disk(writer->written);
	else
		more = spool_bytes_on_disk(sizeof(struct spool_segment_header) + frame);
	pthread_mutex_lock(&spool->lock);
	yes = spool->stats.bytes + more <= spool->config.limit_bytes;
	pthread_mutex_unlock(&spool->lock);
	return yes;
}

/* The segment that grows can go, too, if all of it is acknowledged. */
static void end_if_acknowledged(struct spool *spool)
{
	bool acknowledged;

	pthread_mutex_lock(&spool->lock);
	acknowledged = spool->slot.acknowledged == spool->slot.appended;
	pthread_mutex_unlock(&spool->lock);
	if (acknowledged)
		spool_end_segment(spool);
}

int spool_make_room(struct spool *spool)
{
	int r = 0;

	if (spool_has_room(spool))
		return 0;
	end_if_acknowledged(spool);
	spool_remove_acknowledged(spool);
	while (r == 0 && !spool_has_room(spool))
		r = spool->config.when_full == SPOOL_DROP_OLDEST ? room_drop_oldest(spool)
								 : -ENOBUFS;
	return r;
}

bool spool_free_some(struct spool *spool)
{
	size_t before = count_segments(spool), after;

	end_if_acknowledged(spool);
	spool_remove_acknowledged(spool);
	after = count_segments(spool);
	if (after < before)
		return true;
	return spool->config.when_full == SPOOL_DROP_OLDEST && after > 1 &&
	       room_drop_oldest(spool) == 0;
}

/* What was sent and what arrived: the promises that the state keeps over a crash. */

static int room_fail(const struct spool *spool, int code, struct error *err)
{
	return error_set(err, code, "cannot write the state of the spool %s: %s", spool->path,
			 strerror(-code));
}

/* With spool->lock held. */
static void remember_attempts(struct spool *spool)
{
	spool->before_attempt.attempted = spool->slot.attempted;
	spool->before_attempt.losses_attempted = spool->losses_attempted;
}

/* Stores what is attempted now; if that fails it is as before. changed: it is not stored yet. */
static int store_attempt(struct spool *spool, bool changed, struct error *err)
{
	int r = changed ? spool_store_state(spool, spool_syncs_always(spool)) : 0;

	if (r == 0)
		return 0;
	pthread_mutex_lock(&spool->lock);
	spool->slot.attempted = spool->before_attempt.attempted;
	spool->losses_attempted = spool->before_attempt.losses_attempted;
	pthread_mutex_unlock(&spool->lock);
	return room_fail(spool, r, err);
}

int spool_attempt(struct spool *spool, uint64_t position, struct error *err)
{
	bool is_later;

	pthread_mutex_lock(&spool->lock);
	remember_attempts(spool);
	is_later = position > spool->slot.attempted;
	if (is_later)
		spool->slot.attempted = position;
	pthread_mutex_unlock(&spool->lock);
	return store_attempt(spool, is_later, err);
}

void spool_withdraw(struct spool *spool)
{
	bool changed;

	pthread_mutex_lock(&spool->lock);
	changed = spool->slot.attempted != spool->before_attempt.attempted ||
		  spool->losses_attempted != spool->before_attempt.losses_attempted;
	spool->slot.attempted = spool->before_attempt.attempted;
	spool->losses_attempted = spool->before_attempt.losses_attempted;
	pthread_mutex_unlock(&spool->lock);
	/* What cannot be stored now is marked without need. */
	if (changed)
		spool_store_state(spool, false);
}

/* The record of the last batch at this position, or NULL. */
static const struct output_record *room_record_at(const struct spool_batch *batch,
						  uint64_t position)
{
	return position >= batch->first && position - batch->first < batch->count
		       ? &batch->records[position - batch->first]
		       : NULL;
}

int spool_acknowledge_record(struct spool *spool, uint64_t position, uint64_t number,
			     uint64_t next_ns, struct error *err)
{
	int r;

	if (position > spool->reader.position)
		return error_set(err, -EINVAL, "spool %s: record %llu was never read", spool->path,
				 (unsigned long long)position);
	pthread_mutex_lock(&spool->lock);
	if (position > spool->slot.acknowledged) {
		spool->stats.acknowledged += position - spool->slot.acknowledged;
		spool->slot.acknowledged = position;
		if (number > spool->slot.acknowledged_number)
			spool->slot.acknowledged_number = number;
		spool->stats.oldest_ns = position == spool->slot.appended ? 0
					 : next_ns			  ? next_ns
									  : spool->stats.oldest_ns;
	}
	pthread_mutex_unlock(&spool->lock);
	r = spool_store_state(spool, spool_syncs_always(spool));
	if (r == 0)
		r = spool_remove_acknowledged(spool);
	return r < 0 ? room_fail(spool, r, err) : 0;
}

int spool_acknowledge(struct spool *spool, uint64_t position, struct error *err)
{
	const struct spool_batch *batch = &spool->reader.batch;
	const struct output_record *record = room_record_at(batch, position);
	const struct output_record *next = room_record_at(batch, position + 1);

	return spool_acknowledge_record(spool, position, record ? record->number : 0,
					next ? next->ts_ns : 0, err);
}

void spool_lose_record(struct spool *spool, enum spool_cause cause,
		       const struct output_record *record)
{
	pthread_mutex_lock(&spool->lock);
	spool_losses_add(&spool->losses, cause, record->number, record->ts_ns, record->event);
	spool->stats.lost[cause]++;
	pthread_mutex_unlock(&spool->lock);
}

int spool_attempt_lost(struct spool *spool, struct error *err)
{
	bool is_first;

	pthread_mutex_lock(&spool->lock);
	remember_attempts(spool);
	is_first = !spool->losses_attempted;
	spool->losses_attempted = true;
	pthread_mutex_unlock(&spool->lock);
	return store_attempt(spool, is_first, err);
}

/* A record that was read, and whose file is gone, with spool->lock held. */
static void lose_left(struct spool *spool, uint64_t position, const struct output_record *record)
{
	/* Drop records of earlier runs were counted when they were read. */
	if (!(record->flags & RECORD_IS_DROP)) {
		spool_losses_add(&spool->losses, SPOOL_LOST_LIMIT, record->number, record->ts_ns,
				 record->event);
		spool->stats.lost[SPOOL_LOST_LIMIT]++;
	}
	if (position > spool->slot.acknowledged) {
		spool->slot.acknowledged = position;
		spool->slot.acknowledged_number = record->number;
	}
}

/* The same of one that no caller has counted. */
static void lose_unseen(struct spool *spool, uint64_t position, const struct output_record *record)
{
	if (record->flags & RECORD_IS_DROP)
		spool->stats.lost_old_drops += position <= spool->old_last;
	lose_left(spool, position, record);
}

/* What was read from `position` on and not taken, and the rest of the frame that it is of. */
static void leave_behind(struct spool *spool, uint64_t position, uint64_t kept)
{
	const struct spool_reader *reader = &spool->reader;
	const struct spool_batch *batch = &reader->batch;

	for (size_t i = 0; i < batch->count && batch->first + i < kept; i++)
		if (batch->first + i >= position)
			lose_unseen(spool, batch->first + i, &batch->records[i]);
	for (size_t i = reader->next; i < reader->frame.records && reader->frame.first + i < kept;
	     i++) {
		struct output_record record;

		spool_decoder_entry(&reader->decoder, &reader->frame, i, &record);
		lose_unseen(spool, reader->frame.first + i, &record);
	}
}

void spool_leave(struct spool *spool, uint64_t position, const struct output_record *records,
		 size_t count)
{
	uint64_t kept;

	pthread_mutex_lock(&spool->lock);
	kept = spool->segments.count ? spool->segments.items[0].first : spool->slot.appended + 1;
	if (!position)
		position = spool->slot.acknowledged + 1;
	for (size_t i = 0; i < count && position + i < kept; i++)
		lose_left(spool, position + i, &records[i]);
	leave_behind(spool, position + count, kept);
	pthread_mutex_unlock(&spool->lock);
	spool_store_state(spool, false);
}

int spool_lost_reported(struct spool *spool, struct error *err)
{
	int r;

	pthread_mutex_lock(&spool->lock);
	memset(&spool->given, 0, sizeof(spool->given));
	spool->given_redelivered = false;
	spool->losses_attempted = false;
	pthread_mutex_unlock(&spool->lock);
	r = spool_store_state(spool, spool_syncs_always(spool));
	return r < 0 ? room_fail(spool, r, err) : 0;
}

void spool_wake(struct spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	spool->woken = true;
	pthread_cond_signal(&spool->changed);
	pthread_mutex_unlock(&spool->lock);
}
