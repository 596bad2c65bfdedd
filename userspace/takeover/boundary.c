/* SPDX-License-Identifier: MIT */
/*
 * The boundary between two captures: the hashes of events, what is held, the end of one capture,
 * the begin of the other.
 */
#include "takeover/boundary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi.h"
#include "scap/live/live.h"
#include "util/clock.h"
#include "util/hash.h"

/* The hash of a frame without its times, and without what only some captures ask for. */

/* A piece of the bytes behind a header. */
struct frame_piece {
	size_t at, len;
};

/*
 * The parameter of which captures have more or less, plus 1; 0: none. The environment of a program;
 * and data, of which a capture takes as much as it was told of the socket.
 */
static unsigned int varying_param(const struct ppm_evt_hdr *header)
{
	const struct event_desc *desc = event_desc_get(header->type);
	unsigned int at = 0;

	if (!desc)
		return 0;
	if (!(desc->flags & EF_STREAMS))
		return desc->runs.env;
	while (at < desc->nparams && desc->params[at].type != PT_BYTEBUF)
		at++;
	return at < desc->nparams ? at + 1 : 0;
}

/* The bytes of a parameter, which it is plus 1; none of 0. len: of all these bytes. */
static struct frame_piece piece_of(const struct ppm_evt_hdr *header, unsigned int param,
				   const char *bytes, size_t len)
{
	size_t at = header->nparams * sizeof(uint16_t);
	uint16_t length = 0;

	if (!param || param > header->nparams || at > len)
		return (struct frame_piece){0};
	for (unsigned int i = 0; i < param; i++) {
		at += length;
		memcpy(&length, bytes + i * sizeof(length), sizeof(length));
	}
	return at + length <= len ? (struct frame_piece){at, length} : (struct frame_piece){0};
}

/* As if what varies were not there; takes its length from that in the header. */
static uint32_t hash_values(struct ppm_evt_hdr *header, const char *bytes, size_t len)
{
	unsigned int param = varying_param(header);
	struct frame_piece varying = piece_of(header, param, bytes, len);
	size_t length_at, from, end = varying.at + varying.len;
	uint32_t pieces[3];

	header->len = (uint32_t)(len - varying.len);
	if (!varying.at)
		return hash_bytes(bytes, len);
	length_at = (param - 1) * sizeof(uint16_t);
	from = length_at + sizeof(uint16_t);
	pieces[0] = hash_bytes(bytes, length_at);
	pieces[1] = hash_bytes(bytes + from, varying.at - from);
	pieces[2] = hash_bytes(bytes + end, len - end);
	return hash_bytes(pieces, sizeof(pieces));
}

uint64_t boundary_frame_hash(const struct scap_event *event)
{
	struct ppm_evt_hdr header = boundary_frame_header(event);
	size_t len = event->len - sizeof(header);
	uint32_t values;

	if (len >= event_extra_bytes(header.nparams))
		len -= event_extra_bytes(header.nparams);
	header.ts = 0;
	header.nparams &= ~FRAME_EXTRAS;
	values = hash_values(&header, (const char *)event->frame + sizeof(header), len);
	return (uint64_t)hash_bytes(&header, sizeof(header)) << 32 | values;
}

/* A piece of memory for events before a source: what is in it comes first. */

struct boundary_queue {
	struct scap_source source;
	struct scap_source *inner;
	char *bytes; /* of each event a struct scap_event, then its frame, both aligned; or NULL */
	size_t bytes_max, end, at; /* the next one is at `at` */
	int code; /* what ended the inner source: -ENODATA or another -errno; 0: nothing did */
};

