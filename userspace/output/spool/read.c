/* SPDX-License-Identifier: MIT */
/* The reading side: from frame to frame and from segment to segment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "util/clock.h"

/* So often a read is tried again before what it should give counts as corrupt. */
enum { TRIES = 3 };

/* What came of a look for the next frame. */
enum found { FOUND_NONE, FOUND_FRAME, FOUND_AGAIN };

static void read_lose(struct spool *spool, enum spool_cause cause, const struct spool_loss *loss)
{
	pthread_mutex_lock(&spool->lock);
	spool_loss_merge(&spool->losses.causes[cause], loss);
	spool->stats.lost[cause] += loss->count;
	pthread_mutex_unlock(&spool->lock);
}

/* The record at a position that is lost, with its type. */
static void lose_record(struct spool *spool, uint64_t position, const struct output_record *record)
{
	struct output_record lost = *record;
	bool is_drop = (record->flags & RECORD_IS_DROP) != 0;

	/* A drop record has no type, and what it said was counted. */
	if (is_drop)
		lost.event = EVENT_ID_MAX;
	spool_lose_record(spool, SPOOL_LOST_CORRUPT, &lost);
	if (!is_drop)
		return;
	pthread_mutex_lock(&spool->lock);
	spool->stats.lost[SPOOL_LOST_CORRUPT]--;
	spool->stats.lost_old_drops += position <= spool->old_last;
	pthread_mutex_unlock(&spool->lock);
}

static void count_skipped(struct spool *spool, uint64_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&spool->lock);
	spool->stats.skipped_bytes += bytes;
	pthread_mutex_unlock(&spool->lock);
}

/* How many positions of a range were dropped, and are counted as that. */
static uint64_t dropped_of(const struct spool_slot *slot, uint64_t from, uint64_t to)
{
	from = from < slot->dropped_from ? slot->dropped_from : from;
	to = to > slot->dropped_to ? slot->dropped_to : to;
	return from <= to ? to - from + 1 : 0;
}

/* Counts what is missing in front of the frame that was found, but for what the limit took. */
static void count_gap(struct spool *spool, const struct spool_frame_header *frame, uint64_t dropped)
{
	struct spool_reader *reader = &spool->reader;
	struct spool_loss loss = {.from = reader->number + 1, .to = frame->first_number - 1};

	if (frame->first <= reader->position + 1)
		return;
	loss.count = frame->first - 1 - reader->position - dropped;
	if (loss.count && loss.to < loss.from)
		loss.to = loss.from;
	read_lose(spool, dropped ? SPOOL_LOST_LIMIT : SPOOL_LOST_CORRUPT, &loss);
	reader->position = frame->first - 1;
	reader->number = frame->first_number - 1;
}

static void close_segment(struct spool_reader *reader)
{
	if (reader->scan.fd >= 0)
		close(reader->scan.fd);
	reader->scan.fd = -1;
	reader->segment = 0;
}

/*
 * Claims a frame before it is given out, so that it is not counted as dropped. dropped: how many
 * before it were: at once, as the next that is dropped may not be behind these. Returns false if
 * its segment was dropped in the meantime.
 */
static bool read_claim(struct spool *spool, const struct spool_frame_header *frame,
		       uint64_t *dropped)
{
	bool there;

	pthread_mutex_lock(&spool->lock);
	there = spool->segments.count && spool->segments.items[0].first <= spool->reader.segment;
	*dropped = 0;
	if (there) {
		spool->claimed = spool_frame_last(frame);
		*dropped = dropped_of(&spool->slot, spool->reader.position + 1, frame->first - 1);
	}
	pthread_mutex_unlock(&spool->lock);
	return there;
}

/*
 * Finds where to go on: the segment that is read, or the one that has the next record, or the one
 * behind `after`. limit: the position behind its last record; last: it is the last one. Returns
 * false if there is none.
 */
static bool choose_segment(struct spool *spool, uint64_t after, struct spool_segment *segment,
			   uint64_t *limit, bool *last)
{
	const struct spool_segments *segments = &spool->segments;
	struct spool_reader *reader = &spool->reader;
	bool found = false;

	pthread_mutex_lock(&spool->lock);
	reader->seen = spool->appends;
	if (segments->count) {
		size_t i = spool_segments_find(segments, reader->position + 1);

		while (i < segments->count && segments->items[i].first <= after)
			i++;
		found = i < segments->count;
		if (found) {
			*segment = segments->items[i];
			*limit = spool_segment_last(spool, i) + 1;
			*last = i + 1 == segments->count;
		}
	}
	pthread_mutex_unlock(&spool->lock);
	return found;
}

static int read_pass_over(struct spool *spool, const struct spool_segment *segment)
{
	spool->reader.passed = segment->first;
	return FOUND_AGAIN;
}

