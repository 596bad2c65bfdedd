/* SPDX-License-Identifier: MIT */
/*
 * Output of lines to standard output: collected in a buffer, which is written with one call if it
 * is full or the agent is idle.
 */
#ifndef AGENT_RUN_OUTPUT_H
#define AGENT_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

enum { OUTPUT_FLUSH_BYTES = 64 << 10 };

struct output {
	struct buf buf; /* append lines here, and call output_end_line() after each */
	struct buf ends; /* offsets of line ends, as size_t: lines may contain newlines */
	int fd;
	bool closed; /* the reader closed the pipe, or the user gave up waiting for it */
	uint64_t lines_lost; /* formatted, but not written */
};

void output_init(struct output *output, int fd);
void output_finish(struct output *output);

static inline void output_end_line(struct output *output)
{
	buf_append(&output->ends, &output->buf.len, sizeof(output->buf.len));
}

/*
 * Writes all that is in the buffer. A reader that closed the pipe is no error, but sets `closed`.
 * Returns 0, or -errno with a message.
 */
int output_flush(struct output *output, struct error *err);

/* Flushes if the buffer is full. */
static inline int output_flush_if_full(struct output *output, struct error *err)
{
	return output->buf.len < OUTPUT_FLUSH_BYTES ? 0 : output_flush(output, err);
}

/* Sets `closed` if the reader of a pipe is gone; for idle times without writes. */
void output_check_reader(struct output *output);

#endif