static size_t aligned(size_t bytes)
{
	return (bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

/* The largest event that is kept. */
static size_t largest(void)
{
	return aligned(sizeof(struct scap_event)) + aligned(FRAME_BYTES_MAX);
}

static void boundary_give(struct boundary_queue *queue, struct scap_event *event)
{
	memcpy(event, queue->bytes + queue->at, sizeof(*event));
	queue->at += aligned(sizeof(*event)) + aligned(event->len);
}

/* All of it was given: what was given last is no longer valid. */
static void free_bytes(struct boundary_queue *queue)
{
	free(queue->bytes);
	queue->bytes = NULL;
	queue->end = queue->at = 0;
}

static int queue_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct boundary_queue *queue = (struct boundary_queue *)source;

	if (!boundary_queue_is_empty(queue)) {
		boundary_give(queue, event);
		return 1;
	}
	free_bytes(queue);
	return queue->code ? queue->code : scap_source_next(queue->inner, timeout_ms, event);
}

static void queue_destroy(struct scap_source *source)
{
	struct boundary_queue *queue = (struct boundary_queue *)source;

	free(queue->bytes);
	free(queue);
}

static uint64_t queue_settled(const struct scap_source *source)
{
	const struct boundary_queue *queue = (const struct boundary_queue *)source;

	return boundary_queue_is_empty(queue) ? scap_source_settled(queue->inner) : 0;
}

static const struct scap_source_ops queue_ops = {
	.next = queue_next,
	.destroy = queue_destroy,
	.settled = queue_settled,
};

int boundary_queue_create(struct scap_source *inner, size_t bytes_max,
			  struct boundary_queue **queue)
{
	struct boundary_queue *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->bytes_max = bytes_max > largest() ? bytes_max : largest();
	made->source.ops = &queue_ops;
	made->inner = inner;
	*queue = made;
	return 0;
}

struct scap_source *boundary_queue_source(struct boundary_queue *queue)
{
	return &queue->source;
}

static void queue_keep(struct boundary_queue *queue, const struct scap_event *event)
{
	char *frame = queue->bytes + queue->end + aligned(sizeof(*event));
	struct scap_event kept = *event;

	kept.frame = frame;
	memcpy(queue->bytes + queue->end, &kept, sizeof(kept));
	memcpy(frame, event->frame, event->len);
	queue->end += aligned(sizeof(kept)) + aligned(event->len);
}

int boundary_queue_fill(struct boundary_queue *queue, int timeout_ms)
{
	struct scap_event event;
	int got = 1;

	if (!queue->bytes)
		queue->bytes = malloc(queue->bytes_max);
	if (!queue->bytes)
		return -ENOMEM;
	while (got == 1 && !queue->code && queue->bytes_max - queue->end >= largest()) {
		got = scap_source_next(queue->inner, timeout_ms, &event);
		timeout_ms = 0;
		if (got == 1)
			queue_keep(queue, &event);
		else if (got < 0)
			queue->code = got;
	}
	return queue->code == -ENODATA ? 0 : queue->code;
}

bool boundary_queue_is_empty(const struct boundary_queue *queue)
{
	return queue->at == queue->end;
}

/* Returns events up to the boundary, and holds the first one after it. */

/* The caller has to look often whether the boundary is reached. */
enum { WAIT_MS = 10, NS_PER_MS = 1000000 };

enum before_state {
	BEFORE_OPEN, /* up to the boundary */
	BEFORE_CANCELLED,
	BEFORE_CONFIRMED,
};

struct boundary_before {
	struct scap_source source;
	struct scap_source *inner;
	uint64_t boundary_ns;
	enum before_state state;
	struct scap_event event; /* the first after the boundary, if `held` */
	bool held;
	bool reached;
	struct boundary_seen *seen; /* a ring */
	size_t seen_count;
	uint64_t dropped[EVENT_ID_MAX];
};

static void boundary_remember(struct boundary_before *before, uint64_t ts_ns)
{
	struct boundary_seen *seen = &before->seen[before->seen_count % BOUNDARY_SEEN_MAX];

	if (ts_ns + BOUNDARY_COPY_NS < before->boundary_ns)
		return;
	*seen = (struct boundary_seen){ts_ns, boundary_frame_hash(&before->event)};
	before->seen_count++;
}

/* Gets an event up to the boundary; one from there on is held. */
static int boundary_look(struct boundary_before *before, int timeout_ms)
{
	int got = scap_source_next(before->inner, timeout_ms, &before->event);
	uint64_t ts_ns;

	if (got != 1) {
		/* Only now it is known that nothing earlier follows. */
		before->reached = got == -ENODATA ||
				  scap_source_settled(before->inner) >= before->boundary_ns;
		return got;
	}
	ts_ns = boundary_frame_header(&before->event).ts;
	before->held = before->reached = ts_ns >= before->boundary_ns;
	if (before->held)
		return 0;
	if (before->event.len >= sizeof(struct ppm_evt_hdr))
		boundary_remember(before, ts_ns);
	return 1;
}

static void wait(int ms)
{
	const struct timespec time = {.tv_nsec = (long)ms * NS_PER_MS};

	nanosleep(&time, NULL);
}

/* Nothing is read while one is held: its frame would be overwritten. */
static int next_before(struct boundary_before *before, int timeout_ms, struct scap_event *event)
{
	int ms = timeout_ms < WAIT_MS ? timeout_ms : WAIT_MS, got;

	if (before->reached) {
		wait(ms);
		return 0;
	}
	got = boundary_look(before, ms);
	if (got == 1)
		*event = before->event;
	return got;
}

static void count_dropped(struct boundary_before *before)
{
	unsigned int type = boundary_frame_header(&before->event).type;

	before->dropped[type < EVENT_ID_MAX ? type : 0]++;
	before->held = false;
}

static int drop_rest(struct boundary_before *before)
{
	int got = 1;

	if (before->held)
		count_dropped(before);
	while (got == 1) {
		got = scap_source_next(before->inner, 0, &before->event);
		if (got == 1)
			count_dropped(before);
	}
	return got;
}

static int before_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct boundary_before *before = (struct boundary_before *)source;

	if (before->state == BEFORE_OPEN)
		return next_before(before, timeout_ms, event);
	if (before->state == BEFORE_CONFIRMED)
		return drop_rest(before);
	if (!before->held)
		return scap_source_next(before->inner, timeout_ms, event);
	before->held = false;
	*event = before->event;
	return 1;
}

