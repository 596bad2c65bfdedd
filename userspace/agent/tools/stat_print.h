/* SPDX-License-Identifier: MIT */
/* What `agent stat` prints: text, columns and objects as those of perf-stat(1). */
#ifndef AGENT_COMMANDS_STAT_PRINT_H
#define AGENT_COMMANDS_STAT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"

enum stat_form { STAT_TEXT, STAT_CSV, STAT_JSON };

/* The container or pod that a line is about; "": not known, or none. */
struct stat_owner {
	const char *container, *id, *pod, *ns;
};

/* A line about an event. */
struct stat_line {
	const struct stat_owner *owner; /* NULL: of all that is counted */
	const char *name;
	const char *unit; /* "": none */
	bool supported, counted;
	double value; /* in that unit */
	bool is_scaled; /* not a number of events: it has a fraction */
	double deviation_percent; /* of the mean of several runs */
	uint64_t enabled_ns, running_ns;
	const char *metric_unit; /* NULL: it has no metric */
	const char *metric_format; /* of the number in texts */
	double metric;
};

struct stat_printer {
	enum stat_form form;
	const char *separator; /* of columns */
	bool has_intervals;
	bool repeats; /* lines have deviations */
};

/* What stands above the lines, of `what`: "'true' (3 runs)". */
void stat_print_head(const struct stat_printer *printer, const char *what, struct buf *out);

/* since_ns: from the start to the end of the interval. */
void stat_print_line(const struct stat_printer *printer, const struct stat_line *line,
		     uint64_t since_ns, struct buf *out);

/* How long it took. */
struct stat_times {
	double elapsed_s, deviation_s; /* deviation: of the mean of several runs */
	bool has_usage; /* what the command took, if it ran once */
	double user_s, system_s;
};

/* What stands below them. */
void stat_print_foot(const struct stat_printer *printer, const struct stat_times *times,
		     struct buf *out);

#endif
