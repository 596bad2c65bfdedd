/* SPDX-License-Identifier: MIT */
/* The perf events that write samples, opened on each CPU. */
#ifndef SCAP_SAMPLES_OPEN_H
#define SCAP_SAMPLES_OPEN_H

#include "perf/tracepoint.h"
#include "perf/usdt_args.h"
#include "scap/samples/ring.h"
#include "scap/samples/samples.h"

/* An event of the list, as it was opened. */
struct sample_event {
	const char *name; /* borrowed, or of the arena */
	uint64_t type; /* of its samples: PERF_SAMPLE_* */
	enum sample_kind kind;
	struct perf_tracepoint tracepoint; /* of SAMPLE_TRACEPOINT; of the arena */
	struct perf_usdt_args args; /* of SAMPLE_PROBE */
	bool is_return; /* of SAMPLE_PROBE: of a function that returns */
};

/* One event on one CPU. */
struct sample_place {
	uint64_t id; /* in its samples */
	uint32_t event; /* index of its sample_event */
	int fd; /* owned */
};

struct sample_sources {
	struct sample_event *events; /* owned; one for each of the list */
	size_t events_count;
	struct arena arena;
	struct sample_place *places; /* owned; sorted by id */
	size_t places_count;
	/* Of each CPU that is online: what says which files are mapped, whose ring all others use.
	 */
	int *owners; /* owned */
	struct sample_ring *rings; /* owned */
	size_t rings_count;
	bool counts_lost; /* reading a place says how many of its samples were lost: Linux 6.0 */
};

/* Returns 0, or -errno with a message; close it also on failure. */
int sample_sources_open(const struct samples_config *config, struct sample_sources *sources,
			struct error *err);
void sample_sources_close(struct sample_sources *sources);

void sample_sources_enable(const struct sample_sources *sources, bool enabled);

/* The event of a sample, or NULL. */
const struct sample_event *sample_sources_find(const struct sample_sources *sources, uint64_t id);

/* Adds the samples that were lost, and the records of mappings and tasks, if `counts_lost`. */
void sample_sources_lost(const struct sample_sources *sources, uint64_t lost[SAMPLE_KINDS],
			 uint64_t *others);

#endif
