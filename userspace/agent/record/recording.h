/* SPDX-License-Identifier: MIT */
/*
 * Writes events to a capture file, or to several in turn. Each begins with the state at that time.
 * Several recordings can write at the same time.
 */
#ifndef AGENT_RECORD_RECORDING_H
#define AGENT_RECORD_RECORDING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/record/recording_config.h"
#include "scap/model/snapshot.h"
#include "scap/model/source.h"
#include "util/error.h"

struct recording;
struct sinsp;

struct recording_stats {
	uint64_t files;
	uint64_t events;
	uint64_t asked; /* of these, that the user asked for: not hidden */
	bool at_least; /* minimum: after an error the exact number on disk is unknown */
	uint64_t generic; /* of these, as the generic event */
	uint64_t left_out; /* not written, as the form of the file has nothing for them */
	uint64_t asked_left_out; /* of these, that the user asked for */
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
 * Opens the first file, unless its name needs the time of the first event. Borrows `config` and
 * `sinsp`. Returns 0 or -errno with a message.
 */
int recording_create(const struct recording_config *config, struct sinsp *sinsp,
		     struct recording **recording, struct error *err);
void recording_destroy(struct recording *recording); /* accepts NULL */

/*
 * The following return 0, or -errno if nothing more can be written: recording_problem() returns the
 * reason, and only recording_close(), recording_open() and the functions after it may be called
 * then.
 */

/*
 * Whether the event, which is not yet applied to the state, belongs to a file that has yet to
 * begin: then call recording_turn(). A file begins with all that is known of containers: what other
 * recordings do not know yet has to be written to them before.
 */
bool recording_is_due(struct recording *recording, const struct scap_event *event);
int recording_turn(struct recording *recording, const struct scap_event *event);

/* Whether a file is open that has not begun; begins it at a time on the wall clock. */
bool recording_has_begun(const struct recording *recording);
int recording_begin(struct recording *recording, uint64_t ns);

/*
 * The receiver of what became known of containers, which comes before an event that was applied;
 * NULL: it is not to be written, as the event has it. passed: as below.
 */
struct scap_snapshot *recording_changes(struct recording *recording, unsigned int id, bool passed);

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

/* Opens another file, also after an error. It begins with the next event. */
int recording_open(struct recording *recording);

/* Whether the file was renamed or removed by another process. */
bool recording_has_moved(const struct recording *recording);

const char *recording_problem(const struct recording *recording);

/* Exact after recording_close() without an error; before, what the kernel has for sure. */
void recording_stats(const struct recording *recording, struct recording_stats *stats);

#endif
