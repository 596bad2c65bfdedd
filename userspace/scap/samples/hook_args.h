/* SPDX-License-Identifier: MIT */
/* What tracepoints and probes have in their samples, as texts "NAME=VALUE", each with a NUL behind
 * it. */
#ifndef SCAP_SAMPLES_HOOK_ARGS_H
#define SCAP_SAMPLES_HOOK_ARGS_H

#include "perf/tracepoint.h"
#include "scap/samples/record.h"
#include "util/buf.h"

enum { HOOK_ARGS_BYTES = 1 << 14 }; /* arguments that do not fit are left out */

/* Appends the fields of a tracepoint. Those that the data does not have are left out. */
void hook_args_of_tracepoint(const struct perf_tracepoint *tracepoint,
			     const struct sample_record *sample, struct buf *args);

#endif
