/* SPDX-License-Identifier: MIT */
/*
 * System calls in the form of strace(1): a line for each call that has ended, in the order of the
 * ends, with the lines of signals and exits between; or a table of what was called. Of each call
 * there is what its event has; what that lacks is "..." or, of a structure, "{...}".
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

struct redact;
struct state_event;

/* What stands before a line. */
enum trace_time { TRACE_TIME_NONE, TRACE_TIME_SECONDS, TRACE_TIME_MICROS, TRACE_TIME_EPOCH };

/* What stands behind the number of a descriptor. */
enum trace_names { TRACE_NAMES_NONE, TRACE_NAMES_PATHS, TRACE_NAMES_ALL };

/* Whether calls are lines, a table, or both. */
enum trace_shows { TRACE_LINES, TRACE_TABLE, TRACE_LINES_AND_TABLE };

/* What the rows of the table are sorted by. */
enum trace_order {
	TRACE_BY_TIME,
	TRACE_BY_MEAN,
	TRACE_BY_MIN,
	TRACE_BY_MAX,
	TRACE_BY_CALLS,
	TRACE_BY_ERRORS,
	TRACE_BY_NAME,
	TRACE_BY_NOTHING, /* as they were first called */
};

enum { TRACE_STRING_MAX = 32, TRACE_COLUMN = 40 };

struct trace_options {
	enum trace_time time;
	enum trace_names names;
	enum trace_shows shows;
	enum trace_order order;
	bool follows; /* children and threads, too; else only the first threads */
	bool relative; /* the time since the call before */
	bool durations;
	bool pid_column; /* of each line, as in a file of several processes */
	bool quiet_exits;
	size_t string_max; /* bytes of strings and buffers that are shown */
	unsigned int column; /* of the result */
	size_t traced; /* how many threads there are at the beginning */
	int fd; /* what is printed to; borrowed */
};

struct trace;

/*
 * options: borrowed. redact: hides the secrets of lines, borrowed; NULL: they are shown. Returns 0
 * or -ENOMEM.
 */
int trace_create(const struct trace_options *options, struct redact *redact, struct trace **trace);
void trace_destroy(struct trace *trace); /* accepts NULL */

/* The state that lines need, as enum field_needs bits. */
unsigned int trace_needs(const struct trace_options *options);

/*
 * Takes an event: a call, a signal that is delivered, an exit. Appends its line, if it has one.
 * Returns whether it has.
 */
bool trace_take(struct trace *trace, const struct state_event *event, struct buf *out);

/* Appends the table, if it is asked for: as that of strace, then quantiles of the durations. */
void trace_append_table(const struct trace *trace, struct buf *out);

#endif
