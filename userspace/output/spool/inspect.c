/* SPDX-License-Identifier: MIT */
/* A visit to the segments of a spool: headers, or all records and their checksums. */
#include "output/spool/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/frame.h"
#include "output/spool/state.h"
#include "util/value.h"

const char *const spool_damage_texts[SPOOL_DAMAGES] = {
	[SPOOL_BAD_HEADER] = "the header of the segment is corrupt",
	[SPOOL_LATER_VERSION] = "the segment is of a later version",
	[SPOOL_NO_FRAME] = "no valid frame",
	[SPOOL_BAD_FRAME] = "the frame is corrupt",
	[SPOOL_BAD_RECORD] = "the record is corrupt",
	[SPOOL_MISSING] = "records are missing",
};

struct visit {
	const struct spool_visitor *visitor;
	int folder; /* owned */
	struct spool_decoder decoder;
	struct spool_segments segments;
	struct spool_segment_summary summary; /* of the current segment */
	uint64_t position, number; /* of the last record so far; 0: none */
	bool grows; /* the current segment: at its end a write may be under way */
	uint64_t limit; /* position that the segment behind it begins with */
	bool stopped; /* the visitor does not want more */
};

static void inspect_report(const struct visit *visit, const struct spool_problem *problem)
{
	if (visit->visitor->problem)
		visit->visitor->problem(visit->visitor->context, problem);
}

static bool inspect_read_text(int folder, const char *name, char *text, size_t size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len >= 0;
}

