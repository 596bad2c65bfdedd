/* SPDX-License-Identifier: MIT */
/*
 * Merges two captures in time order. A tracepoint runs the programs of both one after the other,
 * and a thread is at one tracepoint at a time: between an event and its copy that thread has no
 * other event of that kind. So the last event of one capture with the same bytes identifies the
 * copy of the other.
 */
#include "takeover/takeover_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "takeover/boundary.h"

/* Events whose hashes select the same set share it: more than SEEN_WAYS of them rarely wait. */
enum { SEEN_SETS = 1 << 14, SEEN_WAYS = 4, WAIT_MS = 5 };

/* An event without a copy so far. */
struct takeover_merge_seen {
	uint64_t ts_ns; /* 0: none */
	uint32_t hash;
	uint8_t side;
};

/* One of the two captures. */
struct takeover_merge_side {
	struct scap_source *source;
	struct scap_event event; /* its next one, if `held` */
	uint64_t ts_ns;
	bool held;
	bool ended;
};

struct takeover_merge {
	struct scap_source source;
	struct takeover_merge_side sides[2]; /* the old one, the new one */
	uint64_t old_ns; /* time of the last event of the old one */
	uint64_t joined_ns; /* `old_ns` when the new one was added */
	/* takeover_merge_replace_execs(), takeover_merge_replace_streams(); 0: not asked for */
	uint64_t execs_ns, streams_ns;
	bool behind; /* the old one has ended, and no copies of its events follow */
	struct takeover_merge_seen (*seen)[SEEN_WAYS]; /* SEEN_SETS, by their hash */
	uint64_t copies[EVENT_ID_MAX];
};

/* The entries have room for so much of it. */
static uint32_t hash_of(const struct scap_event *event)
{
	uint64_t hash = boundary_frame_hash(event);

	return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}

/* The entry of an event with that hash, else the oldest one, to be replaced. */
static struct takeover_merge_seen *find_seen(struct takeover_merge *merge, uint32_t hash)
{
	struct takeover_merge_seen *set = merge->seen[hash % SEEN_SETS], *oldest = set;

	for (unsigned int i = 0; i < SEEN_WAYS; i++) {
		if (set[i].hash == hash)
			return &set[i];
		if (set[i].ts_ns < oldest->ts_ns)
			oldest = &set[i];
	}
	return oldest;
}

/* Whether the other side had this event, too. Otherwise it is remembered, to recognize its copy. */
static bool takeover_merge_is_copy(struct takeover_merge *merge, unsigned int side)
{
	uint64_t ts = merge->sides[side].ts_ns;
	uint32_t hash = hash_of(&merge->sides[side].event);
	struct takeover_merge_seen *seen = find_seen(merge, hash);
	bool copy = seen->ts_ns && seen->hash == hash && seen->side != side &&
		    ts < seen->ts_ns + TAKEOVER_MERGE_COPY_NS &&
		    seen->ts_ns < ts + TAKEOVER_MERGE_COPY_NS;

	*seen = (struct takeover_merge_seen){
		.ts_ns = copy ? 0 : ts, .hash = hash, .side = (uint8_t)side};
	return copy;
}

/* Gets the next event of a side, unless it is held. Returns 0, or -errno of the source. */
static int takeover_merge_look(struct takeover_merge_side *side, int timeout_ms)
{
	int got;

	if (side->held || side->ended)
		return 0;
	got = scap_source_next(side->source, timeout_ms, &side->event);
	if (got == 1) {
		side->held = true;
		side->ts_ns = boundary_frame_header(&side->event).ts;
	}
	side->ended = got == -ENODATA;
	return got == 1 || got == -ENODATA ? 0 : got;
}

/* The time up to which all events of a side are known. */
static uint64_t known_ns(const struct takeover_merge_side *side)
{
	if (side->ended)
		return UINT64_MAX;
	return side->held ? side->ts_ns : scap_source_settled(side->source);
}

/* The side whose event is next; -1: that is not known yet. */
static int earlier_side(const struct takeover_merge *merge)
{
	const struct takeover_merge_side *sides = merge->sides;

	if (sides[0].held && sides[0].ts_ns <= known_ns(&sides[1]))
		return 0;
	return sides[1].held && sides[1].ts_ns < known_ns(&sides[0]) ? 1 : -1;
}

/* Notes that all events of the new one up to a time are known. */
static void note_shown(struct takeover_merge *merge, uint64_t ts_ns)
{
	const struct takeover_merge_side *sides = merge->sides;

	if (sides[0].ended && sides[1].source && ts_ns > merge->old_ns + TAKEOVER_MERGE_COPY_NS)
		merge->behind = true;
}

