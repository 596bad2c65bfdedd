/* SPDX-License-Identifier: MIT */
/* Events that wait, when they are due, and how they are merged with those of frozen rings. */
#include "scap/live/flight.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "scap/live/flight_rings.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	CHUNK_BYTES = 256 << 10, /* more than the largest event */
	/* While events are given, those that come are read after so many. */
	GIVEN_PER_LOOK = 256,
	/* How long events are waited for that are written at the moment. */
	SETTLE_TRIES = 100,
	SETTLE_MS = 5,
	LOOK_EVENTS_MAX = 4096,
	CRASH_NS = 100000000, /* in which the threads of a process have ended */
};

/* Who crashes all the time decides not how much is written. */
#define CRASHES_APART_NS UINT64_C(60000000000)

/* Events one after the other: a struct scap_event and its frame, aligned. */
struct chunk {
	struct chunk *next;
	size_t at, end;
	char bytes[CHUNK_BYTES];
};

struct scap_flight {
	struct scap_source source;
	struct scap_live *live;
	struct scap_source *inner;
	struct flight_rings *rings;
	struct scap_flight_config config;
	void (*heard)(void *context, const struct scap_event *event); /* NULL: nobody listens */
	void *context;
	struct chunk *first, *last; /* owned; those that wait, by time */
	struct chunk *spent; /* owned: has the event that was returned last; or NULL */
	uint64_t waiting_bytes;
	uint64_t begin_ns; /* since the epoch: when it was created */
	uint64_t made_room_ns; /* of the latest event that did not wait long enough; 0: none */
	uint64_t step_ns; /* boot clock: when rings were looked at last */
	uint64_t told_ns; /* when a crash was told last; 0: none was */
	uint64_t crash_ns; /* of the first exit by a signal of an error that is to be told; 0: none
			    */
	int code; /* what ended the inner source; 0: nothing did */
	bool gives;
	struct flight_frozen frozen; /* while it gives */
	struct scap_frame ahead; /* the next one of `frozen`; bytes NULL: there is none */
	uint16_t ahead_cpu;
	bool ahead_was_given;
	uint32_t looks_in; /* events until the next look */
	struct scap_flight_given given;
};

static struct scap_flight *flight_of(const struct scap_source *source)
{
	return (struct scap_flight *)source;
}

static size_t aligned(size_t bytes)
{
	return (bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

/* Events that wait. */

static struct ppm_evt_hdr header_of(const struct scap_event *event)
{
	struct ppm_evt_hdr header = {0};

	if (event->len >= sizeof(header))
		memcpy(&header, event->frame, sizeof(header));
	return header;
}

static bool is_of_error(uint64_t number)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};

	for (size_t i = 0; i < COUNT(numbers); i++)
		if (number == (uint64_t)numbers[i])
			return true;
	return false;
}

/* The end of a process by such a signal. */
static bool is_crash(const struct scap_event *event)
{
	struct event ev;

	return header_of(event).type == EVENT_procexit &&
	       event_decode(event->frame, event->len, event->cpu, &ev) == 0 &&
	       event_param_present(&ev, procexit__sig) &&
	       is_of_error(event_param_u64(&ev, procexit__sig));
}

/* Threads of a process end together, each with an event. One that was given needs no more. */
static void note_crash(struct scap_flight *flight, uint64_t ns)
{
	if (!flight->crash_ns && ns > flight->given.until_ns)
		flight->crash_ns = ns;
}

static int flight_keep(struct scap_flight *flight, const struct scap_event *event)
{
	size_t bytes = aligned(sizeof(*event)) + aligned(event->len);
	struct chunk *last = flight->last;
	struct scap_event kept = *event;

	if (!last || CHUNK_BYTES - last->end < bytes) {
		struct chunk *made = malloc(sizeof(*made));

		if (!made)
			return -ENOMEM;
		made->next = NULL;
		made->at = made->end = 0;
		*(last ? &last->next : &flight->first) = made;
		flight->last = last = made;
		flight->waiting_bytes += sizeof(*made);
	}
	kept.frame = last->bytes + last->end + aligned(sizeof(kept));
	memcpy(last->bytes + last->end, &kept, sizeof(kept));
	memcpy((char *)kept.frame, event->frame, event->len);
	last->end += bytes;
	if (is_crash(event))
		note_crash(flight, header_of(event).ts);
	if (flight->heard)
		flight->heard(flight->context, event);
	return 0;
}

