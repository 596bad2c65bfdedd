/* SPDX-License-Identifier: MIT */
/* Descriptions of a recording and its machine, as perf.data has them behind or before the data. */
#ifndef PERF_DATA_DESCRIBED_H
#define PERF_DATA_DESCRIBED_H

#include "perf/data/writer.h"

/* What descriptions are made of. */
struct perf_data_described {
	const struct perf_data_facts *facts;
	const struct perf_data_end *end; /* NULL: it is not known yet */
	uint64_t raw_bytes, packed_bytes; /* of rings */
	uint64_t wall_ns, clock_ns; /* the wall clock and that of records at one moment */
};

/* Sets the pair of clocks. */
void perf_data_described_init(const struct perf_data_facts *facts,
			      struct perf_data_described *described);

/* Appends the body of a description. Returns false, with nothing appended: there is none. */
bool perf_data_feature_append(enum perf_data_feature feature,
			      const struct perf_data_described *described, struct buf *out);

/* A text as descriptions have it: with its length, padded. */
void perf_data_append_string(struct buf *out, const char *text);

#endif
