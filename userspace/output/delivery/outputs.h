/* SPDX-License-Identifier: MIT */
/*
 * The outputs of a run, and whether their threads move. All functions are for the thread of events.
 */
#ifndef OUTPUT_DELIVERY_OUTPUTS_H
#define OUTPUT_DELIVERY_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/delivery/output.h"
#include "util/buf.h"

/* The outputs of a run. All functions are for the thread of events. */

struct outputs {
	struct output **list; /* owned, each, too */
	size_t count;
	struct output **ending; /* the same: replaced, they deliver what they have */
	size_t ending_count;
	struct buf ended; /* accounts of those that have ended, not yet among the messages */
	bool broke_promise; /* one of those that have ended */
	bool reads_file;
	bool (*is_over)(void);
	uint64_t delivery_status_ns; /* when it was last asked for */
};

/* Adds an output that is not open; it is owned, also on failure. Returns 0 or -ENOMEM. */
int outputs_add(struct outputs *outputs, struct output *output);

/*
 * Opens all. reads_file: events come from a file, which can wait; is_over: whether the run may not
 * wait any more. Returns 0 or -errno with a message.
 */
int outputs_open(struct outputs *outputs, bool reads_file, bool (*is_over)(void),
		 struct error *err);

/*
 * Whether all targets can be opened, without a disturbance of another process that uses them.
 * Returns 0 or -errno with a message.
 */
int outputs_try(const struct outputs *outputs, struct error *err);

/* Sends what is left, for as long as each output allows; hurry: whether to end at once; or NULL. */
void outputs_close(struct outputs *outputs, bool (*hurry)(void));

/* Closes what is open, and releases all. Zeroed: no outputs. */
void outputs_finish(struct outputs *outputs);

/* The state that all of them need: enum field_needs bits. */
unsigned int outputs_needs(const struct outputs *outputs);

/*
 * Whether each output that takes events has a filter, and there is one, or there are no outputs at
 * all; and all filters, as one that passes what any passes.
 */
bool outputs_have_filters(const struct outputs *outputs);
void outputs_append_filters(const struct outputs *outputs, struct buf *text);

/* Whether an event passes the filter of any; formats it for those. */
static inline bool outputs_event(const struct outputs *outputs, struct state_event *event)
{
	const bool unknown = event->filter_unknown;
	bool any = false;

	for (size_t i = 0; i < outputs->count; i++) {
		any |= output_event(outputs->list[i], event);
		event->filter_unknown = unknown;
	}
	return any;
}

/* Hands an event that a rule matched to all outputs. Returns whether it passed one of them. */
bool outputs_match(const struct outputs *outputs, struct ruleset *ruleset, size_t rule,
		   struct state_event *event);

/* Whether any output takes metrics; and hands a record of them to those: see output_measure(). */
bool outputs_take_metrics(const struct outputs *outputs);
void outputs_measure(const struct outputs *outputs, uint64_t ts_ns, const struct buf *metric);

/* Says in the stream of each output what the capture lost: see output_lose(). */
void outputs_lose(const struct outputs *outputs, enum gap_cause cause, const struct gap *lost);

/*
 * To be called every few events, and while there are none: hands records over. Once a second it
 * appends what there is to say of the outputs, as whole lines.
 */
void outputs_step(struct outputs *outputs, uint64_t now_ns, struct buf *messages);

/* Whether outputs_step() has to come soon: there are records, or news of lost ones. */
bool outputs_have_more(const struct outputs *outputs);

/* After outputs_close(): failures that were over before it, and are not among the messages yet. */
void outputs_append_last_status(const struct outputs *outputs, struct buf *messages);

/* Opens the files of all outputs anew. */
void outputs_reopen(const struct outputs *outputs);

/* Whether nothing can be delivered any more: all targets are gone. */
bool outputs_are_gone(const struct outputs *outputs);

/*
 * After outputs_close(): whether an output did not keep what its configuration promised; also one
 * that a reload replaced. See output_account_broke_promise().
 */
bool outputs_broke_promise(const struct outputs *outputs);

/*
 * Changes to the outputs of `next`, which are not open: those whose configuration is the same stay
 * as they are, others begin, or end. Returns 0, or -errno with a message: then nothing has changed.
 * In both cases `next` is to be finished.
 */
int outputs_change(struct outputs *outputs, struct outputs *next, struct error *err);

/*
 * Whether the threads of outputs move. A target that is dead or slow is not ill health: its calls
 * end at their deadlines, and what they cost is in the account.
 */

enum output_health {
	HEALTH_MOVES,
	HEALTH_BLOCKED, /* a thread has been in a call of its target or its disk for a minute */
	HEALTH_HANGS, /* in our own code, or beyond each deadline: only a restart helps */
};

/*
 * The worst of all threads. Appends a line for each that does not move, by the place of its output,
 * from 1, and its kind: "output 2 (http): its thread has been in a call of its target for 75 s".
 */
enum output_health outputs_health(const struct outputs *outputs, uint64_t now_ns, struct buf *text);

#endif
