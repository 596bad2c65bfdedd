/* SPDX-License-Identifier: MIT */
/* The options of `agent record`: those of perf-record(1), with their letters. */
#ifndef AGENT_COMMANDS_RECORD_OPTIONS_H
#define AGENT_COMMANDS_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/tools/own_options.h"
#include "perf/record/sampled.h"
#include "util/buf.h"
#include "util/error.h"

/* When the output goes on in another file. */
struct record_switch {
	bool wanted; /* SIGUSR2 does it in any case */
	uint64_t bytes, ns; /* 0: not by that */
};

struct record_options {
	struct buf events; /* owned: texts of -e with commas between; empty: the default */
	const char *pids, *tids; /* lists, or NULL */
	const char *user; /* a name or number, or NULL */
	const char *cpus; /* a list, or NULL */
	const char *cgroup; /* or NULL */
	bool all_cpus;
	struct perf_record_options sampled;
	uint32_t ring_bytes; /* 0: the default */
	int level; /* of the compression; 0: none */
	const char *output; /* "-": standard output */
	struct record_switch switches;
	bool no_inherit, quiet, verbose, help;
	char **command; /* to start, terminated by NULL; NULL: none */
};

/* They set a struct record_options. */
extern const struct own_options record_own_options;

void record_options_finish(void *options);

#endif
