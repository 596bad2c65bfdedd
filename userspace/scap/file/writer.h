/* SPDX-License-Identifier: MIT */
/*
 * Writes a capture file: first what the machine is like (as a listener to a snapshot), then events.
 * Blocks collect in a buffer, so that what is on disk ends with a whole one, or nearly so.
 */
#ifndef SCAP_FILE_WRITER_H
#define SCAP_FILE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/file/sink.h"
#include "scap/model/snapshot.h"
#include "scap/model/source.h"
#include "util/error.h"

struct scap_writer_config {
	enum scap_compression compression;
	/*
	 * Events of our own, parameters of our own and latencies as they are, for us alone to read.
	 * Otherwise such events are written as the generic one, and the rest is left out.
	 */
	bool native;
	bool form_2022; /* for readers of 2022: older events, pairs of enter and exit */
	/*
	 * Asked when a signal interrupts a write that waits for the reader of a pipe: true ends it
	 * with -EINTR. NULL: never.
	 */
	bool (*give_up)(void);
};

struct scap_writer_stats {
	/* Written, hidden ones included. After an error, those known to have come to the kernel. */
	uint64_t events;
	uint64_t generic; /* of these, as the generic event, of which only the name is left */
	uint64_t bytes; /* before compression, snapshot included */
	uint64_t bytes_stored; /* handed to the kernel; less than of all events until a flush */
};

struct scap_writer;

/*
 * Writes to an open file, which is borrowed; `name` is for messages, and borrowed as well. Returns
 * 0 or -errno with a message.
 */
int scap_writer_create(int fd, const char *name, const struct scap_writer_config *config,
		       struct scap_writer **writer, struct error *err);

/*
 * The listener to which the state before the first event is told, throughout, before any event is
 * written. Told anew later, it begins a new section of the file. What fails also comes, with a
 * message, from the next call below.
 */
struct scap_snapshot *scap_writer_snapshot(struct scap_writer *writer);

/*
 * Writes an event that was decoded before, so that its frame is known to be whole, with the time of
 * the wall clock. `event->hidden`: readers will not show it. Returns 0 or -errno with a message;
 * after an error nothing more is written, and a plain file ends with its last whole block.
 */
int scap_writer_event(struct scap_writer *writer, const struct scap_event *event,
		      struct error *err);

/* Hands all that has collected to the kernel, readable as it is. As above. */
int scap_writer_flush(struct scap_writer *writer, struct error *err);

/* Ends the stream, and frees the writer; accepts NULL. As above. */
int scap_writer_finish(struct scap_writer *writer, struct error *err);

void scap_writer_stats(const struct scap_writer *writer, struct scap_writer_stats *stats);

#endif
