/* SPDX-License-Identifier: MIT */
/*
 * One output, on the side of the thread of events: filters, formats records into blocks, hides
 * secrets and numbers them.
 */
#ifndef OUTPUT_DELIVERY_OUTPUT_H
#define OUTPUT_DELIVERY_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "output/config.h"
#include "output/delivery/account.h"
#include "output/delivery/batch.h"
#include "output/delivery/limit.h"
#include "output/delivery/queue.h"
#include "output/delivery/sender.h"
#include "sinsp/sinsp.h"
#include "util/error.h"

/* What an output shows of events: those that its filter passes, in its format. */

struct schema;

struct output_view {
	const struct output_format *format;
	const struct schema *schema; /* names of fields; NULL: those of Lanner */
	struct filter *filter; /* owned; NULL: all events */
	struct formatter *formatter; /* owned; NULL: only rules print */
	size_t line; /* of the rules: which of their lines has this format */
};

static inline void output_view_finish(struct output_view *view)
{
	filter_destroy(view->filter);
	formatter_destroy(view->formatter);
	*view = (struct output_view){0};
}

/*
 * One output, on the side of the thread of events: formats records into blocks and numbers them.
 * Its sender does the rest.
 */

struct redact;
struct ruleset;

enum { OUTPUT_STREAM_BYTES = SPOOL_STREAM_BYTES + 1 }; /* of the id of a life, with the NUL */
enum { OUTPUT_HOST_BYTES = 256 };

/* What is known of an output with the same configuration, of another agent that has ended. */
struct output_past {
	char stream[OUTPUT_STREAM_BYTES];
	uint64_t number; /* of its last record */
	uint64_t undelivered; /* so many of the last records, but for what is in a spool */
	bool died; /* it ended in the middle: some of these may have been delivered */
};

struct output {
	struct output_config *config; /* owned */
	struct output_view view; /* owned */
	char stream[OUTPUT_STREAM_BYTES];
	struct output_form form;
	struct output_counters counters;
	struct queue queue;
	struct spooler spooler; /* used with a spool alone */
	struct sender sender;
	struct queue_block *block; /* that is being filled; NULL: none */
	uint64_t number; /* of the last record */
	uint64_t first_number; /* of the last record of earlier runs */
	bool continues; /* where `past` ended */
	struct output_past past;
	struct redact *redact; /* owned; NULL: secrets stay */
	struct limit limit;
	struct gaps left_out; /* by the limit, since the last drop record about that */
	uint64_t left_out_ns; /* monotonic: when that was */
	bool wants[EVENT_ID_MAX]; /* types of events that can pass the filter */
	struct text_hider hider; /* of arguments; zero: secrets stay */
	char hostname[OUTPUT_HOST_BYTES]; /* of events; form.hostname from the first match on */
	bool is_open; /* output_open() was called */
	bool awaits_threads; /* for its new spool: one could not be started, and is tried again */
	bool awaits_spool; /* whose numbers go on: until it is open no record is made */
	uint64_t lost_without; /* records that were not made for that */
	bool is_over; /* output_has_ended() said so */
	uint64_t closed_ns; /* monotonic: when output_end() was called; 0: not yet */
};

/*
 * Takes over both, also on failure. Returns 0 or -errno with a message; release with
 * output_destroy().
 */
int output_create(struct output_config *config, struct output_view *view, struct output **output,
		  struct error *err);
void output_destroy(struct output *output); /* accepts NULL; it has ended, or is not open */

/*
 * Whether the target can be opened, without a disturbance of another process that uses it. Returns
 * 0 or -errno with a message.
 */
int output_try(const struct output *output, struct error *err);

/* Before output_open(): the output goes on from there. What was not delivered is said in it. */
void output_continue(struct output *output, const struct output_past *past);

/*
 * Opens the target and starts the thread. reads_file: the source can wait, so that policy=auto
 * does; is_over: ends that wait. Returns 0 or -errno with a message.
 */
int output_open(struct output *output, bool reads_file, bool (*is_over)(void), struct error *err);

/* Whether it was opened without an error. */
static inline bool output_is_running(const struct output *output)
{
	return output->sender.is_started;
}

/*
 * Formats an event if it passes the filter. While it is formatted its number is that of the record.
 * Returns whether it passed; event->filter_unknown is then also what this filter says.
 */
bool output_event(struct output *output, struct state_event *event);

/*
 * Formats an event that a rule matched, if it passes the filter. Returns as output_event().
 */
bool output_match(struct output *output, struct ruleset *ruleset, size_t rule,
		  struct state_event *event);

/*
 * Adds a record to an output that takes metrics: bytes of its format as they were at that time,
 * since the epoch. One that has failed counts as lost.
 */
void output_measure(struct output *output, uint64_t ts_ns, const struct buf *metric);

/*
 * Says in the stream what the capture lost: by type, of which only those count that can pass the
 * filter. The types are changed.
 */
void output_lose(struct output *output, enum gap_cause cause, struct gap *lost);

/* Hands over records if the sender waits for them. */
void output_step(struct output *output, uint64_t now_ns);

/* Whether it has records or gaps that wait to be handed over. */
bool output_has_more(struct output *output);

/* About once a second: makes a spool anew whose folder was removed. */
void output_check_spool(struct output *output);

/*
 * Nothing follows: the sender delivers what there is, then says in the stream that it ends and why,
 * and ends. reason: constant, in the past tense.
 */
void output_end(struct output *output, const char *reason, uint64_t now_ns);

/*
 * After output_end(): whether the sender has ended. When its time is over it is stopped; `hurry`:
 * at once.
 */
bool output_has_ended(struct output *output, uint64_t now_ns, bool hurry);

void output_account(struct output *output, struct output_account *account);

#endif