/* Whether what cannot be read now will never be. */
static bool is_lasting(struct spool_reader *reader, int code)
{
	switch (code) {
	case -EBADMSG:
	case -ENOENT:
	case -ELOOP:
	case -EPROTONOSUPPORT:
		return true;
	case -EIO:
	case -EUCLEAN:
		return ++reader->failures >= TRIES;
	}
	return false;
}

/* Opens another segment. One that cannot be opened, or has no valid header, is passed over. */
static int open_segment(struct spool *spool, const struct spool_segment *segment)
{
	struct spool_reader *reader = &spool->reader;
	int r;

	close_segment(reader);
	r = spool_scan_open(&reader->scan, spool->folder, segment);
	if (r == 0) {
		reader->segment = segment->first;
		return FOUND_FRAME;
	}
	if (!is_lasting(reader, r))
		return r;
	count_skipped(spool, segment->bytes);
	return read_pass_over(spool, segment);
}

/* Reads the frame that the scan found. */
static int take_frame(struct spool *spool, const struct spool_frame_header *frame)
{
	struct spool_reader *reader = &spool->reader;
	uint64_t dropped;
	int r;

	if (spool_frame_last(frame) <= reader->position)
		return FOUND_AGAIN;
	if (!read_claim(spool, frame, &dropped)) {
		close_segment(reader);
		return FOUND_AGAIN;
	}
	count_gap(spool, frame, dropped);
	r = spool_decode(&reader->decoder, reader->scan.fd, reader->scan.frame, frame);
	if (r < 0) {
		reader->scan.at = reader->scan.frame; /* to be tried again */
		return r;
	}
	reader->frame = *frame;
	reader->next = reader->position + 1 - frame->first;
	return FOUND_FRAME;
}

/* The frame is there and cannot be read: what is known of its records is counted. */
static void lose_frame(struct spool *spool, const struct spool_frame_header *frame)
{
	struct spool_reader *reader = &spool->reader;
	const struct spool_decoder *decoder = &reader->decoder;
	uint64_t skip = reader->position + 1 - frame->first;
	struct spool_loss loss = {frame->first_number, frame->last_number, frame->records - skip,
				  frame->first_ns, frame->last_ns};

	if (!decoder->count)
		read_lose(spool, SPOOL_LOST_CORRUPT, &loss);
	for (size_t i = skip; i < decoder->count; i++) {
		struct output_record record;

		spool_decoder_entry(decoder, frame, i, &record);
		lose_record(spool, frame->first + i, &record);
	}
	reader->position = spool_frame_last(frame);
	reader->number = frame->last_number;
	reader->scan.at = reader->scan.frame + spool_frame_bytes(frame);
}

/* Looks for a frame in the open segment. Returns enum found or -errno. */
static int find_frame(struct spool *spool, const struct spool_segment *segment, bool last)
{
	struct spool_reader *reader = &spool->reader;
	uint64_t skipped = reader->scan.skipped;
	struct spool_frame_header frame;
	int r;

	reader->scan.end = segment->bytes;
	r = spool_scan_next(&reader->scan, &frame);
	count_skipped(spool, reader->scan.skipped - skipped);
	if (r < 0)
		return is_lasting(reader, r) ? read_pass_over(spool, segment) : r;
	if (r == 0)
		return last ? FOUND_NONE : read_pass_over(spool, segment);
	r = take_frame(spool, &frame);
	if (r < 0 && is_lasting(reader, r)) {
		lose_frame(spool, &frame);
		r = FOUND_AGAIN;
	}
	return r;
}

/* One step to the next frame. Returns enum found or -errno. */
static int read_step(struct spool *spool)
{
	struct spool_reader *reader = &spool->reader;
	struct spool_segment segment;
	uint64_t limit;
	bool last;
	int r = FOUND_FRAME;

	if (!choose_segment(spool, reader->passed, &segment, &limit, &last))
		return FOUND_NONE;
	if (reader->segment != segment.first)
		r = open_segment(spool, &segment);
	/* What the next segment has, too, is the rest of a write that failed. */
	reader->scan.limit = limit;
	if (r == FOUND_FRAME)
		r = find_frame(spool, &segment, last);
	if (r >= 0)
		reader->failures = 0;
	return r;
}

/* Waits until something is appended. Returns false at the deadline, or if it is woken. */
static bool read_wait_for_more(struct spool *spool, uint64_t deadline_ns)
{
	struct timespec deadline = clock_timespec(deadline_ns);
	bool more;
	int r = 0;

	pthread_mutex_lock(&spool->lock);
	while (r == 0 && !spool->woken && spool->appends == spool->reader.seen)
		r = pthread_cond_timedwait(&spool->changed, &spool->lock, &deadline);
	more = spool->appends != spool->reader.seen && !spool->woken;
	spool->woken = false;
	pthread_mutex_unlock(&spool->lock);
	return more;
}

