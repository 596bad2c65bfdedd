/* SPDX-License-Identifier: MIT */
/* A piece of memory for events before a source: what is in it comes first. */
#include "takeover/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

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

static void give(struct scap_held *held, struct scap_event *event)
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
		give(held, event);
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

static void keep(struct scap_held *held, const struct scap_event *event)
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
			keep(held, &event);
		else if (got < 0)
			held->code = got;
	}
	return held->code == -ENODATA ? 0 : held->code;
}

bool scap_held_is_empty(const struct scap_held *held)
{
	return held->at == held->end;
}
