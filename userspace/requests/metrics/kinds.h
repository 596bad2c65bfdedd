/* SPDX-License-Identifier: MIT */
/*
 * Kinds of series, of which a schema has one for each class of protocols and end of connections:
 * their metrics, labels and bounds.
 */
#ifndef REQUESTS_METRICS_KINDS_H
#define REQUESTS_METRICS_KINDS_H

#include "net/exposition.h"
#include "requests/metrics/labels.h"

/* What a metric shows of a series. */
enum kind_value {
	KIND_DURATION, /* these are histograms */
	KIND_REQUEST_SIZE,
	KIND_RESPONSE_SIZE,
	KIND_HISTOGRAMS,
	KIND_REQUESTS = KIND_HISTOGRAMS, /* these are counters; this one with a label `is_slow` */
	KIND_NANOSECONDS,
	KIND_REQUEST_BYTES,
	KIND_RESPONSE_BYTES,
	KIND_AMOUNT,
	KIND_IO, /* bytes, with a label for the direction */
	KIND_LAST, /* a gauge: the last duration, in microseconds */
};

struct kind_metric {
	enum kind_value value;
	const char *name, *unit; /* for OpenTelemetry; NULL: there is no such metric */
	struct exposition_family family;
};

/* The upper bound of a bucket, in ns or bytes; and as text, in seconds or bytes. */
struct kind_bound {
	uint64_t value;
	const char *text;
};

struct kind_bounds {
	const struct kind_bound *items;
	uint32_t count; /* a histogram has one bucket more */
};

enum { KIND_METRICS_MAX = 4 };

struct kind {
	struct kind_bounds bounds[KIND_HISTOGRAMS]; /* without items: it has no such histogram */
	struct kind_metric metrics[KIND_METRICS_MAX]; /* those at the end have no name */
	enum label labels[LABELS_OF_SERIES_MAX + 1];
	bool is_of_sockets;
	bool times_successes; /* how long what failed took is not counted */
};

enum { KIND_ROLES = 2, KINDS_MAX = VIEW_CLASSES * KIND_ROLES, KIND_NONE = KINDS_MAX };

/* How metrics are named. */
enum kinds_schema { KINDS_OTEL, KINDS_KINDLING, KINDS_SCHEMAS };

struct kinds {
	const struct kind *list;
	uint8_t count;
	uint8_t of[VIEW_CLASSES]
		  [KIND_ROLES]; /* by class, and 1 for servers: index in the list, or KIND_NONE */
	uint64_t slow_ns[VIEW_CLASSES]; /* from then on a request is slow */
};

extern const struct kinds kinds_of[KINDS_SCHEMAS];

#endif