/* The first one that waits. Returns false if there is none. */
static bool waiting_first(const struct scap_flight *flight, struct scap_event *event)
{
	const struct chunk *first = flight->first;

	if (!first || first->at == first->end)
		return false;
	memcpy(event, first->bytes + first->at, sizeof(*event));
	return true;
}

/* Its memory stays valid until the next one is returned. */
static void waiting_take(struct scap_flight *flight, const struct scap_event *event)
{
	struct chunk *first = flight->first;

	first->at += aligned(sizeof(*event)) + aligned(event->len);
	if (first->at < first->end)
		return;
	flight->first = first->next;
	if (!flight->first)
		flight->last = NULL;
	flight->waiting_bytes -= sizeof(*first);
	free(flight->spent);
	flight->spent = first;
}

/*
 * Reads what came, as far as there is room, and not for as long as programs make more: what is left
 * stays in the rings, and may be lost there. Returns 0 or -errno.
 */
static int flight_look(struct scap_flight *flight, int timeout_ms)
{
	struct scap_event event;
	uint64_t now;
	int got = flight->code, r = 0;

	for (int i = 0; i < LOOK_EVENTS_MAX && r == 0 && got >= 0 &&
			flight->waiting_bytes <= flight->config.waiting_bytes_max;
	     i++) {
		got = scap_source_next(flight->inner, timeout_ms, &event);
		if (got != 1)
			break;
		timeout_ms = 0;
		r = flight_keep(flight, &event);
	}
	if (got < 0)
		flight->code = got;
	now = clock_ns(CLOCK_BOOTTIME);
	flight_rings_step(flight->rings, now);
	flight->step_ns = now;
	return r;
}

/* Up to when events need not wait any more. */
static uint64_t due_until(const struct scap_flight *flight)
{
	uint64_t since = flight_rings_since(flight->rings);
	uint64_t now = flight->step_ns + flight->rings->boot_offset_ns;
	uint64_t window = flight->config.window_ns;

	if (window && now - window > since)
		since = now - window;
	return since;
}

/* Returns the first one that waits, as a hidden one, if it is due, or must make room. */
static bool give_due(struct scap_flight *flight, uint64_t until_ns, struct scap_event *event)
{
	struct scap_event first;
	uint64_t ts;

	if (!waiting_first(flight, &first))
		return false;
	ts = header_of(&first).ts;
	if (ts > until_ns) {
		if (flight->waiting_bytes <= flight->config.waiting_bytes_max)
			return false;
		flight->made_room_ns = ts;
	}
	waiting_take(flight, &first);
	*event = first;
	event->hidden = true;
	return true;
}

/* What is given. */

/* Steps to the next one of the frozen rings. */
static void look_ahead(struct scap_flight *flight)
{
	flight->ahead_was_given = false;
	do {
		if (!flight_frozen_next(&flight->frozen, &flight->ahead, &flight->ahead_cpu)) {
			flight->ahead.bytes = NULL;
			return;
		}
	} while (flight->ahead.ts <= flight->given.since_ns);
}

static void end_giving(struct scap_flight *flight)
{
	flight_frozen_close(&flight->frozen);
	flight->ahead.bytes = NULL;
	flight->gives = false;
}

/* Returns 1 and the earliest event, or 0: that was the last one. */
static int give_next(struct scap_flight *flight, struct scap_event *event)
{
	struct scap_flight_given *given = &flight->given;
	struct scap_event waiting;
	uint64_t ts;

	if (flight->ahead_was_given)
		look_ahead(flight);
	if (waiting_first(flight, &waiting)) {
		ts = header_of(&waiting).ts;
		if (ts <= given->until_ns && (!flight->ahead.bytes || ts <= flight->ahead.ts)) {
			waiting_take(flight, &waiting);
			*event = waiting;
			event->hidden |= ts <= given->since_ns;
			given->events += ts > given->since_ns;
			return 1;
		}
	}
	if (!flight->ahead.bytes)
		return 0;
	scap_live_deliver(flight->live, &flight->ahead, flight->ahead_cpu, event);
	flight->ahead_was_given = true;
	given->events++;
	return 1;
}

