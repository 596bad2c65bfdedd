/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the reader. reader.c reads record after record, and gives out events;
 * head.c what stands before and behind them: attributes, and descriptions; end.c says how it ended.
 */
#ifndef SCAP_RECORDED_READER_IMPL_H
#define SCAP_RECORDED_READER_IMPL_H

#include <zstd.h>

#include "perf/data/format.h"
#include "scap/recorded/events.h"
#include "scap/recorded/names.h"
#include "scap/recorded/order.h"
#include "scap/recorded/reader.h"
#include "scap/samples/frame.h"
#include "scap/samples/hook_args.h"

enum {
	/* What stands before the data of a file, and formats of tracepoints: more is rejected. */
	RECORDED_HEAD_BYTES_MAX = 64 << 20,
	/* Whose names are known, for those that they create; memory is taken for so many at once.
	 */
	RECORDED_TASKS = 1 << 16, /* 16 bits of a hash */
	RECORDED_TASK_GROUP = 1 << 8,
	RECORDED_TASK_WAYS = 8, /* places where one may be */
};

struct recorded_task {
	int32_t tid; /* 0: a free place */
	char comm[16];
};

struct recorded_reader {
	struct scap_source source;
	char *path; /* for messages */
	struct scap_stream *stream;
	struct scap_snapshot *to;
	struct recorded_events events;
	struct recorded_order order;
	struct recorded_names *names; /* owned; NULL: samples have no symbols */
	/* Owned: by their ids; NULL: all of the group are free. */
	struct recorded_task *tasks[RECORDED_TASKS / RECORDED_TASK_GROUP];
	struct scap_event first; /* read to know the state before it */
	bool has_first;
	bool is_pipe;
	bool is_ready; /* all attributes are known: records are decoded */
	uint64_t left; /* bytes of the data of a file */
	uint64_t to_skip; /* bytes that follow, which are no records */
	uint64_t wall_ns, clock_ns; /* at the same moment; both 0: times are as they are */
	ZSTD_DStream *unpacker; /* owned; NULL: nothing was compressed so far */
	size_t packed_at; /* of the record at the begin of the stream, which is read in parts */
	struct buf unpacked; /* records of which not all was there yet */
	uint8_t *room; /* owned: where decompressed bytes come first */
	uint8_t frame[SAMPLE_FRAME_BYTES];
	char stack[SAMPLE_STACK_BYTES];
	char args[HOOK_ARGS_BYTES];
	char hostname[128];
	uint32_t cpus;
	uint64_t memory_bytes;
	uint64_t lost, lost_samples; /* by the records of these names */
	struct scap_reader_stats stats;
	int code; /* how it ended */
	char problem[512];
};

/* Ends the source: sets its code and problem, and returns the code. */
__attribute__((format(printf, 3, 4))) int recorded_end_with(struct recorded_reader *reader,
							    int code, const char *format, ...);

int recorded_end_out_of_memory(struct recorded_reader *reader);

/* Reads what stands before the data, and of a regular file what is behind it. Returns 0 or -errno.
 */
int recorded_head_read(struct recorded_reader *reader, const char *path);

/* Takes a description, or an attribute as a record. What is damaged is left out, and counted. */
void recorded_head_take_feature(struct recorded_reader *reader, uint64_t feature,
				const uint8_t *body, size_t bytes);
void recorded_head_take_attr(struct recorded_reader *reader, const uint8_t *body, size_t bytes);
void recorded_head_take_build_ids(struct recorded_reader *reader, const uint8_t *records,
				  size_t bytes);

#endif
