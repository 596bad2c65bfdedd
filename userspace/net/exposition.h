/* SPDX-License-Identifier: MIT */
/*
 * Metrics as text for Prometheus, version 0.0.4 of its format or OpenMetrics 1.0: a family with its
 * help, then all its samples.
 */
#ifndef NET_EXPOSITION_H
#define NET_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

enum exposition_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_INFO, METRIC_HISTOGRAM };

struct exposition_family {
	const char *name; /* without the end that its type adds, _total or _info */
	enum exposition_type type;
	/* "bytes", "seconds": the end of the name, as OpenMetrics wants it; NULL: none */
	const char *unit;
	const char *help;
};

struct exposition_label {
	const char *name, *value; /* the value may have any character */
};

struct exposition {
	struct buf *out; /* borrowed */
	bool openmetrics;
	const struct exposition_family *family; /* of the samples that follow */
};

void exposition_begin(struct exposition *exposition, const struct exposition_family *family);

/* A sample. labels: the last one has no name; NULL: none. Information has the value 1. */
void exposition_sample(struct exposition *exposition, const struct exposition_label *labels,
		       uint64_t value);
void exposition_sample_real(struct exposition *exposition, const struct exposition_label *labels,
			    double value);

/* One of the observations of a histogram. */
struct exposition_exemplar {
	const char *trace_id;
	double value;
	uint64_t at_ns; /* since the epoch */
};

struct exposition_histogram {
	const uint64_t
		*counts; /* of each bucket alone: those of the bounds, and of what is above */
	const char *(*bound)(const void *context, uint32_t i); /* the text of an upper bound */
	const void *context;
	uint32_t bounds;
	double sum;
	const struct exposition_exemplar *exemplar; /* OpenMetrics shows it; NULL: none */
	uint32_t exemplar_bucket;
};

/* The samples of a histogram; labels: the last one has no name; NULL: none. */
void exposition_histogram(struct exposition *exposition, const struct exposition_label *labels,
			  const struct exposition_histogram *histogram);

/* A family with one sample. */
void exposition_add(struct exposition *exposition, const struct exposition_family *family,
		    uint64_t value);

/* Of a struct with counters: a family with one sample, a member of the type uint64_t. */
struct exposition_member {
	struct exposition_family family;
	size_t offset;
};

/* A row of a table of these: the family "lanner_NAME" of a member of STRUCT, which is defined
 * there. */
#define METRIC(name, type, unit, member, help)                                                     \
	{                                                                                          \
		{"lanner_" name, type, unit, help}, offsetof(STRUCT, member)                       \
	}

/* Their families; values: the struct. */
void exposition_add_members(struct exposition *exposition, const struct exposition_member *members,
			    size_t count, const void *values);

/* Ends the text. */
void exposition_end(struct exposition *exposition);

#endif
