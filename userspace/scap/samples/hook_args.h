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

/*
 * Appends the arguments of a probe, "arg1=7", or what a function returned, "ret=7". Those that are
 * not known are left out.
 */
void hook_args_of_probe(const struct perf_usdt_args *known, bool is_return,
			const struct sample_record *sample, struct buf *args);

#endif
