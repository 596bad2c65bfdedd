/* SPDX-License-Identifier: MIT */
/*
 * A view while it runs: events are counted, and its table is printed at the end, every so often, or
 * on a terminal always at the same place. Tables of a capture file follow its own time.
 */
#ifndef AGENT_RUN_VIEWER_H
#define AGENT_RUN_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "agent/run/line_writer.h"
#include "util/error.h"

struct redact;
struct state_event;
struct viewer;

/* What a viewer is made with; all borrowed. */
struct viewer_config {
	const struct options *options; /* with the view */
	struct redact *redact; /* NULL: secrets are shown */
	uint64_t *rows; /* counts those that are handed to the writer */
};

/* Returns 0 or -errno. */
int viewer_create(const struct viewer_config *config, struct viewer **viewer);
void viewer_destroy(struct viewer *viewer); /* accepts NULL */

/*
 * Before an event is looked at, whether it passes or not: prints the tables before its time. As
 * all that print: returns 0, or -errno with a message if the output cannot be written.
 */
int viewer_note_time(struct viewer *viewer, uint64_t ts_ns, struct line_writer *writer,
		     struct error *err);

/* Counts an event that passed. */
int viewer_take(struct viewer *viewer, const struct state_event *event, struct line_writer *writer,
		struct error *err);

struct views_calls;

/*
 * Says that the state does not follow descriptors, as the kernel finds what they are of the calls
 * that it counts: bytes of events have none.
 */
void viewer_lack_descriptors(struct viewer *viewer);

/*
 * Counts calls that the kernel has counted: see views_engine_take_calls(). passes: the filter lets
 * them; what does not is only part of the account.
 */
void viewer_take_calls(struct viewer *viewer, const struct state_event *event, bool passes,
		       const struct views_calls *calls);

/* At the end: how many the kernel has seen, by a counter of its own. */
void viewer_note_calls_seen(struct viewer *viewer, uint64_t seen);

/* Whether what was counted is printed by the next step. */
bool viewer_is_due(const struct viewer *viewer, uint64_t now_ns);

/* Prints what is due. now_ns: monotonic clock; idle: there are no events at present. */
int viewer_step(struct viewer *viewer, uint64_t now_ns, bool idle, struct line_writer *writer,
		struct error *err);

/* When the next table is due, of the monotonic clock; UINT64_MAX: none is. */
uint64_t viewer_due_ns(const struct viewer *viewer);

/* Whether as many tables were printed as the options ask for. */
bool viewer_has_ended(const struct viewer *viewer);

/*
 * Prints the last table, and on stderr what is missing in all. Returns 0, or -errno with a message.
 */
int viewer_end(struct viewer *viewer, struct line_writer *writer, struct error *err);

#endif
