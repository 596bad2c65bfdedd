/* SPDX-License-Identifier: MIT */
/* The outputs of a run that are captures. All functions are for the thread of events. */
#ifndef AGENT_RECORD_CAPTURES_H
#define AGENT_RECORD_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/record/capture.h"
#include "agent/record/fan.h"
#include "util/buf.h"

enum { CAPTURES_MAX = FAN_MAX - 1 };

struct captures {
	struct capture *list[CAPTURES_MAX]; /* owned */
	size_t count;
	/* Of captures_open(). */
	struct sinsp *sinsp; /* borrowed; NULL: not open */
	const char *read; /* borrowed */
	bool (*give_up)(void);
};

/* Adds one that is not open; it is owned, also on failure. Returns 0 or -EINVAL with a message. */
int captures_add(struct captures *captures, struct capture *capture, struct error *err);

/* Opens all: see capture_open(). Returns 0 or -errno with a message. */
int captures_open(struct captures *captures, struct sinsp *sinsp, const char *read,
		  bool (*give_up)(void), struct error *err);

/* Ends the files of all. */
void captures_close(struct captures *captures);

/* Closes what is open, and releases all. Zeroed: none. */
void captures_finish(struct captures *captures);

/* The state that their filters need: enum field_needs bits. */
unsigned int captures_needs(const struct captures *captures);

/* As those of outputs: a filter that passes what any passes. Without captures all have one. */
bool captures_have_filters(const struct captures *captures);
void captures_append_filters(const struct captures *captures, struct buf *text);

/*
 * Whether a file is to begin, before an event is applied; NULL: without one. What other recordings
 * do not know yet has to be written to them before: see recording_is_due(). Then begins them.
 */
bool captures_are_due(const struct captures *captures, const struct scap_event *raw);
void captures_turn(const struct captures *captures, const struct scap_event *raw);

/* Adds the receivers of changes that come before an event; see capture_changes(). */
void captures_changes(const struct captures *captures, const struct sinsp_event *event, bool passed,
		      struct fan *fan);

/* The same without an event. */
void captures_changes_alone(const struct captures *captures, struct fan *fan);

/* Writes the event; `codes`: of the receivers that were added, in their order. */
void captures_event(const struct captures *captures, const struct scap_event *raw, unsigned int id,
		    const int *codes);

/* To be called every few events, and while there are none. Appends what there is to say. */
void captures_step(const struct captures *captures, uint64_t now_ns, bool idle,
		   struct buf *messages);

/* SIGHUP: see capture_reopen(). */
void captures_reopen(const struct captures *captures);

/*
 * Opens the files of those of `next`, which are not open, that have another configuration than all
 * of `captures`. Returns 0, or -errno with a message: then nothing has changed.
 */
int captures_prepare(const struct captures *captures, struct captures *next, struct error *err);

/*
 * Then changes to them: those whose configuration is the same stay as they are, others begin, or
 * end, and their accounts are appended to `ended` as whole lines. `next` is to be finished, also
 * without this.
 */
void captures_replace(struct captures *captures, struct captures *next, struct buf *ended);

#endif