static bool takeover_merge_is_replaced(const struct takeover_merge *merge, unsigned int at)
{
	const struct takeover_merge_side *side = &merge->sides[at];
	const struct event_desc *desc = event_desc_get(boundary_frame_header(&side->event).type);
	uint64_t since_ns = 0;

	if (at == 1 || !desc)
		return false;
	if (desc->runs.env)
		since_ns = merge->execs_ns;
	else if (desc->flags & EF_TELLS_ANY_STREAM)
		since_ns = merge->streams_ns;
	return since_ns && side->ts_ns >= since_ns;
}

/* Whether an event of a side is not to be returned. Otherwise it is remembered. */
static bool takeover_merge_is_known(struct takeover_merge *merge, unsigned int at)
{
	const struct takeover_merge_side *side = &merge->sides[at];

	if (side->event.len < sizeof(struct ppm_evt_hdr))
		return false;
	return (at == 1 && side->ts_ns <= merge->joined_ns) ||
	       takeover_merge_is_replaced(merge, at) || takeover_merge_is_copy(merge, at);
}

/* Takes the event of a side; returns whether it is to be returned. */
static bool takeover_merge_take(struct takeover_merge *merge, unsigned int at,
				struct scap_event *event)
{
	struct takeover_merge_side *side = &merge->sides[at];
	unsigned int type = boundary_frame_header(&side->event).type;

	side->held = false;
	if (at == 0)
		merge->old_ns = side->ts_ns;
	else
		note_shown(merge, side->ts_ns);
	*event = side->event;
	if (!takeover_merge_is_known(merge, at))
		return true;
	merge->copies[type < EVENT_ID_MAX ? type : 0]++;
	return false;
}

/*
 * Reads both in turns, waiting a short time for each, until there is an event or the time is over.
 */
static int takeover_merge_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct takeover_merge *merge = (struct takeover_merge *)source;
	int wait_ms = 0;

	for (;;) {
		int side, r = 0;

		for (unsigned int i = 0; i < 2 && r == 0; i++)
			r = takeover_merge_look(&merge->sides[i], wait_ms);
		if (r)
			return r;
		side = earlier_side(merge);
		if (side >= 0) {
			if (takeover_merge_take(merge, (unsigned int)side, event))
				return 1;
			continue;
		}
		note_shown(merge, known_ns(&merge->sides[1]));
		if (merge->sides[0].ended && merge->sides[1].ended)
			return -ENODATA;
		if (timeout_ms <= 0)
			return 0;
		wait_ms = WAIT_MS < timeout_ms ? WAIT_MS : timeout_ms;
		timeout_ms -= wait_ms;
	}
}

static void takeover_merge_destroy(struct scap_source *source)
{
	struct takeover_merge *merge = (struct takeover_merge *)source;

	free(merge->seen);
	free(merge);
}

static const struct scap_source_ops takeover_merge_ops = {
	.next = takeover_merge_next,
	.destroy = takeover_merge_destroy,
};

int takeover_merge_create(struct scap_source *old, struct takeover_merge **merge)
{
	struct takeover_merge *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->source.ops = &takeover_merge_ops;
	made->sides[0].source = old;
	made->sides[1].ended = true; /* until it is joined */
	made->seen = calloc(SEEN_SETS, sizeof(*made->seen));
	if (!made->seen) {
		free(made);
		return -ENOMEM;
	}
	*merge = made;
	return 0;
}

void takeover_merge_join(struct takeover_merge *merge, struct scap_source *fresh)
{
	merge->sides[1] = (struct takeover_merge_side){.source = fresh};
	merge->joined_ns = merge->old_ns;
}

void takeover_merge_replace_execs(struct takeover_merge *merge, uint64_t since_ns)
{
	merge->execs_ns = since_ns;
}

void takeover_merge_replace_streams(struct takeover_merge *merge, uint64_t since_ns)
{
	merge->streams_ns = since_ns;
}

struct scap_source *takeover_merge_source(struct takeover_merge *merge)
{
	return &merge->source;
}

bool takeover_merge_is_done(const struct takeover_merge *merge)
{
	return merge->behind && !merge->sides[1].held;
}

void takeover_merge_copies(const struct takeover_merge *merge, uint64_t copies[EVENT_ID_MAX])
{
	memcpy(copies, merge->copies, sizeof(merge->copies));
}