/* Passes over records whose checksum is wrong. */
static void pass_corrupt(struct spool *spool)
{
	struct spool_reader *reader = &spool->reader;
	struct output_record record;

	for (; reader->next < reader->frame.records &&
	       !spool_record_is_valid(&reader->decoder, reader->next);
	     reader->next++) {
		spool_decoder_entry(&reader->decoder, &reader->frame, reader->next, &record);
		lose_record(spool, reader->position + 1, &record);
		reader->position++;
		reader->number = record.number;
	}
}

static int reserve_records(struct spool_reader *reader, size_t count)
{
	struct output_record *larger;

	if (count <= reader->records_capacity)
		return 0;
	larger = realloc(reader->records, count * sizeof(larger[0]));
	if (!larger)
		return -ENOMEM;
	reader->records = larger;
	reader->records_capacity = count;
	return 0;
}

/* Makes a batch of the records of the frame, up to one whose checksum is wrong. */
static void read_take_run(struct spool_reader *reader, uint64_t attempted)
{
	struct spool_batch *batch = &reader->batch;

	*batch = (struct spool_batch){.records = reader->records, .first = reader->position + 1};
	while (reader->next < reader->frame.records &&
	       spool_record_is_valid(&reader->decoder, reader->next)) {
		struct output_record *record = &reader->records[batch->count++];

		spool_decoder_record(&reader->decoder, &reader->frame, reader->next++, record);
		record->flags &= (uint8_t)~RECORD_REDELIVERED;
		if (++reader->position <= attempted)
			record->flags |= RECORD_REDELIVERED;
		batch->bytes += record->len;
		reader->number = record->number;
	}
	if (batch->count)
		batch->data = batch->records[0].bytes;
}

const struct spool_losses *spool_lost(struct spool *spool, bool *redelivered)
{
	bool lost;

	pthread_mutex_lock(&spool->lock);
	if (spool_losses_any(&spool->losses)) {
		spool_losses_merge(&spool->given, &spool->losses);
		memset(&spool->losses, 0, sizeof(spool->losses));
		spool->given_redelivered |= spool->losses_redelivered;
		spool->losses_redelivered = false;
	}
	lost = spool_losses_any(&spool->given);
	*redelivered = spool->given_redelivered;
	pthread_mutex_unlock(&spool->lock);
	return lost ? &spool->given : NULL;
}

/* The position up to which an earlier run, or this one, may have sent records. */
static uint64_t attempted_position(struct spool *spool)
{
	uint64_t attempted;

	pthread_mutex_lock(&spool->lock);
	attempted = spool->slot.attempted;
	pthread_mutex_unlock(&spool->lock);
	return attempted;
}

static void count_batch(struct spool *spool, const struct spool_batch *batch)
{
	uint64_t redelivered = 0;

	for (size_t i = 0; i < batch->count; i++)
		redelivered += (batch->records[i].flags & RECORD_REDELIVERED) != 0;
	pthread_mutex_lock(&spool->lock);
	spool->stats.redelivered += redelivered;
	if (spool->slot.acknowledged + 1 >= batch->first)
		spool->stats.oldest_ns = batch->records[0].ts_ns;
	pthread_mutex_unlock(&spool->lock);
}

/* Makes the next batch of the frame. Returns 1, 0 if nothing of it is left, or -errno. */
static int next_batch(struct spool *spool)
{
	struct spool_reader *reader = &spool->reader;
	struct spool_batch *batch = &reader->batch;

	pass_corrupt(spool);
	if (reader->next == reader->frame.records)
		return 0;
	if (reserve_records(reader, reader->frame.records))
		return -ENOMEM;
	read_take_run(reader, attempted_position(spool));
	batch->lost = spool_lost(spool, &batch->lost_redelivered);
	count_batch(spool, batch);
	return 1;
}

int spool_read(struct spool *spool, uint64_t timeout_ns, struct spool_batch *batch,
	       struct error *err)
{
	struct spool_reader *reader = &spool->reader;
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + timeout_ns;
	int r = 0;

	for (;;) {
		if (reader->next < reader->frame.records)
			r = next_batch(spool);
		if (r)
			break;
		r = read_step(spool);
		if (r < 0)
			break;
		if (r == FOUND_NONE && !read_wait_for_more(spool, deadline_ns))
			return 0;
		r = 0;
	}
	if (r < 0)
		return error_set(err, r, "cannot read the spool %s: %s", spool->path, strerror(-r));
	*batch = reader->batch;
	return 1;
}
