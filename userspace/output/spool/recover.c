/* SPDX-License-Identifier: MIT */
/*
 * What a spool is after a stop of any kind: the state is loaded, or made anew from the segments;
 * the end of the last segment is looked for and what follows it is cut off. No other segment is
 * read.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"

/* What the end of the last segment says. */
struct tail {
	uint64_t last; /* position of its last record */
	uint64_t number, ts_ns; /* of this record; 0: not known */
	uint64_t end; /* of the last valid frame */
	bool has_frames;
	bool unreadable; /* its header is corrupt: what it had is not known */
	char stream[SPOOL_STREAM_BYTES];
};

static int recover_read_stream(int fd, uint64_t first, char stream[SPOOL_STREAM_BYTES])
{
	struct spool_segment_header header;
	int r = spool_segment_read_header(fd, first, &header);

	if (r == 0)
		memcpy(stream, header.stream, SPOOL_STREAM_BYTES);
	return r;
}

/*
 * Frames with the position `limit` are the rest of a write that failed. Returns 0, or -errno:
 * -EBADMSG if the header of the segment is corrupt.
 */
static int read_tail(struct spool *spool, const struct spool_segment *segment, uint64_t limit,
		     struct tail *tail)
{
	struct spool_frame_header frame;
	struct spool_scan scan;
	int r = spool_scan_open(&scan, spool->folder, segment);

	*tail = (struct tail){.last = segment->first - 1,
			      .end = sizeof(struct spool_segment_header)};
	if (r < 0)
		return r;
	recover_read_stream(scan.fd, segment->first, tail->stream);
	scan.limit = limit;
	while ((r = spool_scan_next(&scan, &frame)) == 1) {
		tail->has_frames = true;
		tail->last = spool_frame_last(&frame);
		tail->number = frame.last_number;
		tail->ts_ns = frame.last_ns;
		tail->end = scan.at;
	}
	close(scan.fd);
	return r;
}

/* Cuts off what a write that did not end has left. */
static int recover_cut_tail(struct spool *spool, struct spool_segment *segment,
			    const struct tail *tail)
{
	char name[SPOOL_NAME_BYTES];
	int fd, r = 0;

	if (tail->end >= segment->bytes)
		return 0;
	spool_segment_name(segment->first, name);
	fd = openat(spool->folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)tail->end))
		r = -errno;
	close(fd);
	spool->stats.skipped_bytes += segment->bytes - tail->end;
	segment->bytes = tail->end;
	return r;
}

static int remove_last(struct spool *spool)
{
	struct spool_segment *segment = &spool->segments.items[spool->segments.count - 1];
	char name[SPOOL_NAME_BYTES];

	spool->stats.skipped_bytes += segment->bytes;
	spool->segments.count--;
	spool_segment_name(segment->first, name);
	return unlinkat(spool->folder, name, 0) ? -errno : 0;
}

/*
 * The last segment cannot be read: at least one of its positions is used, and numbers behind those
 * of the segments before it.
 */
static int replace_tail(struct spool *spool, const struct spool_segment *last, struct tail *tail)
{
	uint64_t limit = last->first;
	struct tail before = {0};
	int r = -EBADMSG;

	for (size_t i = spool->segments.count - 1; i && (r == -EBADMSG || !before.has_frames);
	     i--) {
		r = read_tail(spool, &spool->segments.items[i - 1], limit, &before);
		limit = spool->segments.items[i - 1].first;
	}
	*tail = (struct tail){.last = last->first, .unreadable = true};
	if (r < 0 || !before.has_frames)
		return r == -EBADMSG ? 0 : r;
	tail->number = before.number + SPOOL_RESERVED_NUMBERS;
	memcpy(tail->stream, before.stream, sizeof(tail->stream));
	return 0;
}

/*
 * Finds the last record. A segment at the end without any frame is one whose first write did not
 * end: it is removed.
 */
static int find_tail(struct spool *spool, uint64_t limit, struct tail *tail)
{
	int r = 0;

	*tail = (struct tail){0};
	while (r == 0 && spool->segments.count) {
		struct spool_segment *last = &spool->segments.items[spool->segments.count - 1];
		bool could_have = last->bytes > sizeof(struct spool_segment_header) +
							sizeof(struct spool_frame_header);

		r = read_tail(spool, last, limit, tail);
		if (r == -EBADMSG && could_have) {
			return replace_tail(spool, last, tail);
		}
		if (r < 0 && r != -EBADMSG)
			return r;
		if (tail->has_frames)
			return recover_cut_tail(spool, last, tail);
		r = remove_last(spool);
	}
	return r;
}

