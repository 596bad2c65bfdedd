/* SPDX-License-Identifier: MIT */
/* Probes: events at places of programs and of the kernel, with the PMUs uprobe and kprobe. */
#ifndef PERF_PROBE_H
#define PERF_PROBE_H

#include "perf/terms.h"

/*
 * Applies a term that only probes have: path, symbol, offset. `*known` says whether it is one.
 * Returns 0, -EINVAL or -ENOMEM.
 */
int perf_probe_apply(struct perf_parser *parser, const struct perf_pmu *pmu,
		     const struct perf_term *term, struct perf_event *event, bool *known);

/* Offers the names of those terms. */
void perf_probe_guess(const struct perf_pmu *pmu, struct perf_guess *guess);

/*
 * Holds the file of a probe, whose symbols are to be read by the path of `probe_file` from then on.
 * Returns 0 or -errno.
 */
int perf_probe_hold(struct perf_parser *parser, struct perf_event *event);

/*
 * Completes a probe: the symbol of a file becomes an offset in it. Does nothing for other PMUs.
 * `place`: where errors point. Returns 0 or -EINVAL.
 */
int perf_probe_check(struct perf_parser *parser, const struct perf_pmu *pmu, const char *place,
		     struct perf_event *event);

#endif
