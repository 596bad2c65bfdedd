/* SPDX-License-Identifier: MIT */
/* Series as records for collectors of OpenTelemetry. */
#ifndef REQUESTS_METRICS_RECORDS_H
#define REQUESTS_METRICS_RECORDS_H

#include <stdint.h>

#include "requests/metrics/series.h"
#include "util/buf.h"

/*
 * Gives out all series as they are at that time, since the epoch: messages Metric, each after its
 * length, with some series of one metric. A record is valid during the call; it has failed if there
 * was no memory for it.
 */
void records_of_series(const struct series_table *table, uint64_t now_ns,
		       void (*take)(void *context, const struct buf *record), void *context);

#endif
