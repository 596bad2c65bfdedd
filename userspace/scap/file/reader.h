/* SPDX-License-Identifier: MIT */
/*
 * Capture files as a source of events: plain, gzip or zstd, of every version of the format. All
 * events come out in the current form: see file/upgrade.h. No byte of a file is trusted.
 */
#ifndef SCAP_FILE_READER_H
#define SCAP_FILE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/model/snapshot.h"
#include "scap/model/source.h"
#include "util/error.h"

struct scap_reader;

struct scap_reader_stats {
	uint64_t events;	 /* given out */
	uint64_t joined; /* enter events of old captures that became part of their exit */
	uint64_t unknown_events; /* of ids that this version does not know: skipped */
	uint64_t damaged_events; /* skipped */
	uint64_t damaged_lists;	 /* of threads, descriptors, users: the rest of these was skipped */
	uint64_t unknown_blocks; /* skipped */
	uint64_t bytes_read;	 /* of the file as it is stored */
	uint64_t bytes;		 /* of the whole file; 0: not known (a pipe) */
};

/*
 * Opens a file ("-": standard input) and checks that it is a capture. Returns 0, or -errno with a
 * message that names the file. Destroy it through its source.
 */
int scap_reader_open(const char *path, struct scap_reader **reader, struct error *err);

/*
 * Tells `to` all that stands before the first event; what further sections of the file say is told
 * when the events come to it. To be called once, before the first event is taken. `to` is borrowed.
 * Returns 0 or -errno with a message; -EINTR: a signal arrived, or it is time to look whether one
 * has, and the next call goes on. A file that has no events, or is truncated before them, is none
 * of these: the source says so.
 */
int scap_reader_start(struct scap_reader *reader, struct scap_snapshot *to, struct error *err);

struct scap_source *scap_reader_source(struct scap_reader *reader);

/*
 * After the source ended with another error than -ENODATA: what is wrong with the file (a sentence
 * about it, without its name), and at which byte of what it holds when it is unpacked. -EPIPE: the
 * file is truncated. In either case all before that was given out.
 */
const char *scap_reader_problem(const struct scap_reader *reader);

/* Whether events may have parameters and ids of our own: see scap_writer_config. */
bool scap_reader_is_native(const struct scap_reader *reader);

void scap_reader_stats(const struct scap_reader *reader, struct scap_reader_stats *stats);

#endif
