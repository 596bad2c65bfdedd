/* SPDX-License-Identifier: MIT */
/*
 * Writes a capture file: first the state of the machine (as receiver of a snapshot), then events.
 * Blocks are buffered, so that the file on disk usually ends with a whole block.
 */
#ifndef SCAP_FILE_WRITER_H
#define SCAP_FILE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/file/sink.h"
#include "scap/proc/snapshot.h"
#include "scap/source.h"
#include "util/error.h"

struct scap_writer_config {
	enum scap_compression compression;
	/*
	 * Write extension events, extension parameters and latencies, which only this project can
	 * read. Otherwise extension events of system calls are written as the generic one, and the
	 * rest is left out.
	 */
	bool native;
	bool form_2022; /* for readers of 2022: older events, pairs of entry and exit */
	/*
	 * Called if a signal interrupts a write that waits for the reader of a pipe: true ends the
	 * write with -EINTR. NULL: it always goes on.
	 */
	bool (*give_up)(void);
};

struct scap_writer_stats {
	/* Written, hidden ones included. After an error, those known to be handed to the kernel. */
	uint64_t events;
	uint64_t generic; /* of these, as the generic event, which has only the name */
	/* Also of these: descriptions and users of containers, from snapshots. */
	uint64_t containers;
	uint64_t hidden; /* also of these: events that came as hidden */
	uint64_t left_out; /* not written, as the form has nothing for them */
	uint64_t hidden_left_out; /* of these, that nobody asked for */
	uint64_t bytes; /* before compression, snapshot included */
	uint64_t bytes_stored; /* handed to the kernel; until a flush not those of all events */
};

struct scap_writer;

/*
 * Writes to an open file. `fd` and `name`, which is for messages, are borrowed. Returns 0 or -errno
 * with a message.
 */
int scap_writer_create(int fd, const char *name, const struct scap_writer_config *config,
		       struct scap_writer **writer, struct error *err);

/*
 * The receiver of the complete state before the first event, to be used before any event is
 * written. A later snapshot begins a new section of the file; containers alone may come at any
 * time. The next call below also returns an
 * error of the snapshot, with a message.
 */
struct scap_snapshot *scap_writer_snapshot(struct scap_writer *writer);

/*
 * Writes an event with the time of the wall clock. It must have been decoded, which ensures that
 * its frame is complete. `event->hidden`: readers will not print it. Returns 0 or -errno with a
 * message; after an error nothing more is written, and a plain file ends with its last whole block.
 */
int scap_writer_event(struct scap_writer *writer, const struct scap_event *event,
		      struct error *err);

/*
 * Hands all buffered data to the kernel, readable up to there. Returns 0 or -errno with a message,
 * after which nothing more is written.
 */
int scap_writer_flush(struct scap_writer *writer, struct error *err);

/*
 * Ends the stream, and frees the writer in every case; accepts NULL. Returns 0 or -errno with a
 * message.
 */
int scap_writer_finish(struct scap_writer *writer, struct error *err);

void scap_writer_stats(const struct scap_writer *writer, struct scap_writer_stats *stats);

/* The counters of what is known to be handed to the kernel. */
void scap_writer_stats_safe(const struct scap_writer *writer, struct scap_writer_stats *stats);

#endif