/* The process that holds the lock; trying it takes it only for a moment, and only if it is free. */
static pid_t find_user(int folder)
{
	int fd = openat(folder, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool free_now = fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0;
	char text[16];
	pid_t pid = 0;

	if (fd >= 0)
		close(fd);
	if (free_now || !inspect_read_text(folder, "lock", text, sizeof(text)))
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return value_read_pid(text, &pid) ? pid : 0;
}

/* Returns whether there is a file for the state, or -errno. */
static int load_state(int folder, struct spool_summary *summary)
{
	int fd = openat(folder, "state", O_RDONLY | O_CLOEXEC | O_NOFOLLOW), r;
	struct spool_slot slot;
	bool corrupt;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	r = spool_state_load(fd, &slot, &corrupt);
	close(fd);
	if (r <= 0)
		return r ? r : 1;
	summary->has_state = true;
	summary->closed = slot.closed;
	memcpy(summary->stream, slot.stream, SPOOL_STREAM_BYTES);
	summary->acknowledged = slot.acknowledged;
	summary->attempted = slot.attempted;
	return 1;
}

static void visit_record(struct visit *visit, const struct spool_scan *scan,
			 const struct spool_frame_header *frame, size_t i)
{
	const struct spool_visitor *visitor = visit->visitor;
	struct output_record record;

	spool_decoder_record(&visit->decoder, frame, i, &record);
	if (!spool_record_is_valid(&visit->decoder, i))
		inspect_report(visit,
			       &(struct spool_problem){SPOOL_BAD_RECORD, visit->summary.first,
						       scan->frame, spool_frame_bytes(frame),
						       record.number, record.number, 1});
	else if (visitor->record && !visitor->record(visitor->context, &record, frame->first + i))
		visit->stopped = true;
}

static int visit_records(struct visit *visit, const struct spool_scan *scan,
			 const struct spool_frame_header *frame)
{
	int r = spool_decode(&visit->decoder, scan->fd, scan->frame, frame);

	if (r == -EBADMSG) {
		inspect_report(visit, &(struct spool_problem){SPOOL_BAD_FRAME, visit->summary.first,
							      scan->frame, spool_frame_bytes(frame),
							      frame->first_number,
							      frame->last_number, frame->records});
		return 0;
	}
	for (size_t i = 0; r == 0 && i < visit->decoder.count && !visit->stopped; i++)
		visit_record(visit, scan, frame, i);
	return r;
}

/* Records are missing in front of this frame if positions do not go on. */
static void check_order(struct visit *visit, const struct spool_frame_header *frame)
{
	if (visit->position && frame->first > visit->position + 1)
		inspect_report(visit, &(struct spool_problem){.damage = SPOOL_MISSING,
							      .segment = visit->summary.first,
							      .from = visit->number + 1,
							      .to = frame->first_number - 1,
							      .records = frame->first -
									 visit->position - 1});
	visit->position = spool_frame_last(frame);
	visit->number = frame->last_number;
}

static void add_frame(struct spool_segment_summary *summary, const struct spool_frame_header *frame)
{
	if (!summary->frames++) {
		summary->first_number = frame->first_number;
		summary->first_ns = frame->first_ns;
	}
	summary->last = spool_frame_last(frame);
	summary->last_number = frame->last_number;
	summary->last_ns = frame->last_ns;
	summary->records += frame->records;
}

static int visit_frames(struct visit *visit, struct spool_scan *scan)
{
	struct spool_frame_header frame;
	int r = 0, found = 0;

	while (r == 0 && !visit->stopped) {
		uint64_t skipped = scan->skipped, at = scan->at;

		found = spool_scan_next(scan, &frame);
		if (scan->skipped > skipped && (found == 1 || !visit->grows))
			inspect_report(visit,
				       &(struct spool_problem){.damage = SPOOL_NO_FRAME,
							       .segment = visit->summary.first,
							       .offset = at,
							       .bytes = scan->skipped - skipped});
		if (found <= 0)
			break;
		check_order(visit, &frame);
		add_frame(&visit->summary, &frame);
		if (visit->visitor->records)
			r = visit_records(visit, scan, &frame);
	}
	return found < 0 ? found : r;
}

static int visit_segment(struct visit *visit, const struct spool_segment *segment)
{
	const struct spool_visitor *visitor = visit->visitor;
	struct spool_scan scan;
	int r = spool_scan_open(&scan, visit->folder, segment);

	visit->summary = (struct spool_segment_summary){
		.first = segment->first, .last = segment->first - 1, .bytes = segment->bytes};
	if (r == -ENOENT) /* removed in the meantime */
		return 0;
	if (r == -EBADMSG || r == -EPROTONOSUPPORT) {
		inspect_report(visit, &(struct spool_problem){
					      .damage = r == -EBADMSG ? SPOOL_BAD_HEADER
								      : SPOOL_LATER_VERSION,
					      .segment = segment->first,
					      .bytes = segment->bytes});
		r = 0;
	} else if (r == 0) {
		scan.limit = visit->limit;
		r = visit_frames(visit, &scan);
		close(scan.fd);
	}
	if (r == 0 && visitor->segment)
		visitor->segment(visitor->context, &visit->summary);
	return r;
}

static int visit_all(struct visit *visit, struct spool_summary *summary)
{
	int has_file = load_state(visit->folder, summary), r = has_file;

	if (r >= 0)
		r = spool_folder_list(visit->folder, &visit->segments);
	if (r == 0 && !has_file && visit->segments.count == 0)
		r = -ENODATA;
	for (size_t i = 0; i < visit->segments.count; i++)
		summary->bytes += visit->segments.items[i].bytes;
	for (size_t i = 0; r == 0 && i < visit->segments.count && !visit->stopped; i++) {
		bool last = i + 1 == visit->segments.count;

		visit->grows = summary->user && last;
		visit->limit = last ? SPOOL_POSITION_MAX : visit->segments.items[i + 1].first;
		r = visit_segment(visit, &visit->segments.items[i]);
	}
	return r;
}

int spool_inspect(const char *path, const struct spool_visitor *visitor,
		  struct spool_summary *summary, struct error *err)
{
	struct visit visit = {.visitor = visitor};
	int r = spool_decoder_init(&visit.decoder);

	*summary = (struct spool_summary){0};
	visit.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (visit.folder < 0)
		r = -errno;
	if (r == 0) {
		summary->user = find_user(visit.folder);
		r = visit_all(&visit, summary);
	}
	if (visit.folder >= 0)
		close(visit.folder);
	free(visit.segments.items);
	spool_decoder_finish(&visit.decoder);
	if (r == -EPROTONOSUPPORT)
		return error_set(err, r, "the spool %s is of a later version of the agent", path);
	if (r == -ENODATA)
		return error_set(err, r, "%s is no spool: it has neither a state nor segments",
				 path);
	if (r < 0)
		return error_set(err, r, "cannot read the spool %s: %s", path, strerror(-r));
	return 0;
}
