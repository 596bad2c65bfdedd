/* SPDX-License-Identifier: MIT */
/* The options of `agent trace`, which are those of strace; and the capture that they ask for. */
#ifndef AGENT_COMMANDS_TRACE_OPTIONS_H
#define AGENT_COMMANDS_TRACE_OPTIONS_H

#include <stdbool.h>

#include "trace/trace.h"
#include "util/buf.h"
#include "util/error.h"

enum { TRACE_PIDS_MAX = 256, TRACE_PATHS_MAX = 64 };

struct trace_command_options {
	struct trace_options lines;
	const char *pids[TRACE_PIDS_MAX], *paths[TRACE_PATHS_MAX];
	size_t pids_count, paths_count;
	const char *calls, *status, *signals; /* lists of -e; NULL: all */
	const char *output; /* a file; NULL: standard error */
	bool append; /* to the file */
	bool separate; /* a file for each process, which is rejected */
	bool no_redact, help, version;
	unsigned int quiet; /* how often -q was given */
	char **command; /* to start, terminated by NULL; NULL: none */
};

/*
 * Reads the words behind `trace`, which argv[0] is. Returns 0, or -EINVAL with a message.
 */
int trace_options_read(int argc, char **argv, struct trace_command_options *options,
		       struct error *err);

/* Appends the filter of the events that are wanted. Returns 0 or -errno with a message. */
int trace_options_append_filter(const struct trace_command_options *options, struct buf *out,
				struct error *err);

/* Prints what the options are. */
void trace_options_print_help(void);

#endif
