/* SPDX-License-Identifier: MIT */
/* The perf events that write samples, opened on each CPU. */
#ifndef SCAP_SAMPLES_OPEN_H
#define SCAP_SAMPLES_OPEN_H

#include "perf/tracepoint.h"
#include "perf/usdt_args.h"
#include "scap/samples/ring.h"
#include "scap/samples/samples.h"

/* An event of the list, as it is opened on each CPU. */
struct sample_event {
	const char *name; /* borrowed, or of the arena */
	struct perf_event_attr attr; /* sample_type is the type of its samples */
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

/* All events on one CPU. */
struct sample_cpu {
	struct sample_place *places; /* owned; by id, as they were opened */
	size_t places_count;
	int owner; /* owned: says which files are mapped, and all others use its ring; -1: none */
	struct sample_ring ring; /* not mapped: it is not used yet */
};

struct sample_sources {
	struct sample_event *events; /* owned; one for each of the list */
	size_t events_count;
	struct arena arena;
	struct sample_cpu *cpus; /* owned; by number */
	uint32_t cpus_count; /* that there can be */
	bool counts_lost; /* reading a place says how many of its samples were lost: Linux 6.0 */
	uint64_t lost[SAMPLE_KINDS], unmapped, corrupt; /* of CPUs that were closed */
};

/* Opens those of the CPUs that are online. Returns 0, or -errno with a message; close it also on
 * failure. */
int sample_sources_open(const struct samples_config *config, struct sample_sources *sources,
			struct error *err);
void sample_sources_close(struct sample_sources *sources);

void sample_sources_enable(const struct sample_sources *sources, bool enabled);

/* The event of a sample in the ring of a CPU, or NULL. */
const struct sample_event *sample_sources_find(const struct sample_sources *sources, uint32_t cpu,
					       uint64_t id);

/* Adds the samples that were lost, and the records of mappings and tasks, if `counts_lost`. */
void sample_sources_lost(const struct sample_sources *sources, uint64_t lost[SAMPLE_KINDS],
			 uint64_t *others);

/*
 * Opens all events on a CPU, which takes the privileges; nothing is written yet. Of the sources
 * only what never changes is read: any thread may. machine: says why an event cannot be opened;
 * NULL: less is said. Returns 0, or -errno with a message: nothing is open then.
 */
int sample_cpu_open(const struct samples_config *config, const struct sample_sources *sources,
		    const struct perf_machine *machine, uint32_t number, struct sample_cpu *cpu,
		    struct error *err);

/* Maps the ring of such a CPU. Returns 0, or -errno with a message. */
int sample_cpu_use(const struct samples_config *config, uint32_t number, struct sample_cpu *cpu,
		   struct error *err);

void sample_cpu_enable(const struct sample_cpu *cpu);

/* Frees all but `cpu` itself, which has no events then. */
void sample_cpu_close(struct sample_cpu *cpu);

/* Closes one of the sources, whose losses still count. */
void sample_sources_close_cpu(struct sample_sources *sources, uint32_t number);

#endif
