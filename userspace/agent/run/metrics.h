/* SPDX-License-Identifier: MIT */
/* What a run counts, as metrics. Names are documented in deploy/manual/metrics.md. */
#ifndef AGENT_RUN_METRICS_H
#define AGENT_RUN_METRICS_H

#include <stdbool.h>

#include "util/buf.h"

struct run;

/* Called by the thread of the loop. */
void metrics_append(const struct run *run, bool openmetrics, struct buf *out);

#endif
