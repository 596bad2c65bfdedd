/* SPDX-License-Identifier: MIT */
/*
 * Events that are open for tasks or CPUs, with a ring for each CPU, and what is read of these into
 * a file. Nothing is decoded but what is counted.
 */
#ifndef PERF_RECORD_RECORDING_H
#define PERF_RECORD_RECORDING_H

#include <poll.h>

#include "perf/count/target.h"
#include "perf/data/build_ids.h"
#include "perf/data/writer.h"
#include "perf/record/sampled.h"

struct perf_recording_config {
	const struct perf_event_list *events; /* borrowed while there is a recording */
	const struct perf_target *target; /* likewise */
	const struct perf_machine *machine; /* likewise */
	struct perf_record_options options;
	uint32_t ring_bytes; /* of each CPU, a power of two of pages; 0: the largest allowed size */
};

struct perf_recording_stats {
	uint64_t samples, records; /* records: with the samples */
	uint64_t lost; /* records: rings were full */
	uint64_t lost_samples; /* by the hardware */
	uint64_t corrupt; /* times that a ring could not be read */
	uint64_t throttled; /* times that the kernel stopped an event for a moment */
	uint64_t first_ns, last_ns; /* of samples; 0: there are none */
};

struct perf_recording;

/* Opens all events; nothing is recorded yet. Returns 0, or -errno with a message. */
int perf_recording_open(const struct perf_recording_config *config,
			struct perf_recording **recording, struct error *err);
void perf_recording_close(struct perf_recording *recording); /* accepts NULL */

/* The events as they were opened, for the facts of a file; valid while there is the recording. */
const struct perf_data_event *perf_recording_events(const struct perf_recording *recording,
						    size_t *count);

uint32_t perf_recording_ring_bytes(const struct perf_recording *recording);

/* The bytes that other records than samples end with. */
uint32_t perf_recording_trailer_bytes(const struct perf_recording *recording);

/* Whether mappings that are not executable are recorded, too. */
bool perf_recording_has_data(const struct perf_recording *recording);

/* Starts or stops all events; those of a target that begins on exec start by themselves. */
void perf_recording_enable(const struct perf_recording *recording, bool enabled);

/* Descriptors to wait for: a ring is a quarter full. Sets as many as the machine has CPUs at most.
 * Returns how many; 0: all tasks have ended. */
size_t perf_recording_fds(const struct perf_recording *recording, struct pollfd *fds, size_t room);

/* Looks at what poll(2) says of them: which tasks have ended. */
void perf_recording_note(struct perf_recording *recording, const struct pollfd *fds, size_t count);

/*
 * Writes what the rings have, and that they were read. build_ids: those of files that are mapped
 * are added. Returns 0, or -errno of the writer.
 */
int perf_recording_drain(struct perf_recording *recording, struct perf_data_writer *writer,
			 struct perf_build_ids *build_ids);

/*
 * Writes how many records of each event were lost since the last time, as perf(1) does at the end:
 * the kernel says it itself with the next record alone that has room. Before Linux 6.0 nothing.
 */
void perf_recording_append_losses(struct perf_recording *recording,
				  struct perf_data_writer *writer);

/* From then on first_ns and last_ns are those of later samples. */
void perf_recording_forget_times(struct perf_recording *recording);

/* Valid while there is the recording, and changed by those above. */
const struct perf_recording_stats *perf_recording_stats(const struct perf_recording *recording);

#endif
