/* SPDX-License-Identifier: MIT */
/*
 * The option -w: events into a capture file, or into one after the other. Each begins with the
 * state at that moment.
 */
#ifndef AGENT_RUN_RECORD_H
#define AGENT_RUN_RECORD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "scap/model/source.h"
#include "util/error.h"

struct record;
struct sinsp;

struct record_stats {
	uint64_t files;
	uint64_t events;
	bool at_least; /* so many events: after an error the last of those on disk are not known */
	uint64_t generic; /* of these, as the generic event */
	uint64_t bytes; /* as stored */
	const char *name; /* of the last file, for people; NULL: there is none */
};

/*
 * Whether a result means that the reader of a pipe is gone, or does not read and the user gave up
 * on it: no failure.
 */
static inline bool record_is_unread(int result)
{
	return result == -EPIPE || result == -EINTR;
}

/*
 * Opens the first file, unless its name waits for the time of the first event. Borrows both.
 * Returns 0 or -errno with a message.
 */
int record_create(const struct options *options, struct sinsp *sinsp, struct record **record,
		  struct error *err);
void record_destroy(struct record *record); /* accepts NULL */

/*
 * The following return 0, or -errno when nothing more can be written: record_problem() says why,
 * and only the last two functions may be called then.
 */

/* To be called before each event is applied to the state: goes on in another file when it is time.
 */
int record_turn(struct record *record, const struct scap_event *event);

/*
 * Writes an event that was applied. passed: it is one of those that were asked for. Others are
 * written, hidden, where they are to keep the state right.
 */
int record_event(struct record *record, const struct scap_event *event, unsigned int id,
		 bool passed);

/* Hands what has collected to the kernel if it is time. idle: nothing else is to be done. */
int record_flush(struct record *record, uint64_t now_ns, bool idle);

/* Ends the last file; to be called after an error, too, and then without another. */
int record_close(struct record *record);

const char *record_problem(const struct record *record);

/* Exact when it is closed without an error. */
void record_stats(const struct record *record, struct record_stats *stats);

#endif
