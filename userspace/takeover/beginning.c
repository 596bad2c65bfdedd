/* SPDX-License-Identifier: MIT */
/*
 * Hides events up to the boundary, and copies after it. A thread is at one tracepoint at a time,
 * where the other capture reads the clock first: so of events with the same bytes, the first one
 * from the boundary on is a copy if no event came after the last one of the other capture.
 */
#include "takeover/beginning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "takeover/frame_hash.h"

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

static int compare(const void *a, const void *b)
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
static bool is_copy(struct scap_beginning *beginning, uint64_t ts_ns)
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

static void hide(struct scap_beginning *beginning, unsigned int type)
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
	copy = is_copy(beginning, header.ts);
	if (copy || header.ts < beginning->boundary_ns)
		hide(beginning, header.type);
}

/* Whether an event has to wait for the end of the other capture; before that it is hidden. */
static bool waits(struct scap_beginning *beginning)
{
	struct ppm_evt_hdr header = frame_header(&beginning->event);

	if (beginning->state == BEGINNING_SET &&
	    header.ts + BOUNDARY_COPY_NS >= beginning->boundary_ns)
		return true;
	hide(beginning, header.type);
	return false;
}

static int keep(struct scap_beginning *beginning)
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
	if (waits(beginning))
		return keep(beginning);
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
		qsort(beginning->seen, count, sizeof(*seen), compare);
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