static void before_destroy(struct scap_source *source)
{
	struct boundary_before *before = (struct boundary_before *)source;

	free(before->seen);
	free(before);
}

static const struct scap_source_ops before_ops = {.next = before_next, .destroy = before_destroy};

int boundary_before_create(struct scap_source *inner, uint64_t boundary_ns,
			   struct boundary_before **before)
{
	struct boundary_before *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->seen = calloc(BOUNDARY_SEEN_MAX, sizeof(*made->seen));
	if (!made->seen) {
		free(made);
		return -ENOMEM;
	}
	made->source.ops = &before_ops;
	made->inner = inner;
	made->boundary_ns = boundary_ns;
	*before = made;
	return 0;
}

struct scap_source *boundary_before_source(struct boundary_before *before)
{
	return &before->source;
}

bool boundary_before_is_reached(const struct boundary_before *before)
{
	return before->reached;
}

const struct boundary_seen *boundary_before_seen(const struct boundary_before *before,
						 size_t *count)
{
	*count = before->seen_count < BOUNDARY_SEEN_MAX ? before->seen_count : BOUNDARY_SEEN_MAX;
	return before->seen;
}

void boundary_before_cancel(struct boundary_before *before)
{
	before->state = BEFORE_CANCELLED;
}

bool boundary_before_is_over(const struct boundary_before *before)
{
	return before->state == BEFORE_CANCELLED && !before->held;
}

void boundary_before_confirm(struct boundary_before *before)
{
	before->state = BEFORE_CONFIRMED;
}

void boundary_before_dropped(const struct boundary_before *before, uint64_t dropped[EVENT_ID_MAX])
{
	memcpy(dropped, before->dropped, sizeof(before->dropped));
}

/*
 * Hides events up to the boundary, and copies after it. A thread is at one tracepoint at a time,
 * where the other capture reads the clock first: so of events with the same bytes, the first one
 * from the boundary on is a copy if no event came after the last one of the other capture.
 */

enum after_state {
	AFTER_UNSET, /* no boundary */
	AFTER_SET, /* what is near it waits */
	AFTER_OPEN,
	AFTER_OVER,
};

struct boundary_after {
	struct scap_source source;
	struct scap_source *inner;
	enum after_state state;
	uint64_t boundary_ns;
	struct scap_event event; /* the first that waits, if `held` */
	char *held; /* owned: its frame, which the inner source may overwrite; NULL: none waits */
	char *last; /* owned: the same, after the event was returned */
	/* The last event of the other capture with each hash, in the order of hashes; owned. */
	struct boundary_seen *seen;
	size_t seen_count;
	uint64_t hidden[EVENT_ID_MAX];
};

static int boundary_compare(const void *a, const void *b)
{
	const struct boundary_seen *left = a, *right = b;

	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	return (left->ts_ns > right->ts_ns) - (left->ts_ns < right->ts_ns);
}

static int compare_hash(const void *key, const void *element)
{
	const uint64_t *hash = key;
	const struct boundary_seen *seen = element;

	return (*hash > seen->hash) - (*hash < seen->hash);
}

/* Whether the other capture had this event. Its entry is used up. */
static bool boundary_is_copy(struct boundary_after *after, uint64_t ts_ns)
{
	uint64_t hash = boundary_frame_hash(&after->event);
	struct boundary_seen *seen = after->seen_count
					     ? bsearch(&hash, after->seen, after->seen_count,
						       sizeof(*after->seen), compare_hash)
					     : NULL;

	if (!seen || !seen->ts_ns || ts_ns < seen->ts_ns)
		return false;
	if (ts_ns - seen->ts_ns >= BOUNDARY_COPY_NS)
		return false;
	seen->ts_ns = 0;
	return true;
}

