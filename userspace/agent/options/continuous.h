/* SPDX-License-Identifier: MIT */
/* What profiles are taken all the time, and where they go: the value of --profile. */
#ifndef AGENT_OPTIONS_CONTINUOUS_H
#define AGENT_OPTIONS_CONTINUOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"

/* Zeroed: none are taken. */
struct continuous_options {
	const char *folder; /* of pprof files; NULL: none are written */
	const char *endpoint; /* a URL that takes profiles of OTLP; NULL: none are sent */
	uint64_t interval_ns; /* of one profile */
	uint64_t frequency_hz; /* of samples on each CPU */
	uint64_t keep_bytes, keep_ns; /* of files: those that are older are removed */
	uint64_t hangs_ns; /* without a sign of life it is killed; 0: after a default, as always but
			      in tests */
	bool off_cpu; /* the time off the CPU, too */
};

/* Whether profiles are taken. */
static inline bool continuous_is_on(const struct continuous_options *options)
{
	return options->folder || options->endpoint;
}

/*
 * Reads "KEY=VALUE,...", with a backslash before a comma or backslash in a value, into options that
 * it sets as a whole. Texts are kept in `memory`. Returns 0, -EINVAL or -ENOMEM.
 */
int options_read_continuous(const char *text, struct arena *memory,
			    struct continuous_options *options);

#endif
