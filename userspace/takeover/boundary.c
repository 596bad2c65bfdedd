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

/* The hash of a frame without its times. */

uint64_t frame_hash(const struct scap_event *event)
{
	struct ppm_evt_hdr header = frame_header(event);
	size_t len = event->len - sizeof(header);

	if (len >= frame_extra_bytes(header.nparams))
		len -= frame_extra_bytes(header.nparams);
	header.ts = 0;
	header.len = (uint32_t)len;
	header.nparams &= ~FRAME_EXTRAS;
	return (uint64_t)hash_bytes(&header, sizeof(header)) << 32 |
	       hash_bytes((const char *)event->frame + sizeof(header), len);
}

/* A piece of memory for events before a source: what is in it comes first. */

struct scap_held {
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

static void boundary_give(struct scap_held *held, struct scap_event *event)
{
	memcpy(event, held->bytes + held->at, sizeof(*event));
	held->at += aligned(sizeof(*event)) + aligned(event->len);
}

/* All of it was given: what was given last is no longer valid. */
static void free_bytes(struct scap_held *held)
{
	free(held->bytes);
	held->bytes = NULL;
	held->end = held->at = 0;
}

static int held_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_held *held = (struct scap_held *)source;

	if (!scap_held_is_empty(held)) {
		boundary_give(held, event);
		return 1;
	}
	free_bytes(held);
	return held->code ? held->code : scap_source_next(held->inner, timeout_ms, event);
}

static void held_destroy(struct scap_source *source)
{
	struct scap_held *held = (struct scap_held *)source;

	free(held->bytes);
	free(held);
}

static uint64_t held_settled(const struct scap_source *source)
{
	const struct scap_held *held = (const struct scap_held *)source;

	return scap_held_is_empty(held) ? scap_source_settled(held->inner) : 0;
}

static const struct scap_source_ops held_ops = {
	.next = held_next,
	.destroy = held_destroy,
	.settled = held_settled,
};

int scap_held_create(struct scap_source *inner, size_t bytes_max, struct scap_held **held)
{
	struct scap_held *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->bytes_max = bytes_max > largest() ? bytes_max : largest();
	made->source.ops = &held_ops;
	made->inner = inner;
	*held = made;
	return 0;
}

struct scap_source *scap_held_source(struct scap_held *held)
{
	return &held->source;
}

static void held_keep(struct scap_held *held, const struct scap_event *event)
{
	char *frame = held->bytes + held->end + aligned(sizeof(*event));
	struct scap_event kept = *event;

	kept.frame = frame;
	memcpy(held->bytes + held->end, &kept, sizeof(kept));
	memcpy(frame, event->frame, event->len);
	held->end += aligned(sizeof(kept)) + aligned(event->len);
}

int scap_held_fill(struct scap_held *held, int timeout_ms)
{
	struct scap_event event;
	int got = 1;

	if (!held->bytes)
		held->bytes = malloc(held->bytes_max);
	if (!held->bytes)
		return -ENOMEM;
	while (got == 1 && !held->code && held->bytes_max - held->end >= largest()) {
		got = scap_source_next(held->inner, timeout_ms, &event);
		timeout_ms = 0;
		if (got == 1)
			held_keep(held, &event);
		else if (got < 0)
			held->code = got;
	}
	return held->code == -ENODATA ? 0 : held->code;
}

bool scap_held_is_empty(const struct scap_held *held)
{
	return held->at == held->end;
}

/* Returns events up to the boundary, and holds the first one after it. */

/* The caller has to look often whether the boundary is reached. */
enum { WAIT_MS = 10, NS_PER_MS = 1000000 };

enum ending_state {
	ENDING_OPEN, /* up to the boundary */
	ENDING_CANCELLED,
	ENDING_CONFIRMED,
};

struct scap_ending {
	struct scap_source source;
	struct scap_source *inner;
	uint64_t boundary_ns;
	enum ending_state state;
	struct scap_event event; /* the first after the boundary, if `held` */
	bool held;
	bool reached;
	struct boundary_seen *seen; /* a ring */
	size_t seen_count;
	uint64_t dropped[EVENT_ID_MAX];
};

static void boundary_remember(struct scap_ending *ending, uint64_t ts_ns)
{
	struct boundary_seen *seen = &ending->seen[ending->seen_count % BOUNDARY_SEEN_MAX];

	if (ts_ns + BOUNDARY_COPY_NS < ending->boundary_ns)
		return;
	*seen = (struct boundary_seen){ts_ns, frame_hash(&ending->event)};
	ending->seen_count++;
}

