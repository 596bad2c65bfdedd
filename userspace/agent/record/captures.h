/* SPDX-License-Identifier: MIT */
/* The outputs of a run that are captures, and how several recordings hear of containers. */
#ifndef AGENT_RECORD_CAPTURES_H
#define AGENT_RECORD_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/record/recording.h"
#include "output/config.h"
#include "output/delivery/account.h"
#include "output/delivery/gap.h"
#include "scap/proc/snapshot.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/error.h"

/*
 * Passes on what becomes known of containers, which the state engine reports once, to several
 * recordings.
 */

enum { TEE_MAX = 65 }; /* outputs of this kind, and -w */

struct record_tee {
	struct scap_snapshot snapshot; /* the receiver; first member */
	struct scap_snapshot *to[TEE_MAX]; /* borrowed; NULL: gets nothing */
	int codes[TEE_MAX]; /* of each: 0, or the first -errno */
	size_t count;
};

/* Without receivers. */
void record_tee_init(struct record_tee *tee);

/* Adds a receiver; NULL holds a place. Returns its place, which is below TEE_MAX. */
size_t record_tee_add(struct record_tee *tee, struct scap_snapshot *to);

/*
 * An output scap:PATH: a recording of the events that its filter passes, as a ring of files. What
 * goes wrong with it costs its own events alone, which are counted; some time later it begins
 * another file. All functions are for the thread of events.
 */

struct rotated_keeper;

struct capture {
	struct output_config *config; /* owned; of the kind scap */
	struct filter *filter; /* owned; NULL: all events */
	struct recording_config recording_config;
	struct recording *recording; /* NULL: it was never opened */
	struct rotated_keeper *keeper; /* removes old files; NULL: not open */
	uint64_t files; /* when the keeper was last woken */
	bool passed; /* the event at hand */
	uint64_t asked; /* events that passed */
	uint64_t dropped[GAP_CAUSES];
	bool is_failing, was_failing; /* now; when it was last said */
	enum gap_cause cause;
	struct error err; /* why */
	uint64_t failures;
	uint64_t retry_ns; /* monotonic: when another file is tried */
};

/*
 * Takes over both, also on failure. Returns 0 or -ENOMEM with a message; release with
 * capture_destroy().
 */
int capture_create(struct output_config *config, struct filter *filter, struct capture **capture,
		   struct error *err);
void capture_destroy(struct capture *capture); /* accepts NULL */

/*
 * Opens its file, which begins later. read: the file that events come from, or NULL; give_up: see
 * struct scap_writer_config. `state` is borrowed. Returns 0 or -errno with a message.
 */
int capture_open(struct capture *capture, struct state *state, const char *read,
		 bool (*give_up)(void), struct error *err);

/* Do what recording_is_due() and its like do; results go to the account. */
static inline bool capture_is_due(struct capture *capture, const struct scap_event *raw)
{
	return !capture->is_failing && recording_is_due(capture->recording, raw);
}
void capture_turn(struct capture *capture, const struct scap_event *raw);
static inline bool capture_waits_to_begin(const struct capture *capture)
{
	return !capture->is_failing && !recording_has_begun(capture->recording);
}
void capture_begin(struct capture *capture, uint64_t ns);

/* Decides whether an event passes. Returns as recording_changes(). */
struct scap_snapshot *capture_changes(struct capture *capture, const struct state_event *event,
				      bool passed);
/* Then writes it. code: that of the changes before it. */
void capture_event(struct capture *capture, const struct scap_event *raw, unsigned int id,
		   int code);

/* Writes what is in buffers if it is time; tries again after a failure; appends what it says. */
void capture_step(struct capture *capture, uint64_t now_ns, bool idle, struct buf *messages);

/* SIGHUP: begins another file if the one that is open was renamed or removed. */
void capture_reopen(struct capture *capture);

/* Ends its file. */
void capture_close(struct capture *capture);

void capture_account(const struct capture *capture, struct output_account *account);

/* The outputs of a run that are captures. All functions are for the thread of events. */

enum { CAPTURES_MAX = TEE_MAX - 1 };

struct captures {
	struct capture *list[CAPTURES_MAX]; /* owned */
	size_t count;
	/* Of captures_open(). */
	struct state *state; /* borrowed; NULL: not open */
	const char *read; /* borrowed */
	bool (*give_up)(void);
};

/* Adds one that is not open; it is owned, also on failure. Returns 0 or -EINVAL with a message. */
int captures_add(struct captures *captures, struct capture *capture, struct error *err);

/* Opens all: see capture_open(). Returns 0 or -errno with a message. */
int captures_open(struct captures *captures, struct state *state, const char *read,
		  bool (*give_up)(void), struct error *err);

/* Ends the files of all. */
void captures_close(struct captures *captures);

/* Then: whether one did not keep what it promised: see output_account_broke_promise(). */
bool captures_broke_promise(const struct captures *captures);

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
void captures_changes(const struct captures *captures, const struct state_event *event, bool passed,
		      struct record_tee *tee);

/* Adds the receivers of changes that come without an event. */
void captures_changes_alone(const struct captures *captures, struct record_tee *tee);

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
