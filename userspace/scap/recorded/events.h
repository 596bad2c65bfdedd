/* SPDX-License-Identifier: MIT */
/*
 * The events of a perf.data: their attributes, names and numbers, and how records are read that are
 * of them. No byte of a file is trusted.
 */
#ifndef SCAP_RECORDED_EVENTS_H
#define SCAP_RECORDED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/tracepoint.h"
#include "scap/samples/record.h"
#include "util/arena.h"
#include "util/buf.h"

enum { RECORDED_EVENTS_MAX = 4096, RECORDED_IDS_MAX = 1 << 20 };

struct recorded_event {
	struct perf_event_attr attr; /* what this program knows of it */
	const char *name;
	bool is_named; /* by the file, not by its type */
	bool has_tracepoint; /* its fields are known */
	struct perf_tracepoint tracepoint;
};

struct recorded_id {
	uint64_t id;
	uint32_t event; /* index */
};

/* Zeroed: none. */
struct recorded_events {
	struct recorded_event *list; /* owned */
	size_t count;
	struct recorded_id *ids; /* owned; by `id`, once they are sorted */
	size_t ids_count, ids_capacity;
	bool are_sorted;
	struct arena arena;
};

/*
 * Adds an event: the bytes of its attr, as its size says, and its ids. Returns 0; -EBADMSG; -E2BIG:
 * there are too many; -ENOMEM.
 */
int recorded_events_add(struct recorded_events *events, const uint8_t *attr, size_t bytes,
			const uint8_t *ids, size_t ids_count);

/* All were added. Returns 0; -EBADMSG: records do not say of which event they are. */
int recorded_events_complete(struct recorded_events *events);

/* Names that of an id, or the index-th one; the text need not end. Out of memory, it is not named.
 */
void recorded_events_name(struct recorded_events *events, uint64_t id, const char *name,
			  size_t len);
void recorded_events_name_at(struct recorded_events *events, size_t index, const char *name,
			     size_t len);

/* Takes the formats of tracepoints, as files have them. */
void recorded_events_take_formats(struct recorded_events *events, const void *bytes, size_t len);

/* The event of a record; NULL: there is none. */
const struct recorded_event *recorded_events_of(const struct recorded_events *events,
						const uint8_t *record, size_t bytes);

/* The time of a record; 0: it has none. */
uint64_t recorded_events_time(const struct recorded_events *events, const uint8_t *record,
			      size_t bytes);

/* The bytes at the end of other records than samples that are not theirs. */
size_t recorded_events_trailer(const struct recorded_events *events);

/* Whether such records have times, so that all can be put in order. */
bool recorded_events_are_timed(const struct recorded_events *events);

/* Decodes a sample of an event, without what is behind its raw data. Returns 0 or -EBADMSG. */
int recorded_sample_decode(const struct recorded_event *event, const uint8_t *record, size_t bytes,
			   struct sample_record *sample, uint32_t *cpu);

void recorded_events_finish(struct recorded_events *events);

#endif