static int flight_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_flight *flight = flight_of(source);
	int r = 0;

	if (flight->gives) {
		if (flight->looks_in-- == 0) {
			flight->looks_in = GIVEN_PER_LOOK;
			r = flight_look(flight, 0);
		}
		if (r || give_next(flight, event))
			return r ? r : 1;
		end_giving(flight);
		return 0;
	}
	if (give_due(flight, due_until(flight), event))
		return 1;
	if (flight->code)
		return flight->code;
	/* CPUs come also while nothing else does. */
	r = flight_look(flight, timeout_ms < FLIGHT_STEP_MS ? timeout_ms : FLIGHT_STEP_MS);
	if (r)
		return r;
	return give_due(flight, due_until(flight), event);
}

static void flight_destroy(struct scap_source *source)
{
	struct scap_flight *flight = flight_of(source);

	end_giving(flight);
	while (flight->first) {
		struct chunk *next = flight->first->next;

		free(flight->first);
		flight->first = next;
	}
	free(flight->spent);
	free(flight);
}

static const struct scap_source_ops flight_ops = {
	.next = flight_next,
	.destroy = flight_destroy,
};

int scap_flight_create(struct scap_live *live, const struct scap_flight_config *config,
		       struct scap_flight **flight)
{
	struct scap_flight *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->source.ops = &flight_ops;
	made->live = live;
	made->inner = scap_live_source(live);
	made->rings = scap_live_flight_rings(live);
	made->config = *config;
	made->begin_ns = clock_ns(CLOCK_BOOTTIME) + made->rings->boot_offset_ns;
	*flight = made;
	return 0;
}

void scap_flight_listen(struct scap_flight *flight,
			void (*heard)(void *context, const struct scap_event *event), void *context)
{
	flight->heard = heard;
	flight->context = context;
}

struct scap_source *scap_flight_source(struct scap_flight *flight)
{
	return &flight->source;
}

/* What begins last decides. */
static void limit(struct scap_flight_given *given, uint64_t ns, enum scap_flight_limit why)
{
	if (ns <= given->since_ns)
		return;
	given->since_ns = ns;
	given->limit = why;
}

/* Waits until the events up to that time that wait are all there. Returns 0 or -errno. */
static int settle(struct scap_flight *flight, uint64_t until_ns)
{
	int r = 0;

	for (int i = 0; i < SETTLE_TRIES && r == 0 && !flight->code; i++) {
		r = flight_look(flight, i ? SETTLE_MS : 0);
		if (scap_source_settled(flight->inner) > until_ns)
			break;
	}
	return r;
}

int scap_flight_give(struct scap_flight *flight)
{
	struct scap_flight_given given = {.since_ns = flight->begin_ns};
	struct flight_frozen *frozen = &flight->frozen;
	uint64_t window = flight->config.window_ns;
	int r = flight->gives ? -EBUSY : flight_rings_freeze(flight->rings, frozen);

	if (r == 0)
		r = settle(flight, frozen->until_ns);
	if (r) {
		if (!flight->gives)
			flight_frozen_close(frozen);
		return r;
	}
	given.until_ns = frozen->until_ns;
	given.busy_slots = frozen->busy_slots;
	given.corrupt = frozen->corrupt;
	if (flight->given.until_ns)
		limit(&given, flight->given.until_ns, FLIGHT_LIMIT_BEFORE);
	limit(&given, frozen->since_ns, FLIGHT_LIMIT_RINGS);
	limit(&given, flight->made_room_ns, FLIGHT_LIMIT_WAITING);
	if (window && window < given.until_ns)
		limit(&given, given.until_ns - window, FLIGHT_LIMIT_WINDOW);
	/* All was overwritten while it was copied. */
	if (given.since_ns > given.until_ns)
		given.since_ns = given.until_ns;
	flight->given = given;
	flight->gives = true;
	flight->looks_in = GIVEN_PER_LOOK;
	look_ahead(flight);
	return 0;
}

bool scap_flight_gives(const struct scap_flight *flight)
{
	return flight->gives;
}

void scap_flight_given(const struct scap_flight *flight, struct scap_flight_given *given)
{
	*given = flight->given;
}

bool scap_flight_take_crashed(struct scap_flight *flight)
{
	uint64_t now = flight->step_ns + flight->rings->boot_offset_ns;

	if (!flight->crash_ns || now < flight->crash_ns + CRASH_NS ||
	    (flight->told_ns && now < flight->told_ns + CRASHES_APART_NS))
		return false;
	flight->told_ns = now;
	flight->crash_ns = 0;
	return true;
}
