/* SPDX-License-Identifier: MIT */
/*
 * Output of lines to standard output: collected in a buffer, which is written with one call if it
 * is full or the agent is idle.
 */
#ifndef AGENT_RUN_LINE_WRITER_H
#define AGENT_RUN_LINE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

enum { LINE_WRITER_FLUSH_BYTES = 64 << 10 };

struct line_writer {
	struct buf buf; /* append lines here, and call line_writer_end_line() after each */
	struct buf ends; /* offsets of line ends, as size_t: lines may contain newlines */
	int fd;
	bool closed; /* the reader closed the pipe, or the user gave up waiting for it */
	uint64_t lines_lost; /* formatted, but not written */
};

void line_writer_init(struct line_writer *writer, int fd);
void line_writer_finish(struct line_writer *writer);

static inline void line_writer_end_line(struct line_writer *writer)
{
	buf_append(&writer->ends, &writer->buf.len, sizeof(writer->buf.len));
}

/*
 * Writes all that is in the buffer. A reader that closed the pipe is no error, but sets `closed`.
 * Returns 0, or -errno with a message.
 */
int line_writer_flush(struct line_writer *writer, struct error *err);

/* Flushes if the buffer is full. */
static inline int line_writer_flush_if_full(struct line_writer *writer, struct error *err)
{
	return writer->buf.len < LINE_WRITER_FLUSH_BYTES ? 0 : line_writer_flush(writer, err);
}

/* Sets `closed` if the reader of a pipe is gone; for idle times without writes. */
void line_writer_check_reader(struct line_writer *writer);

#endif
