/* SPDX-License-Identifier: MIT */
/* Returns events up to the boundary, and holds the first one after it. */
#include "takeover/ending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "takeover/frame_hash.h"

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

static void remember(struct scap_ending *ending, uint64_t ts_ns)
{
	struct boundary_seen *seen = &ending->seen[ending->seen_count % BOUNDARY_SEEN_MAX];

	if (ts_ns + BOUNDARY_COPY_NS < ending->boundary_ns)
		return;
	*seen = (struct boundary_seen){ts_ns, frame_hash(&ending->event)};
	ending->seen_count++;
}

/* Gets an event up to the boundary; one from there on is held. */
static int look(struct scap_ending *ending, int timeout_ms)
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
		remember(ending, ts_ns);
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
	got = look(ending, ms);
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
