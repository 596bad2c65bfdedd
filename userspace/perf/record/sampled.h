/* SPDX-License-Identifier: MIT */
/* Attributes of events that are sampled for perf.data, as perf-record(1) completes them. */
#ifndef PERF_RECORD_SAMPLED_H
#define PERF_RECORD_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/event.h"

enum {
	PERF_RECORD_FREQUENCY_HZ = 4000, /* of events without a term or an option */
	PERF_RECORD_STACK_BYTES = 8192, /* likewise, copied of a stack */
	PERF_RECORD_STACK_BYTES_MAX = 65528,
	PERF_RECORD_FRAMES_MAX = 127,
};

struct perf_record_options {
	uint64_t frequency_hz, period; /* 0: not given */
	enum perf_call_graph call_graph; /* of events without a term that says it */
	uint32_t stack_bytes; /* 0: PERF_RECORD_STACK_BYTES */
	uint32_t frames_max; /* 0: what the kernel allows */
	int32_t clock; /* CLOCK_… of times; -1: the kernel's own */
	bool has_cpu; /* samples say on which CPU they are */
	bool has_cgroup; /* samples have the number of the control group; records of groups */
	bool has_namespaces; /* records of namespaces */
	bool no_build_ids; /* mappings have numbers of files: the kernel has no build ids */
	bool has_bpf; /* records of BPF programs */
};

/* Whether an event happens one at a time: all are sampled, unless something else is given. */
bool perf_record_is_discrete(const struct perf_event *event);

/* The most samples in a second that the kernel allows. */
uint64_t perf_record_rate_max(void);

/* Completes the attr of an event. ring_bytes: of the ring, whose filling wakes. */
void perf_record_complete(const struct perf_event *event, const struct perf_record_options *options,
			  uint32_t ring_bytes, struct perf_event_attr *attr);

/* Lets an event report mappings, names and tasks. */
void perf_record_track(const struct perf_record_options *options, struct perf_event_attr *attr);

/* Makes the attr of an event that does nothing but that. */
void perf_record_make_tracker(const struct perf_record_options *options, uint32_t ring_bytes,
			      struct perf_event_attr *attr);

/* The bytes that other records than samples end with. */
uint32_t perf_record_trailer_bytes(uint64_t sample_type);

/* How many of the bytes are behind the time in there; UINT32_MAX: it has none. */
uint32_t perf_record_behind_time(uint64_t sample_type);

#endif
