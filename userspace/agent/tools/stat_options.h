/* SPDX-License-Identifier: MIT */
/* The options of `agent stat`: those of perf-stat(1), with their letters. */
#ifndef AGENT_COMMANDS_STAT_OPTIONS_H
#define AGENT_COMMANDS_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/tools/own_options.h"
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

/* They set a struct stat_options. */
extern const struct own_options stat_own_options;

void stat_options_finish(void *options);

#endif