/* Gets an event up to the boundary; one from there on is held. */
static int boundary_look(struct scap_ending *ending, int timeout_ms)
{
	int got = scap_source_next(ending->inner, timeout_ms, &ending->event);
	uint64_t ts_ns;

	if (got != 1) {
		/* Only now it is known that nothing earlier follows. */
		ending->reached = got == -ENODATA ||
				  scap_source_settled(ending->inner) >= ending->boundary_ns;
		return got;
	}
	ts_ns = frame_header(&ending->event).ts;
	ending->held = ending->reached = ts_ns >= ending->boundary_ns;
	if (ending->held)
		return 0;
	if (ending->event.len >= sizeof(struct ppm_evt_hdr))
		boundary_remember(ending, ts_ns);
	return 1;
}

static void wait(int ms)
{
	const struct timespec time = {.tv_nsec = (long)ms * NS_PER_MS};

	nanosleep(&time, NULL);
}

/* Nothing is read while one is held: its frame would be overwritten. */
static int next_before(struct scap_ending *ending, int timeout_ms, struct scap_event *event)
{
	int ms = timeout_ms < WAIT_MS ? timeout_ms : WAIT_MS, got;

	if (ending->reached) {
		wait(ms);
		return 0;
	}
	got = boundary_look(ending, ms);
	if (got == 1)
		*event = ending->event;
	return got;
}

static void count_dropped(struct scap_ending *ending)
{
	unsigned int type = frame_header(&ending->event).type;

	ending->dropped[type < EVENT_ID_MAX ? type : 0]++;
	ending->held = false;
}

static int drop_rest(struct scap_ending *ending)
{
	int got = 1;

	if (ending->held)
		count_dropped(ending);
	while (got == 1) {
		got = scap_source_next(ending->inner, 0, &ending->event);
		if (got == 1)
			count_dropped(ending);
	}
	return got;
}

static int ending_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_ending *ending = (struct scap_ending *)source;

	if (ending->state == ENDING_OPEN)
		return next_before(ending, timeout_ms, event);
	if (ending->state == ENDING_CONFIRMED)
		return drop_rest(ending);
	if (!ending->held)
		return scap_source_next(ending->inner, timeout_ms, event);
	ending->held = false;
	*event = ending->event;
	return 1;
}

static void ending_destroy(struct scap_source *source)
{
	struct scap_ending *ending = (struct scap_ending *)source;

	free(ending->seen);
	free(ending);
}

static const struct scap_source_ops ending_ops = {.next = ending_next, .destroy = ending_destroy};

int scap_ending_create(struct scap_source *inner, uint64_t boundary_ns, struct scap_ending **ending)
{
	struct scap_ending *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->seen = calloc(BOUNDARY_SEEN_MAX, sizeof(*made->seen));
	if (!made->seen) {
		free(made);
		return -ENOMEM;
	}
	made->source.ops = &ending_ops;
	made->inner = inner;
	made->boundary_ns = boundary_ns;
	*ending = made;
	return 0;
}

struct scap_source *scap_ending_source(struct scap_ending *ending)
{
	return &ending->source;
}

bool scap_ending_is_reached(const struct scap_ending *ending)
{
	return ending->reached;
}

const struct boundary_seen *scap_ending_seen(const struct scap_ending *ending, size_t *count)
{
	*count = ending->seen_count < BOUNDARY_SEEN_MAX ? ending->seen_count : BOUNDARY_SEEN_MAX;
	return ending->seen;
}

void scap_ending_cancel(struct scap_ending *ending)
{
	ending->state = ENDING_CANCELLED;
}

bool scap_ending_is_over(const struct scap_ending *ending)
{
	return ending->state == ENDING_CANCELLED && !ending->held;
}

void scap_ending_confirm(struct scap_ending *ending)
{
	ending->state = ENDING_CONFIRMED;
}

void scap_ending_dropped(const struct scap_ending *ending, uint64_t dropped[EVENT_ID_MAX])
{
	memcpy(dropped, ending->dropped, sizeof(ending->dropped));
}

/*
 * Hides events up to the boundary, and copies after it. A thread is at one tracepoint at a time,
 * where the other capture reads the clock first: so of events with the same bytes, the first one
 * from the boundary on is a copy if no event came after the last one of the other capture.
 */

enum beginning_state {
	BEGINNING_UNSET, /* no boundary */
	BEGINNING_SET, /* what is near it waits */
	BEGINNING_OPEN,
	BEGINNING_OVER,
};

