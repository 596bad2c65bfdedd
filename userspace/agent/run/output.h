/* SPDX-License-Identifier: MIT */
/*
 * Lines on their way to standard output: collected in a buffer, written with one call when it is
 * full or when there is nothing else to do.
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
	struct buf ends; /* where they end in it, as size_t: they may have newlines inside */
	int fd;
	bool closed; /* the reader is gone, or the user gave up on it */
	uint64_t lines_lost; /* formatted, but not written */
};

void output_init(struct output *output, int fd);
void output_finish(struct output *output);

static inline void output_end_line(struct output *output)
{
	buf_append(&output->ends, &output->buf.len, sizeof(output->buf.len));
}

/*
 * Writes all that is in the buffer. A reader that is gone is no error: `closed` tells. Returns 0,
 * or -errno with a message.
 */
int output_flush(struct output *output, struct error *err);

/* Flushes when enough has collected. */
static inline int output_flush_if_full(struct output *output, struct error *err)
{
	return output->buf.len < OUTPUT_FLUSH_BYTES ? 0 : output_flush(output, err);
}

/* Sets `closed` when the other end of a pipe is gone; for idle moments, when no write would tell.
 */
void output_check_reader(struct output *output);

#endif
