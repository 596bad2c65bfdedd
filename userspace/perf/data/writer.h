/* SPDX-License-Identifier: MIT */
/*
 * Writes perf.data: a file, whose header is completed at the end, or a pipe, in which all
 * descriptions are records. What rings have is written from where it is, or compressed.
 */
#ifndef PERF_DATA_WRITER_H
#define PERF_DATA_WRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "perf/data/build_ids.h"
#include "util/buf.h"
#include "util/error.h"

/* An event of the file. */
struct perf_data_event {
	struct perf_event_attr attr; /* as it was opened */
	const char *name;
	const uint64_t *ids; /* of all its descriptors */
	size_t ids_count;
	/* Of the first event of a group: how many it has; 0: it begins none. */
	uint32_t group_members;
};

/* What is described of a recording. All is borrowed while there is a writer. */
struct perf_data_facts {
	const struct perf_data_event *events;
	size_t events_count;
	const char *version; /* of the program that records */
	char *const *command; /* the words of its command line; NULL ends them */
	const struct buf *tracing; /* the formats of tracepoints; empty: there are none */
	const struct perf_build_ids *build_ids; /* read at the end */
	int32_t clock; /* of the times of records: CLOCK_…; -1: the kernel's own */
	uint32_t ring_bytes; /* of the largest ring */
	int level; /* of the compression, 1 to 22; 0: none */
};

/* What is known at the end alone. */
struct perf_data_end {
	uint64_t first_ns, last_ns; /* the times of samples; both 0: there are none */
};

struct perf_data_writer;

/*
 * Begins a recording in an open file, which stays the caller's; is_pipe: one that need not be a
 * regular file, or is not to be read before its end. Returns 0, or -errno with a message.
 */
int perf_data_writer_create(int fd, bool is_pipe, const struct perf_data_facts *facts,
			    struct perf_data_writer **writer, struct error *err);
void perf_data_writer_destroy(struct perf_data_writer *writer); /* accepts NULL */

/*
 * Appends whole records of our own, uncompressed. Failures are those of a later call. Until it
 * fails, all functions below return 0; then -errno.
 */
void perf_data_writer_append(struct perf_data_writer *writer, const void *records, size_t bytes);

/* Appends what a ring has: whole records in one or two parts. */
int perf_data_writer_append_ring(struct perf_data_writer *writer, const struct iovec *parts,
				 int count);

/* All rings were read: says so to readers, which can order what precedes. */
int perf_data_writer_round(struct perf_data_writer *writer);

/* Completes a recording: of a file the descriptions behind the data, and its header. */
int perf_data_writer_finish(struct perf_data_writer *writer, const struct perf_data_end *end);

/* The bytes that were written. */
uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer);

/* What rings had and what was written of it, in bytes. */
void perf_data_writer_ratio(const struct perf_data_writer *writer, uint64_t *raw, uint64_t *packed);

#endif
