/* SPDX-License-Identifier: MIT */
/*
 * Merges two captures in time order. A tracepoint runs the programs of both one after the other,
 * and a thread is at one tracepoint at a time: between an event and its copy that thread has no
 * other event of that kind. So the last event of one capture with the same bytes identifies the
 * copy of the other.
 */
#include "takeover/handover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "takeover/boundary.h"

/* Events whose hashes select the same set share it: more than SEEN_WAYS of them rarely wait. */
enum { SEEN_SETS = 1 << 14, SEEN_WAYS = 4, WAIT_MS = 5 };

/* An event without a copy so far. */
struct handover_seen {
	uint64_t ts_ns; /* 0: none */
	uint32_t hash;
	uint8_t side;
};

/* One of the two captures. */
struct handover_side {
	struct scap_source *source;
	struct scap_event event; /* its next one, if `held` */
	uint64_t ts_ns;
	bool held;
	bool ended;
};

struct scap_handover {
	struct scap_source source;
	struct handover_side sides[2]; /* the old one, the new one */
	uint64_t old_ns; /* time of the last event of the old one */
	uint64_t joined_ns; /* `old_ns` when the new one was added */
	bool behind; /* the old one has ended, and no copies of its events follow */
	struct handover_seen (*seen)[SEEN_WAYS]; /* SEEN_SETS, by their hash */
	uint64_t copies[EVENT_ID_MAX];
};

/* The entries have room for so much of it. */
static uint32_t hash_of(const struct scap_event *event)
{
	uint64_t hash = frame_hash(event);

	return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}

/* The entry of an event with that hash, else the oldest one, to be replaced. */
static struct handover_seen *find_seen(struct scap_handover *handover, uint32_t hash)
{
	struct handover_seen *set = handover->seen[hash % SEEN_SETS], *oldest = set;

	for (unsigned int i = 0; i < SEEN_WAYS; i++) {
		if (set[i].hash == hash)
			return &set[i];
		if (set[i].ts_ns < oldest->ts_ns)
			oldest = &set[i];
	}
	return oldest;
}

/* Whether the other side had this event, too. Otherwise it is remembered, to recognize its copy. */
static bool handover_is_copy(struct scap_handover *handover, unsigned int side)
{
	uint64_t ts = handover->sides[side].ts_ns;
	uint32_t hash = hash_of(&handover->sides[side].event);
	struct handover_seen *seen = find_seen(handover, hash);
	bool copy = seen->ts_ns && seen->hash == hash && seen->side != side &&
		    ts < seen->ts_ns + HANDOVER_COPY_NS && seen->ts_ns < ts + HANDOVER_COPY_NS;

	*seen = (struct handover_seen){.ts_ns = copy ? 0 : ts, .hash = hash, .side = (uint8_t)side};
	return copy;
}

/* Gets the next event of a side, unless it is held. Returns 0, or -errno of the source. */
static int handover_look(struct handover_side *side, int timeout_ms)
{
	int got;

	if (side->held || side->ended)
		return 0;
	got = scap_source_next(side->source, timeout_ms, &side->event);
	if (got == 1) {
		side->held = true;
		side->ts_ns = frame_header(&side->event).ts;
	}
	side->ended = got == -ENODATA;
	return got == 1 || got == -ENODATA ? 0 : got;
}

/* The time up to which all events of a side are known. */
static uint64_t known_ns(const struct handover_side *side)
{
	if (side->ended)
		return UINT64_MAX;
	return side->held ? side->ts_ns : scap_source_settled(side->source);
}

/* The side whose event is next; -1: that is not known yet. */
static int earlier_side(const struct scap_handover *handover)
{
	const struct handover_side *sides = handover->sides;

	if (sides[0].held && sides[0].ts_ns <= known_ns(&sides[1]))
		return 0;
	return sides[1].held && sides[1].ts_ns < known_ns(&sides[0]) ? 1 : -1;
}

/* Notes that all events of the new one up to a time are known. */
static void note_shown(struct scap_handover *handover, uint64_t ts_ns)
{
	const struct handover_side *sides = handover->sides;

	if (sides[0].ended && sides[1].source && ts_ns > handover->old_ns + HANDOVER_COPY_NS)
		handover->behind = true;
}

/* Whether an event of a side is not to be returned. Otherwise it is remembered. */
static bool handover_is_known(struct scap_handover *handover, unsigned int at)
{
	const struct handover_side *side = &handover->sides[at];

	if (side->event.len < sizeof(struct ppm_evt_hdr))
		return false;
	return (at == 1 && side->ts_ns <= handover->joined_ns) || handover_is_copy(handover, at);
}

/* Takes the event of a side; returns whether it is to be returned. */
static bool handover_take(struct scap_handover *handover, unsigned int at, struct scap_event *event)
{
	struct handover_side *side = &handover->sides[at];
	unsigned int type = frame_header(&side->event).type;

	side->held = false;
	if (at == 0)
		handover->old_ns = side->ts_ns;
	else
		note_shown(handover, side->ts_ns);
	*event = side->event;
	if (!handover_is_known(handover, at))
		return true;
	handover->copies[type < EVENT_ID_MAX ? type : 0]++;
	return false;
}

/*
 * Reads both in turns, waiting a short time for each, until there is an event or the time is over.
 */
static int handover_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_handover *handover = (struct scap_handover *)source;
	int wait_ms = 0;

	for (;;) {
		int side, code = 0;

		for (unsigned int i = 0; i < 2 && code == 0; i++)
			code = handover_look(&handover->sides[i], wait_ms);
		if (code)
			return code;
		side = earlier_side(handover);
		if (side >= 0) {
			if (handover_take(handover, (unsigned int)side, event))
				return 1;
			continue;
		}
		note_shown(handover, known_ns(&handover->sides[1]));
		if (handover->sides[0].ended && handover->sides[1].ended)
			return -ENODATA;
		if (timeout_ms <= 0)
			return 0;
		wait_ms = WAIT_MS < timeout_ms ? WAIT_MS : timeout_ms;
		timeout_ms -= wait_ms;
	}
}

static void handover_destroy(struct scap_source *source)
{
	struct scap_handover *handover = (struct scap_handover *)source;

	free(handover->seen);
	free(handover);
}

static const struct scap_source_ops handover_ops = {
	.next = handover_next,
	.destroy = handover_destroy,
};

int scap_handover_create(struct scap_source *old, struct scap_handover **handover)
{
	struct scap_handover *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->source.ops = &handover_ops;
	made->sides[0].source = old;
	made->sides[1].ended = true; /* until it is joined */
	made->seen = calloc(SEEN_SETS, sizeof(*made->seen));
	if (!made->seen) {
		free(made);
		return -ENOMEM;
	}
	*handover = made;
	return 0;
}

void scap_handover_join(struct scap_handover *handover, struct scap_source *fresh)
{
	handover->sides[1] = (struct handover_side){.source = fresh};
	handover->joined_ns = handover->old_ns;
}

struct scap_source *scap_handover_source(struct scap_handover *handover)
{
	return &handover->source;
}

bool scap_handover_is_done(const struct scap_handover *handover)
{
	return handover->behind && !handover->sides[1].held;
}

void scap_handover_copies(const struct scap_handover *handover, uint64_t copies[EVENT_ID_MAX])
{
	memcpy(copies, handover->copies, sizeof(handover->copies));
}
