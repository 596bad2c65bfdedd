/* SPDX-License-Identifier: MIT */
/* The options of `agent stat`: those of perf-stat(1), with their letters. */
#ifndef AGENT_COMMANDS_STAT_OPTIONS_H
#define AGENT_COMMANDS_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/tools/stat_print.h"
#include "util/buf.h"
#include "util/error.h"

struct stat_options {
	struct buf events; /* owned: texts of -e with commas between; empty: the default */
	const char *pids, *tids; /* lists, or NULL */
	const char *cpus; /* a list, or NULL; */
	bool all_cpus;
	const char *cgroup; /* or NULL */
	bool per_container, per_pod;
	uint64_t interval_ms, timeout_ms; /* 0: none */
	uint64_t runs;
	enum stat_form form;
	const char *separator; /* of the columns of STAT_CSV */
	const char *output; /* a file; NULL: standard error */
	bool no_inherit, verbose, help;
	char **command; /* to start, terminated by NULL; NULL: none */
};

/*
 * Reads the words behind `stat`, which argv[0] is. Returns 0, or -EINVAL or -ENOMEM with a message.
 */
int stat_options_read(int argc, char **argv, struct stat_options *options, struct error *err);
void stat_options_finish(struct stat_options *options);

/* Prints what the options are. */
void stat_options_print_help(void);

#endif
