/* SPDX-License-Identifier: MIT */
/* Puts the sources of a boundary before the capture, and takes them away when it is passed. */
#include "takeover/boundary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scap/live/live.h"
#include "util/clock.h"

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