static void boundary_hide(struct boundary_after *after, unsigned int type)
{
	after->event.hidden = true;
	after->hidden[type < EVENT_ID_MAX ? type : 0]++;
}

/* Of events near the boundary: hides those of the other capture. */
static void settle(struct boundary_after *after)
{
	struct ppm_evt_hdr header = boundary_frame_header(&after->event);
	bool copy;

	if (after->event.len < sizeof(header))
		return;
	if (header.ts >= after->boundary_ns + BOUNDARY_COPY_NS) {
		after->state = AFTER_OVER;
		return;
	}
	copy = boundary_is_copy(after, header.ts);
	if (copy || header.ts < after->boundary_ns)
		boundary_hide(after, header.type);
}

/* Whether an event has to wait for the end of the other capture; before that it is hidden. */
static bool boundary_waits(struct boundary_after *after)
{
	struct ppm_evt_hdr header = boundary_frame_header(&after->event);

	if (after->state == AFTER_SET && header.ts + BOUNDARY_COPY_NS >= after->boundary_ns)
		return true;
	boundary_hide(after, header.type);
	return false;
}

static int after_keep(struct boundary_after *after)
{
	struct scap_event *event = &after->event;

	after->held = malloc(event->len ? event->len : 1);
	if (!after->held)
		return -ENOMEM;
	memcpy(after->held, event->frame, event->len);
	event->frame = after->held;
	return 0;
}

/* While the other capture has not ended. */
static int next_hidden(struct boundary_after *after, int timeout_ms, struct scap_event *event)
{
	int got;

	if (after->held)
		return 0;
	got = scap_source_next(after->inner, timeout_ms, &after->event);
	if (got != 1)
		return got;
	if (boundary_waits(after))
		return after_keep(after);
	*event = after->event;
	return 1;
}

/* Without events, too, time passes. */
static void look_at_time(struct boundary_after *after)
{
	if (scap_source_settled(after->inner) >= after->boundary_ns + BOUNDARY_COPY_NS)
		after->state = AFTER_OVER;
}

static int next_near(struct boundary_after *after, int timeout_ms, struct scap_event *event)
{
	int got = 1;

	if (!after->held)
		got = scap_source_next(after->inner, timeout_ms, &after->event);
	if (got == 0)
		look_at_time(after);
	if (got != 1)
		return got;
	settle(after);
	*event = after->event;
	free(after->last);
	after->last = after->held;
	after->held = NULL;
	return 1;
}

static int after_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct boundary_after *after = (struct boundary_after *)source;

	if (after->state == AFTER_OVER)
		return scap_source_next(after->inner, timeout_ms, event);
	return after->state == AFTER_OPEN ? next_near(after, timeout_ms, event)
					  : next_hidden(after, timeout_ms, event);
}

static void after_destroy(struct scap_source *source)
{
	struct boundary_after *after = (struct boundary_after *)source;

	free(after->seen);
	free(after->held);
	free(after->last);
	free(after);
}

static const struct scap_source_ops after_ops = {
	.next = after_next,
	.destroy = after_destroy,
};

int boundary_after_create(struct scap_source *inner, struct boundary_after **after)
{
	struct boundary_after *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->source.ops = &after_ops;
	made->inner = inner;
	*after = made;
	return 0;
}

struct scap_source *boundary_after_source(struct boundary_after *after)
{
	return &after->source;
}

void boundary_after_set(struct boundary_after *after, uint64_t boundary_ns)
{
	after->boundary_ns = boundary_ns;
	after->state = AFTER_SET;
}

/* Keeps the last one of each hash. */
static size_t unite(struct boundary_seen *seen, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (i + 1 == count || seen[i + 1].hash != seen[i].hash)
			seen[kept++] = seen[i];
	return kept;
}

int boundary_after_open(struct boundary_after *after, const struct boundary_seen *seen,
			size_t count)
{
	if (count) {
		after->seen = malloc(count * sizeof(*seen));
		if (!after->seen)
			return -ENOMEM;
		memcpy(after->seen, seen, count * sizeof(*seen));
		qsort(after->seen, count, sizeof(*seen), boundary_compare);
		after->seen_count = unite(after->seen, count);
	}
	after->state = AFTER_OPEN;
	return 0;
}

bool boundary_after_is_over(const struct boundary_after *after)
{
	return after->state == AFTER_OVER;
}

void boundary_after_hidden(const struct boundary_after *after, uint64_t hidden[EVENT_ID_MAX])
{
	memcpy(hidden, after->hidden, sizeof(after->hidden));
}

