/* SPDX-License-Identifier: MIT */
/* Events of the PMUs of a machine: terms are formats and the kernel's names of events. */
#ifndef PERF_PMU_H
#define PERF_PMU_H

#include "perf/terms.h"

/*
 * Gives an event the encoding that the terms have in a PMU; `place`: where the PMU is named.
 * Returns 0, -EINVAL or -ENOMEM.
 */
int perf_pmu_encode(struct perf_parser *parser, const struct perf_pmu *pmu,
		    const struct perf_terms *terms, const char *place, struct perf_event *event);

/*
 * Encodes a generic event of a CPU of a machine with several kinds of cores, for those of one kind.
 */
void perf_pmu_narrow(const struct perf_pmu *pmu, struct perf_event *event);

/* Makes it an event of the PMU, without saying of which. */
void perf_pmu_enter(const struct perf_pmu *pmu, struct perf_event *event);

#endif
