/* SPDX-License-Identifier: MIT */
/*
 * An output scap:PATH: a recording of the events that its filter passes, as a ring of files. What
 * goes wrong with it costs its own events alone, which are counted; some time later it begins
 * another file. All functions are for the thread of events.
 */
#ifndef AGENT_RECORD_CAPTURE_H
#define AGENT_RECORD_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/recording.h"
#include "output/config.h"
#include "output/delivery/account.h"
#include "output/delivery/gap.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/error.h"

struct keeper;

struct capture {
	struct output_config *config; /* owned; of the kind scap */
	struct filter *filter; /* owned; NULL: all events */
	struct recording_config recording_config;
	struct recording *recording; /* NULL: it was never opened */
	struct keeper *keeper; /* removes old files; NULL: not open */
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
 * struct scap_writer_config. `sinsp` is borrowed. Returns 0 or -errno with a message.
 */
int capture_open(struct capture *capture, struct sinsp *sinsp, const char *read,
		 bool (*give_up)(void), struct error *err);

/* The same as those of recordings; results go to the account. */
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
struct scap_snapshot *capture_changes(struct capture *capture, const struct sinsp_event *event,
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

#endif
