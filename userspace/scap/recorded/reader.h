/* SPDX-License-Identifier: MIT */
/*
 * perf.data as a source of events: the samples that perf(1) or `agent record` wrote, files and
 * pipes, compressed or not. No byte of it is trusted.
 */
#ifndef SCAP_RECORDED_READER_H
#define SCAP_RECORDED_READER_H

#include "scap/file/reader.h"
#include "scap/file/stream.h"

struct recorded_reader;

/* Whether a stream begins like one, also of a machine with the other order of bytes. */
bool recorded_reader_is(const struct scap_stream *stream);

/*
 * Takes over a stream of such a file, also on failure; path: for messages, and to read what is
 * behind the data if it is a regular file. kallsyms: samples have symbols, and stacks if they have
 * frames; those of the kernel are in this file, /proc/kallsyms; NULL: they have none. Returns 0, or
 * -errno with a message that names the file. Destroy it through its source.
 */
int recorded_reader_open(const char *path, struct scap_stream *stream, const char *kallsyms,
			 struct recorded_reader **reader, struct error *err);

/* As scap_reader_start(): reads up to the first event. What becomes known of threads later is
 * passed on between two events. */
int recorded_reader_start(struct recorded_reader *reader, struct scap_snapshot *to,
			  struct error *err);

struct scap_source *recorded_reader_source(struct recorded_reader *reader);

/* As scap_reader_problem(). */
const char *recorded_reader_problem(const struct recorded_reader *reader);

void recorded_reader_stats(const struct recorded_reader *reader, struct scap_reader_stats *stats);

#endif
