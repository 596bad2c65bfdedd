/* SPDX-License-Identifier: MIT */
/*
 * A live capture without a kernel, which stands in for the one of scap/live: its events are
 * injected, and its counters are set by the test. Linked whole, so that the real one is not taken.
 */
#ifndef TESTS_FAKE_LIVE_H
#define TESTS_FAKE_LIVE_H

#include "inject.h"
#include "scap/live/flight_rings.h"
#include "scap/live/live.h"

enum { FAKE_REJECTED_MAX = 4, FAKE_CPUS_MAX = 4 };

struct scap_live {
	struct scap_source source;
	struct scap_inject *inject; /* NULL after the source was destroyed */
	struct scap_live_config config; /* as it was opened */
	struct scap_live_stats stats;
	struct flight_rings flight_rings; /* of no CPU */
	struct scap_live_cpu cpus[FAKE_CPUS_MAX]; /* what is said of each */
	uint32_t cpus_count;
	struct scap_live_throttled throttled; /* with losses: one that was over a limit */
	uint32_t silent; /* CPUs */
	uint32_t own_map; /* its id */
	struct shed shed; /* what it was told last */
	uint64_t run_ns; /* of its programs */
	uint64_t groups_key; /* of its own groups, */
	struct buf own_groups; /* of the test's memory; empty: they are not known */
	pid_t muted; /* proposed or muted last; 0: none is */
	uint64_t muted_program; /* of it; 0: it is only proposed */
	uint64_t rejected_key; /* what it was told last; 0: nothing is rejected */
	uint64_t limited_ino; /* likewise; 0: nothing is limited */
	uint32_t limited_bytes;
	int shed_code; /* -errno: neither can be set or read */
	int stats_code; /* -errno: the counters cannot be read */
	int enter_error, sends_error, filters_error, answers_error;
	enum live_hooks call_hooks;
	enum live_uring uring;
	struct buf cgroup_roots; /* of the test's memory */
	int cgroup_roots_code;
	/* -errno; 0: -ENODATA; a descriptor of the test, read from its begin each time */
	int iterators[SCAP_LIVE_ITERATORS];
	uint16_t rejected[FAKE_REJECTED_MAX + 1];
	bool slow; /* gives an event only to whoever waits, and takes a millisecond for it */
	bool endless; /* does not end before it is stopped */
	bool stopped;
	int waited_ms; /* the last time that somebody waited for more of an endless one */
	unsigned int trickled; /* events of a slow one before it was stopped */
};

/* Makes a capture without events, in the caller's memory; destroying its source finishes it. */
void fake_live_init(struct scap_live *live);

/* The capture that is opened next; NULL: opening fails with -EPERM, as it does at first. */
void fake_live_offer(struct scap_live *live);

/* Adds an event, which is counted as seen and delivered. */
void fake_live_append(struct scap_live *live, uint16_t id, const struct scap_event *event);

#endif