/* Puts the sources of a boundary before the capture, and takes them away when it is passed. */

/* As much as rings take in half a second of a very busy machine. */
enum { HELD_BYTES_MAX = 64 << 20 };

struct scap_source *boundary_source(const struct boundary *boundary)
{
	if (boundary->before)
		return boundary_before_source(boundary->before);
	if (boundary->after)
		return boundary_after_source(boundary->after);
	return boundary->queue ? boundary_queue_source(boundary->queue) : NULL;
}

static void add_others(const struct boundary *boundary, uint64_t others[EVENT_ID_MAX])
{
	uint64_t more[EVENT_ID_MAX] = {0};

	if (boundary->before)
		boundary_before_dropped(boundary->before, more);
	if (boundary->after)
		boundary_after_hidden(boundary->after, more);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		others[id] += more[id];
}

static void destroy_before(struct boundary *boundary)
{
	if (!boundary->before)
		return;
	add_others(boundary, boundary->others);
	scap_source_destroy(boundary_before_source(boundary->before));
	boundary->before = NULL;
}

static void destroy_after(struct boundary *boundary)
{
	if (!boundary->after)
		return;
	add_others(boundary, boundary->others);
	scap_source_destroy(boundary_after_source(boundary->after));
	boundary->after = NULL;
}

static void destroy_queue(struct boundary *boundary)
{
	if (boundary->queue)
		scap_source_destroy(boundary_queue_source(boundary->queue));
	boundary->queue = NULL;
}

bool boundary_step(struct boundary *boundary)
{
	if (boundary->before && boundary_before_is_over(boundary->before))
		destroy_before(boundary);
	if (boundary->after && boundary_after_is_over(boundary->after))
		destroy_after(boundary);
	if (boundary->queue && !boundary->after && boundary_queue_is_empty(boundary->queue))
		destroy_queue(boundary);
	return boundary_source(boundary);
}

int boundary_end_at(struct boundary *boundary, uint64_t time_ns)
{
	if (time_ns <= clock_ns(CLOCK_BOOTTIME))
		return -EAGAIN;
	return boundary_before_create(boundary->inner, time_ns + boundary->offset_ns,
				      &boundary->before);
}

bool boundary_is_reached(const struct boundary *boundary)
{
	return boundary_before_is_reached(boundary->before);
}

/* From the clock of frames to the boot clock, or back. */
static int copy_seen(const struct boundary_seen *seen, size_t count, uint64_t add_ns,
		     struct boundary_seen **copy)
{
	*copy = malloc((count ? count : 1) * sizeof(**copy));
	if (!*copy)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		(*copy)[i] = (struct boundary_seen){seen[i].ts_ns + add_ns, seen[i].hash};
	return 0;
}

int boundary_seen(const struct boundary *boundary, struct boundary_seen **seen, size_t *count)
{
	const struct boundary_seen *all = boundary_before_seen(boundary->before, count);

	return copy_seen(all, *count, -boundary->offset_ns, seen);
}

void boundary_cancel(struct boundary *boundary)
{
	boundary_before_cancel(boundary->before);
}

void boundary_confirm(struct boundary *boundary)
{
	boundary_before_confirm(boundary->before);
}

int boundary_begin(struct boundary *boundary)
{
	int r = boundary_queue_create(boundary->inner, HELD_BYTES_MAX, &boundary->queue);

	return r ? r
		 : boundary_after_create(boundary_queue_source(boundary->queue), &boundary->after);
}

void boundary_set(struct boundary *boundary, uint64_t time_ns)
{
	boundary_after_set(boundary->after, time_ns + boundary->offset_ns);
}

int boundary_hold(struct boundary *boundary, int timeout_ms)
{
	return boundary_queue_fill(boundary->queue, timeout_ms);
}

int boundary_open(struct boundary *boundary, const struct boundary_seen *seen, size_t count)
{
	struct boundary_seen *copy;
	int r = copy_seen(seen, count, boundary->offset_ns, &copy);

	if (r)
		return r;
	r = boundary_after_open(boundary->after, copy, count);
	free(copy);
	return r;
}

void boundary_subtract(const struct boundary *boundary, struct scap_live_stats *stats)
{
	uint64_t others[EVENT_ID_MAX];

	memcpy(others, boundary->others, sizeof(others));
	add_others(boundary, others);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		stats->seen[id] -= others[id];
		stats->delivered[id] -= others[id];
	}
}

void boundary_finish(struct boundary *boundary)
{
	destroy_before(boundary);
	destroy_after(boundary);
	destroy_queue(boundary);
}