struct scap_beginning {
	struct scap_source source;
	struct scap_source *inner;
	enum beginning_state state;
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
static bool boundary_is_copy(struct scap_beginning *beginning, uint64_t ts_ns)
{
	uint64_t hash = frame_hash(&beginning->event);
	struct boundary_seen *seen =
		beginning->seen_count ? bsearch(&hash, beginning->seen, beginning->seen_count,
						sizeof(*beginning->seen), compare_hash)
				      : NULL;

	if (!seen || !seen->ts_ns || ts_ns < seen->ts_ns)
		return false;
	if (ts_ns - seen->ts_ns >= BOUNDARY_COPY_NS)
		return false;
	seen->ts_ns = 0;
	return true;
}

static void boundary_hide(struct scap_beginning *beginning, unsigned int type)
{
	beginning->event.hidden = true;
	beginning->hidden[type < EVENT_ID_MAX ? type : 0]++;
}

/* Of events near the boundary: hides those of the other capture. */
static void settle(struct scap_beginning *beginning)
{
	struct ppm_evt_hdr header = frame_header(&beginning->event);
	bool copy;

	if (beginning->event.len < sizeof(header))
		return;
	if (header.ts >= beginning->boundary_ns + BOUNDARY_COPY_NS) {
		beginning->state = BEGINNING_OVER;
		return;
	}
	copy = boundary_is_copy(beginning, header.ts);
	if (copy || header.ts < beginning->boundary_ns)
		boundary_hide(beginning, header.type);
}

/* Whether an event has to wait for the end of the other capture; before that it is hidden. */
static bool boundary_waits(struct scap_beginning *beginning)
{
	struct ppm_evt_hdr header = frame_header(&beginning->event);

	if (beginning->state == BEGINNING_SET &&
	    header.ts + BOUNDARY_COPY_NS >= beginning->boundary_ns)
		return true;
	boundary_hide(beginning, header.type);
	return false;
}

static int beginning_keep(struct scap_beginning *beginning)
{
	struct scap_event *event = &beginning->event;

	beginning->held = malloc(event->len ? event->len : 1);
	if (!beginning->held)
		return -ENOMEM;
	memcpy(beginning->held, event->frame, event->len);
	event->frame = beginning->held;
	return 0;
}

/* While the other capture has not ended. */
static int next_hidden(struct scap_beginning *beginning, int timeout_ms, struct scap_event *event)
{
	int got;

	if (beginning->held)
		return 0;
	got = scap_source_next(beginning->inner, timeout_ms, &beginning->event);
	if (got != 1)
		return got;
	if (boundary_waits(beginning))
		return beginning_keep(beginning);
	*event = beginning->event;
	return 1;
}

/* Without events, too, time passes. */
static void look_at_time(struct scap_beginning *beginning)
{
	if (scap_source_settled(beginning->inner) >= beginning->boundary_ns + BOUNDARY_COPY_NS)
		beginning->state = BEGINNING_OVER;
}

static int next_near(struct scap_beginning *beginning, int timeout_ms, struct scap_event *event)
{
	int got = 1;

	if (!beginning->held)
		got = scap_source_next(beginning->inner, timeout_ms, &beginning->event);
	if (got == 0)
		look_at_time(beginning);
	if (got != 1)
		return got;
	settle(beginning);
	*event = beginning->event;
	free(beginning->last);
	beginning->last = beginning->held;
	beginning->held = NULL;
	return 1;
}

static int beginning_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_beginning *beginning = (struct scap_beginning *)source;

	if (beginning->state == BEGINNING_OVER)
		return scap_source_next(beginning->inner, timeout_ms, event);
	return beginning->state == BEGINNING_OPEN ? next_near(beginning, timeout_ms, event)
						  : next_hidden(beginning, timeout_ms, event);
}

static void beginning_destroy(struct scap_source *source)
{
	struct scap_beginning *beginning = (struct scap_beginning *)source;

	free(beginning->seen);
	free(beginning->held);
	free(beginning->last);
	free(beginning);
}

static const struct scap_source_ops beginning_ops = {
	.next = beginning_next,
	.destroy = beginning_destroy,
};

int scap_beginning_create(struct scap_source *inner, struct scap_beginning **beginning)
{
	struct scap_beginning *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->source.ops = &beginning_ops;
	made->inner = inner;
	*beginning = made;
	return 0;
}

struct scap_source *scap_beginning_source(struct scap_beginning *beginning)
{
	return &beginning->source;
}