static int recover_make_stream(struct spool_slot *slot)
{
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
		return -EIO;
	for (int i = 0; i < SPOOL_STREAM_BYTES; i++)
		slot->stream[i] = "0123456789abcdef"[bits >> 4 * i & 15];
	return 0;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Without a state nobody knows what was sent: everything may have been. */
static int rebuild(struct spool *spool, const struct tail *tail)
{
	struct spool_slot *slot = &spool->slot;

	spool->stats.rebuilt = spool->segments.count > 0;
	if (!spool->segments.count)
		return recover_make_stream(slot);
	slot->acknowledged = spool->segments.items[0].first - 1;
	slot->appended = slot->attempted = tail->last;
	slot->number = slot->reserved = tail->number;
	if (!tail->stream[0])
		return recover_make_stream(slot);
	memcpy(slot->stream, tail->stream, sizeof(slot->stream));
	return 0;
}

/*
 * The machine stopped with records that were not on disk: their numbers stay used, and all that is
 * left may have been sent.
 */
static void recover_from_power_loss(struct spool *spool, const struct tail *tail)
{
	struct spool_slot *slot = &spool->slot;
	uint64_t left =
		max(tail->has_frames ? tail->number : slot->number, slot->acknowledged_number);
	struct spool_loss loss = {.from = left + 1, .to = max(slot->number, slot->reserved)};

	if (tail->has_frames) {
		slot->appended = tail->last;
		slot->acknowledged =
			slot->acknowledged < tail->last ? slot->acknowledged : tail->last;
	}
	slot->attempted = slot->appended;
	loss.count = loss.to - left;
	spool_loss_merge(&spool->losses.causes[SPOOL_LOST_POWER], &loss);
	spool->stats.lost[SPOOL_LOST_POWER] += loss.count;
	slot->number = loss.to;
}

static void recover_take_losses(struct spool *spool)
{
	const struct spool_slot *slot = &spool->slot;

	for (unsigned int cause = 0; cause < slot->losses_count && cause < SPOOL_CAUSES; cause++) {
		const struct spool_slot_loss *stored = &slot->losses[cause];
		struct spool_loss loss = {stored->from, stored->to, stored->count, stored->first_ns,
					  stored->last_ns};

		spool_loss_merge(&spool->losses.causes[cause], &loss);
		spool->losses_attempted |= loss.count > 0 && !slot->losses_unsaid;
	}
	spool->losses_redelivered = spool->losses_attempted;
}

static void adjust(struct spool *spool, const struct tail *tail)
{
	struct spool_slot *slot = &spool->slot;
	uint8_t boot[SPOOL_BOOT_BYTES];

	recover_take_losses(spool);
	if (!tail->unreadable)
		slot->number = max(slot->number, tail->number);
	else if (!slot->closed)
		slot->number = max(slot->number, slot->reserved);
	slot->appended =
		max(max(slot->appended, slot->attempted), max(slot->acknowledged, tail->last));
	spool_boot_id(boot);
	if (!slot->closed && memcmp(boot, slot->boot, sizeof(boot)) != 0)
		recover_from_power_loss(spool, tail);
}

/* What the run before left, to be known before this one changes it. */
static void look_back(struct spool *spool, const struct tail *tail, bool has_state, bool corrupt)
{
	const struct spool_slot *slot = &spool->slot;

	/* Without a state nobody knows; with neither state nor segments there was no run. */
	spool->before.was_interrupted =
		has_state ? !slot->closed : corrupt || spool->segments.count > 0;
	spool->before.known_ns =
		tail->number >= slot->number ? max(slot->known_ns, tail->ts_ns) : slot->known_ns;
}

/* Of what the limit cost nothing is left to read, even if its file is. */
static void skip_dropped(struct spool *spool)
{
	struct spool_slot *slot = &spool->slot;

	if (slot->dropped_to && slot->acknowledged + 1 >= slot->dropped_from &&
	    slot->acknowledged < slot->dropped_to && slot->dropped_to <= slot->appended)
		slot->acknowledged = slot->dropped_to;
}

int spool_recover(struct spool *spool, struct error *err)
{
	bool corrupt, has_state;
	struct tail tail;
	int r = spool_state_open(&spool->state, spool->folder, &corrupt);

	has_state = r == 1;
	if (r >= 0)
		r = spool_folder_list(spool->folder, &spool->segments);
	spool->slot = spool->state.slot;
	if (r == 0)
		r = find_tail(spool,
			      spool->slot.closed ? spool->slot.appended + 1 : SPOOL_POSITION_MAX,
			      &tail);
	if (r == 0)
		look_back(spool, &tail, has_state, corrupt);
	if (r == 0 && has_state)
		adjust(spool, &tail);
	else if (r == 0)
		r = rebuild(spool, &tail);
	if (r < 0)
		return error_set(err, r, "cannot use the spool %s: %s", spool->path,
				 r == -EPROTONOSUPPORT ? "it is of a later version of the agent"
						       : strerror(-r));
	skip_dropped(spool);
	spool->stats.rebuilt |= corrupt;
	spool_boot_id(spool->slot.boot);
	spool->slot.closed = 0;
	for (size_t i = 0; i < spool->segments.count; i++)
		spool->stats.bytes += spool_bytes_on_disk(spool->segments.items[i].bytes);
	return 0;
}
