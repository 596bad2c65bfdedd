/* SPDX-License-Identifier: MIT */
/*
 * Capture files as a source of events: plain, gzip or zstd, of every version of the format. All
 * events are returned in the current form: see file/upgrade.h. No byte of a file is trusted.
 */
#ifndef SCAP_FILE_READER_H
#define SCAP_FILE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/proc/snapshot.h"
#include "scap/source.h"
#include "util/error.h"

struct scap_reader;
struct scap_stream;

struct scap_reader_stats {
	uint64_t events; /* returned */
	uint64_t joined; /* entry events of old captures that were merged into their exit event */
	uint64_t unknown_events; /* of unknown ids: skipped */
	uint64_t corrupt_events; /* skipped */
	uint64_t corrupt_lists; /* of threads, descriptors, users: the rest of these was skipped */
	uint64_t unknown_blocks; /* skipped */
	uint64_t lost; /* records that are missing, as the file says */
	uint64_t unordered; /* records given out before earlier ones could be excluded */
	uint64_t unmapped; /* of perf.data: mappings, or times those of all processes, left out */
	uint64_t bytes_read; /* of the file as stored */
	uint64_t bytes; /* of the whole file; 0: not known (a pipe) */
};

/*
 * Opens a file ("-": standard input) and checks that it is a capture. Returns 0, or -errno with a
 * message that names the file. Destroy it through its source.
 */
int scap_reader_open(const char *path, struct scap_reader **reader, struct error *err);

/* The same, of a stream that is open, which it takes over, also on failure. */
int scap_reader_open_stream(const char *path, struct scap_stream *stream,
			    struct scap_reader **reader, struct error *err);

/*
 * Passes all that precedes the first event to `to`; the state in later sections of the file is
 * passed on when the events reach it. Call this once, before the first event is taken. `to` is
 * borrowed. Returns 0 or -errno with a message; -EINTR: a signal arrived, or it is time to check
 * for one; the next call continues. A file without events, or one that is truncated before them, is
 * no error here: the source reports it.
 */
int scap_reader_start(struct scap_reader *reader, struct scap_snapshot *to, struct error *err);

struct scap_source *scap_reader_source(struct scap_reader *reader);

/*
 * After the source ended with another error than -ENODATA: a sentence about what is wrong with the
 * file, without its name, with the offset in the uncompressed data. -EPIPE: the file is truncated.
 * In all cases everything before the error was returned.
 */
const char *scap_reader_problem(const struct scap_reader *reader);

/* Whether events may have extension parameters and ids: see scap_writer_config. */
bool scap_reader_is_native(const struct scap_reader *reader);

void scap_reader_stats(const struct scap_reader *reader, struct scap_reader_stats *stats);

#endif