void scap_beginning_set(struct scap_beginning *beginning, uint64_t boundary_ns)
{
	beginning->boundary_ns = boundary_ns;
	beginning->state = BEGINNING_SET;
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

int scap_beginning_open(struct scap_beginning *beginning, const struct boundary_seen *seen,
			size_t count)
{
	if (count) {
		beginning->seen = malloc(count * sizeof(*seen));
		if (!beginning->seen)
			return -ENOMEM;
		memcpy(beginning->seen, seen, count * sizeof(*seen));
		qsort(beginning->seen, count, sizeof(*seen), boundary_compare);
		beginning->seen_count = unite(beginning->seen, count);
	}
	beginning->state = BEGINNING_OPEN;
	return 0;
}

bool scap_beginning_is_over(const struct scap_beginning *beginning)
{
	return beginning->state == BEGINNING_OVER;
}

void scap_beginning_hidden(const struct scap_beginning *beginning, uint64_t hidden[EVENT_ID_MAX])
{
	memcpy(hidden, beginning->hidden, sizeof(beginning->hidden));
}

/* Puts the sources of a boundary before the capture, and takes them away when it is passed. */

/* As much as rings take in half a second of a very busy machine. */
enum { HELD_BYTES_MAX = 64 << 20 };

struct scap_source *boundary_source(const struct boundary *boundary)
{
	if (boundary->ending)
		return scap_ending_source(boundary->ending);
	if (boundary->beginning)
		return scap_beginning_source(boundary->beginning);
	return boundary->held ? scap_held_source(boundary->held) : NULL;
}

static void add_others(const struct boundary *boundary, uint64_t others[EVENT_ID_MAX])
{
	uint64_t more[EVENT_ID_MAX] = {0};

	if (boundary->ending)
		scap_ending_dropped(boundary->ending, more);
	if (boundary->beginning)
		scap_beginning_hidden(boundary->beginning, more);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		others[id] += more[id];
}

static void destroy_ending(struct boundary *boundary)
{
	if (!boundary->ending)
		return;
	add_others(boundary, boundary->others);
	scap_source_destroy(scap_ending_source(boundary->ending));
	boundary->ending = NULL;
}

static void destroy_beginning(struct boundary *boundary)
{
	if (!boundary->beginning)
		return;
	add_others(boundary, boundary->others);
	scap_source_destroy(scap_beginning_source(boundary->beginning));
	boundary->beginning = NULL;
}

static void destroy_held(struct boundary *boundary)
{
	if (boundary->held)
		scap_source_destroy(scap_held_source(boundary->held));
	boundary->held = NULL;
}

bool boundary_step(struct boundary *boundary)
{
	if (boundary->ending && scap_ending_is_over(boundary->ending))
		destroy_ending(boundary);
	if (boundary->beginning && scap_beginning_is_over(boundary->beginning))
		destroy_beginning(boundary);
	if (boundary->held && !boundary->beginning && scap_held_is_empty(boundary->held))
		destroy_held(boundary);
	return boundary_source(boundary);
}

int boundary_end_at(struct boundary *boundary, uint64_t time_ns)
{
	if (time_ns <= clock_ns(CLOCK_BOOTTIME))
		return -EAGAIN;
	return scap_ending_create(boundary->inner, time_ns + boundary->offset_ns,
				  &boundary->ending);
}

bool boundary_is_reached(const struct boundary *boundary)
{
	return scap_ending_is_reached(boundary->ending);
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
	const struct boundary_seen *all = scap_ending_seen(boundary->ending, count);

	return copy_seen(all, *count, -boundary->offset_ns, seen);
}

void boundary_cancel(struct boundary *boundary)
{
	scap_ending_cancel(boundary->ending);
}

void boundary_confirm(struct boundary *boundary)
{
	scap_ending_confirm(boundary->ending);
}

int boundary_begin(struct boundary *boundary)
{
	int code = scap_held_create(boundary->inner, HELD_BYTES_MAX, &boundary->held);

	return code ? code
		    : scap_beginning_create(scap_held_source(boundary->held), &boundary->beginning);
}

void boundary_set(struct boundary *boundary, uint64_t time_ns)
{
	scap_beginning_set(boundary->beginning, time_ns + boundary->offset_ns);
}

int boundary_hold(struct boundary *boundary, int timeout_ms)
{
	return scap_held_fill(boundary->held, timeout_ms);
}

int boundary_open(struct boundary *boundary, const struct boundary_seen *seen, size_t count)
{
	struct boundary_seen *copy;
	int code = copy_seen(seen, count, boundary->offset_ns, &copy);

	if (code)
		return code;
	code = scap_beginning_open(boundary->beginning, copy, count);
	free(copy);
	return code;
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
	destroy_ending(boundary);
	destroy_beginning(boundary);
	destroy_held(boundary);
}
