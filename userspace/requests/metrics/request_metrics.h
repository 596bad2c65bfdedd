/* SPDX-License-Identifier: MIT */
/*
 * Metrics made of requests, and of what the kernel does on sockets of TCP: durations, sizes and
 * errors by what was asked and who asked or answered, and the account of requests. On the thread of
 * the loop alone.
 */
#ifndef REQUESTS_METRICS_REQUEST_METRICS_H
#define REQUESTS_METRICS_REQUEST_METRICS_H

#include <stdint.h>

#include "net/exposition.h"
#include "requests/metrics/kinds.h"
#include "requests/requests.h"
#include "sinsp/state/event.h"

struct request_metrics;

/* What is measured. */
enum { METRICS_OF_REQUESTS = 1 << 0, METRICS_OF_TCP = 1 << 1 };

enum { REQUEST_METRICS_SERIES = 2000, REQUEST_METRICS_SERIES_MAX = 1000000 };

/* A series that nothing used for so long is dropped. */
#define REQUEST_METRICS_AGE_NS UINT64_C(600000000000)

/*
 * parts: METRICS_OF_... At most so many series, from 1 to REQUEST_METRICS_SERIES_MAX. Returns 0 or
 * -errno.
 */
int request_metrics_create(enum kinds_schema schema, unsigned int parts, uint32_t series,
			   struct request_metrics **metrics);
void request_metrics_destroy(struct request_metrics *metrics); /* accepts NULL */

/* Counts an event; those of which nothing is measured are ignored. */
void request_metrics_take(struct request_metrics *metrics, const struct state_event *event);

/* Drops old series at that time, of the events' clock. Cheap: to be called often. */
void request_metrics_step(struct request_metrics *metrics, uint64_t now_ns);

void request_metrics_append(const struct request_metrics *metrics, struct exposition *exposition);

/*
 * Gives out all series as records for a collector of OpenTelemetry: messages Metric, as they are at
 * that time since the epoch, each after its length. See records_of_series().
 */
void request_metrics_records(const struct request_metrics *metrics, uint64_t now_ns,
			     void (*take)(void *context, const struct buf *record), void *context);

/* Appends the account of requests, and the coverage of sockets. */
void request_metrics_append_account(const struct requests_stats *stats,
				    struct exposition *exposition);

/* Bytes that it has from the system. */
size_t request_metrics_bytes(const struct request_metrics *metrics);

#endif
