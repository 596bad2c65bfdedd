/* SPDX-License-Identifier: MIT */
/* The counters of a run as metrics, with those of its state and its input:
 * deploy/manual/metrics.md. */
#ifndef AGENT_RUN_METRICS_H
#define AGENT_RUN_METRICS_H

#include <stdbool.h>

#include "util/buf.h"

struct run;

/* Appends what a run counts, in the format of OpenMetrics or that before it. */
void metrics_append(const struct run *run, bool openmetrics, struct buf *out);

#endif
