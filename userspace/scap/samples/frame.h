/* SPDX-License-Identifier: MIT */
/* The frames of events that are made of samples. */
#ifndef SCAP_SAMPLES_FRAME_H
#define SCAP_SAMPLES_FRAME_H

#include "scap/samples/record.h"

enum {
	SAMPLE_NAME_BYTES = 1024, /* of the event, with its NUL; longer ones are cut */
	SAMPLE_SYMBOL_BYTES = 512, /* likewise */
	SAMPLE_STACK_BYTES = 1 << 15, /* frames that do not fit are left out */
	SAMPLE_FRAME_BYTES = 1 << 16,
};

/* What a frame says of a sample beside the record. */
struct sample_texts {
	const char *event;
	const char *symbol, *stack; /* NULL: absent */
	const char *args; /* of tracepoints and probes: texts, each with a NUL behind it */
	size_t args_bytes;
};

/* What samples are made events of. */
enum sample_kind {
	SAMPLE_PERF, /* perf_sample */
	SAMPLE_TRACEPOINT, /* tracepoint, with its fields */
	SAMPLE_PROBE, /* probe, with its arguments */
	SAMPLE_KINDS,
};

struct sample_kind_row {
	uint16_t id; /* of the events */
	const char *option; /* that asks for them */
	/* Writes the frame of one; ts_ns: as in frames. Returns its bytes. */
	uint32_t (*write)(const struct sample_record *sample, const struct sample_texts *texts,
			  uint64_t ts_ns, uint8_t frame[SAMPLE_FRAME_BYTES]);
};

extern const struct sample_kind_row sample_kinds[SAMPLE_KINDS];

#endif
