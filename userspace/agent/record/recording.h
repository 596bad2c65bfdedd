/* SPDX-License-Identifier: MIT */
/*
 * The option -w: writes events to a capture file, or to several in turn. Each begins with the
 * state at that time.
 */
#ifndef AGENT_RECORD_RECORDING_H
#define AGENT_RECORD_RECORDING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/options/options.h"
#include "scap/model/source.h"
#include "util/error.h"

struct recording;
struct sinsp;

struct recording_stats {
	uint64_t files;
	uint64_t events;
	bool at_least; /* minimum: after an error the exact number on disk is unknown */
	uint64_t generic; /* of these, as the generic event */
	uint64_t left_out; /* not written, as the form of the file has nothing for them */
	uint64_t bytes; /* as stored */
	const char *name; /* of the last file, for messages; NULL: none */
};

/*
 * Whether a result means that the reader of a pipe closed it, or that the user gave up waiting for
 * it: no failure.
 */
static inline bool recording_is_unread(int result)
{
	return result == -EPIPE || result == -EINTR;
}

/*
 * Opens the first file, unless its name needs the time of the first event. Borrows `options` and
 * `sinsp`. Returns 0 or -errno with a message.
 */
int recording_create(const struct options *options, struct sinsp *sinsp,
		     struct recording **recording, struct error *err);
void recording_destroy(struct recording *recording); /* accepts NULL */

/*
 * The following return 0, or -errno if nothing more can be written: recording_problem() returns the
 * reason, and only recording_close() and the functions after it may be called then.
 */

/* Call this before each event is applied to the state: changes to another file if it is time. */
int recording_turn(struct recording *recording, const struct scap_event *event);

/*
 * Writes an event that was applied. passed: the user asked for it. Others are written as hidden, if
 * they are needed for the state.
 */
int recording_event(struct recording *recording, const struct scap_event *event, unsigned int id,
		    bool passed);

/* Hands buffered data to the kernel if it is time. idle: the agent has nothing else to do. */
int recording_flush(struct recording *recording, uint64_t now_ns, bool idle);

/* Ends the last file; call this also after an error. */
int recording_close(struct recording *recording);

const char *recording_problem(const struct recording *recording);

/* Exact after recording_close() without an error. */
void recording_stats(const struct recording *recording, struct recording_stats *stats);

#endif
