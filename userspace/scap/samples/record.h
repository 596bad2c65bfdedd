/* SPDX-License-Identifier: MIT */
/*
 * The records of perf_event_open(2) that rings of samples have. Every size is checked; what is
 * returned points into the record.
 */
#ifndef SCAP_SAMPLES_RECORD_H
#define SCAP_SAMPLES_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/usdt_args.h"

/* What each sample has, and what it may have as well; other records end with the time. */
#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define SAMPLE_TYPE_MAX                                                                            \
	(SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |           \
	 PERF_SAMPLE_STACK_USER)

enum { SAMPLE_MODES = 6 }; /* sample_modes */

struct sample_record {
	uint64_t id, ip, time_ns, addr, period;
	int32_t pid, tid; /* -1: of a task that has ended */
	uint8_t mode; /* sample_modes */
	const uint8_t *frames; /* unaligned numbers, with markers among them; see sample_frame() */
	uint32_t frames_count;
	const uint8_t *raw;
	uint32_t raw_bytes;
	struct perf_usdt_registers registers; /* of user space, if it has them */
};

/* What a record of any kind has. */
struct sample_head {
	uint16_t type; /* PERF_RECORD_… */
	int32_t pid; /* -1: of a task that has ended */
	uint64_t time_ns; /* of the clock of its event */
	uint64_t id; /* of the event, by which the type of a sample is found */
};

/* Returns false: it is too short for that. */
bool sample_head_read(const void *record, size_t bytes, struct sample_head *head);

/* Decodes a sample of that type, a subset of SAMPLE_TYPE_MAX. Returns 0 or -EBADMSG. */
int sample_record_decode(const void *record, size_t bytes, uint64_t type,
			 struct sample_record *sample);

/* The i-th number of its frames. */
uint64_t sample_frame(const struct sample_record *sample, uint32_t i);

/*
 * Whether such a number is a marker and no address: the frames behind it are of that mode
 * (sample_modes).
 */
bool sample_frame_is_marker(uint64_t frame, uint8_t *mode);

/* Memory of a process that a file was mapped to, executable. */
struct sample_mapping {
	int32_t pid;
	uint64_t begin, bytes, offset; /* of the address, and in the file */
	uint32_t major, minor;
	uint64_t ino; /* 0: no file */
	const char *path; /* as the process sees it; terminated */
};

/* Decodes PERF_RECORD_MMAP2. Returns 0, or -EBADMSG; -ENODATA: it is not of a file by its number.
 */
int sample_mapping_decode(const void *record, size_t bytes, struct sample_mapping *mapping);

/* PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct sample_task {
	int32_t pid, parent, tid;
};

/* Returns 0 or -EBADMSG. */
int sample_task_decode(const void *record, size_t bytes, struct sample_task *task);

/* Whether PERF_RECORD_COMM is of a program that begins, and of which process. */
bool sample_is_exec(const void *record, size_t bytes, int32_t *pid);

/*
 * How many records PERF_RECORD_LOST says that were lost; 0 if it is corrupt. id: of the event whose
 * record is behind it.
 */
uint64_t sample_lost(const void *record, size_t bytes, uint64_t *id);

#endif
