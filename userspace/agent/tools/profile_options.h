/* SPDX-License-Identifier: MIT */
/* The options of `agent profile`. */
#ifndef AGENT_COMMANDS_PROFILE_OPTIONS_H
#define AGENT_COMMANDS_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/tools/own_options.h"
#include "profile/formats/waits.h"
#include "util/error.h"

enum { PROFILE_PIDS_MAX = 1024 };

enum profile_format {
	PROFILE_CHOOSE, /* a table on a terminal, else folded stacks */
	PROFILE_FOLDED,
	PROFILE_TOP,
	PROFILE_PPROF,
	PROFILE_SPEEDSCOPE,
	PROFILE_SVG,
	PROFILE_OTLP,
	PROFILE_WAITS, /* as bcc's offcputime, by that command alone */
	PROFILE_FORMATS,
};

struct profile_options {
	uint64_t frequency_hz;
	uint64_t duration_ns;
	pid_t pids[PROFILE_PIDS_MAX];
	size_t pids_count; /* 0: all */
	enum profile_format format;
	const char *command; /* whose options they are, in messages */
	const char *write; /* a file; NULL: standard output */
	const char *before; /* a file of folded stacks to compare with; NULL: none */
	bool threads, containers; /* their names are frames */
	char *filter; /* owned: the words of a filter; NULL: none */
	const char *container; /* of processes: its id, or the begin of it; NULL: any or none */
	bool off_cpu; /* alone, or with --wall */
	bool wall;
	bool cycles; /* are sampled, not the clock */
	bool no_inline; /* functions that are inlined are no frames */
	uint64_t tid; /* of waits: this thread alone; 0: any */
	bool no_kernel_threads, no_user_threads; /* of waits */
	uint64_t wait_min_us, wait_max_us; /* waits that took that long; 0: any */
	bool has_states; /* of waits: only those that begin in one of these states */
	uint64_t states; /* as in struct profile_capture_config */
	struct waits_options waits; /* of PROFILE_WAITS */
	bool verbose; /* says when it begins to count, and what that cost */
	bool help;
};

/* Of `agent profile` and of `agent offcputime`; they set a struct profile_options. */
extern const struct own_options profile_own_options, offcputime_own_options;

void profile_options_finish(void *options);

/* A setter of a row of options: a list of processes. */
int profile_options_set_pids(void *options, const char *value, struct error *err);

/* Captures and prints. Returns the exit code. agent: what goes for all commands. */
int profile_run_with(const struct profile_options *options, const struct options *agent);

#endif
