/* SPDX-License-Identifier: MIT */
/* Numbers by life, and the comparison of holes with drop records. */
#include "agent/commands/verify_life.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { HOLES_SHOWN = 10 };

static void life_destroy(struct life *life)
{
	for (size_t i = 0; i < life->causes_count; i++)
		free(life->causes[i].text);
	tdestroy(life->drops, free);
	free(life->causes);
	free(life->stream);
	ranges_finish(&life->seen);
	ranges_finish(&life->said);
	free(life);
}

void lives_finish(struct lives *lives)
{
	while (lives->first) {
		struct life *next = lives->first->next;

		life_destroy(lives->first);
		lives->first = next;
	}
	lives->last_used = NULL;
}

static bool is_of(const struct life *life, const struct verify_record *record)
{
	return strlen(life->stream) == record->stream_len &&
	       (!record->stream_len || memcmp(life->stream, record->id, record->stream_len) == 0);
}

static struct life *find(struct lives *lives, const struct verify_record *record)
{
	struct life **place = &lives->first, *made;

	if (lives->last_used && is_of(lives->last_used, record))
		return lives->last_used;
	while (*place && !is_of(*place, record))
		place = &(*place)->next;
	if (!*place) {
		made = calloc(1, sizeof(*made));
		if (!made)
			return NULL;
		made->stream = strndup(record->id ? record->id : "", record->stream_len);
		if (!made->stream) {
			free(made);
			return NULL;
		}
		*place = made;
	}
	lives->last_used = *place;
	return *place;
}

static struct life_cause *find_cause(struct life *life, const char *text)
{
	struct life_cause *causes;

	for (size_t i = 0; i < life->causes_count; i++)
		if (strcmp(life->causes[i].text, text) == 0)
			return &life->causes[i];
	causes = realloc(life->causes, (life->causes_count + 1) * sizeof(*causes));
	if (!causes)
		return NULL;
	life->causes = causes;
	causes[life->causes_count] = (struct life_cause){.text = strdup(text)};
	return causes[life->causes_count].text ? &causes[life->causes_count++] : NULL;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Returns 1 if this drop record is known: it was sent twice; 0, or -ENOMEM. */
static int know_drop(struct life *life, const char *id)
{
	char *copy;

	if (tfind(id, &life->drops, compare_ids))
		return 1;
	copy = strdup(id);
	if (!copy || !tsearch(copy, &life->drops, compare_ids)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

static int add_drop(struct life *life, const struct verify_record *record)
{
	int known = record->id ? know_drop(life, record->id) : 0;
	struct life_cause *cause = known ? NULL : find_cause(life, record->cause);

	if (known)
		return known < 0 ? known : 0;
	if (!cause)
		return -ENOMEM;
	if (!record->count) {
		cause->unknown++;
		return 0;
	}
	if (!record->from) {
		cause->unnumbered += record->count;
		return 0;
	}
	cause->count += record->count;
	life->dropped += record->count;
	return ranges_add(&life->said, record->from, record->to);
}

int lives_add(struct lives *lives, const struct verify_record *record)
{
	struct life *life = find(lives, record);

	if (!life)
		return -ENOMEM;
	if (record->is_drop)
		return add_drop(life, record);
	life->records++;
	life->redelivered += record->redelivered;
	if (!record->redelivered && ranges_have(&life->seen, record->number))
		life->repeated++;
	return ranges_add(&life->seen, record->number, record->number);
}

static uint64_t last_of(const struct ranges *ranges)
{
	return ranges->count ? ranges->list[ranges->count - 1].to : 0;
}

static uint64_t first_of(const struct ranges *ranges)
{
	return ranges->count ? ranges->list[0].from : UINT64_MAX;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void append_causes(const struct life *life, struct buf *text)
{
	for (size_t i = 0; i < life->causes_count; i++) {
		const struct life_cause *cause = &life->causes[i];

		if (cause->count)
			buf_printf(text, "  dropped %" PRIu64 ": %s\n", cause->count, cause->text);
		if (cause->unnumbered)
			buf_printf(text, "  lost before they had a number %" PRIu64 ": %s\n",
				   cause->unnumbered, cause->text);
		if (cause->unknown)
			buf_printf(text,
				   "  lost, and nobody knows how many, %" PRIu64 " time%s: %s\n",
				   cause->unknown, cause->unknown == 1 ? "" : "s", cause->text);
	}
}

/* Appends the first holes of which no drop record says anything; returns their number. */
static uint64_t append_holes(const struct life *life, uint64_t first, uint64_t last,
			     struct buf *text)
{
	struct range hole = {.to = first - 1};
	uint64_t holes = 0;

	while (ranges_find_hole(&life->seen, &life->said, hole.to + 1, last, &hole))
		if (holes++ < HOLES_SHOWN)
			buf_printf(text, "  missing, and not said: %" PRIu64 " to %" PRIu64 "\n",
				   hole.from, hole.to);
	if (holes > HOLES_SHOWN)
		buf_printf(text, "  and %" PRIu64 " more holes\n", holes - HOLES_SHOWN);
	return holes;
}

bool life_append_report(const struct life *life, struct buf *text)
{
	uint64_t first = smaller(first_of(&life->seen), first_of(&life->said));
	uint64_t last = larger(last_of(&life->seen), last_of(&life->said));
	uint64_t missing = last ? last - first + 1 - ranges_total(&life->seen) : 0;
	bool right;

	buf_printf(text, "%s: records %" PRIu64, life->stream[0] ? life->stream : "without ids",
		   life->records);
	if (last)
		buf_printf(text, ", numbers %" PRIu64 " to %" PRIu64, first, last);
	buf_printf(text, ", missing %" PRIu64 ", sent again %" PRIu64 "\n", missing,
		   life->redelivered);
	append_causes(life, text);
	right = !last || append_holes(life, first, last, text) == 0;
	/* A drop record may be about some of the numbers in its range. */
	if (right && missing > life->dropped) {
		buf_printf(text, "  missing %" PRIu64 ", of which drop records say %" PRIu64 "\n",
			   missing, life->dropped);
		right = false;
	}
	if (life->repeated)
		buf_printf(text, "  repeated without a mark: %" PRIu64 "\n", life->repeated);
	return right && !life->repeated;
}
