/* SPDX-License-Identifier: MIT */
/* Writes the buffer, and notices if the reader is gone. */
#include "agent/run/line_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/signals.h"

void line_writer_init(struct line_writer *writer, int fd)
{
	*writer = (struct line_writer){.fd = fd};
}

void line_writer_finish(struct line_writer *writer)
{
	buf_finish(&writer->buf);
	buf_finish(&writer->ends);
}

/* The number of lines that end after the first `done` bytes. */
static uint64_t count_lines(const struct line_writer *writer, size_t done)
{
	uint64_t lines = 0;
	size_t end;

	for (size_t at = 0; at < writer->ends.len; at += sizeof(end)) {
		memcpy(&end, writer->ends.data + at, sizeof(end));
		lines += end > done;
	}
	return lines;
}

/* Handles a failed write. Returns 0 to try again, or -errno. */
static int line_writer_handle_failure(struct line_writer *writer, int code, struct error *err)
{
	struct pollfd poll_fd = {.fd = writer->fd, .events = POLLOUT};

	switch (code) {
	case EINTR:
		/* Close after a second signal, or the alarm after the first, without a write. */
		writer->closed = signals_count() > 1;
		return 0;
	case EAGAIN:
		return poll(&poll_fd, 1, -1) < 0 && errno == EINTR
			       ? line_writer_handle_failure(writer, EINTR, err)
			       : 0;
	case EPIPE:
		writer->closed = true;
		return 0;
	default:
		writer->closed = true;
		return error_set(err, -code, "cannot write to standard output: %s", strerror(code));
	}
}

/*
 * The bytes to write with one call: all, but after a signal whole lines, of which a pipe takes all
 * or none (PIPE_BUF). So the last one is not cut when a slow reader is waited for no more.
 */
static size_t line_writer_portion(const struct line_writer *writer, size_t done)
{
	size_t portion = 0, end;

	if (!signals_count())
		return writer->buf.len - done;
	for (size_t at = 0; at < writer->ends.len; at += sizeof(end)) {
		memcpy(&end, writer->ends.data + at, sizeof(end));
		if (portion && end - done > PIPE_BUF)
			break;
		if (end > done)
			portion = end - done;
	}
	return portion ? portion : writer->buf.len - done;
}

int line_writer_flush(struct line_writer *writer, struct error *err)
{
	struct buf *buf = &writer->buf;
	size_t done = 0;
	int result = 0;

	if (buf->failed || writer->ends.failed)
		result = error_set(err, -ENOMEM, "out of memory for the output");
	while (done < buf->len && !writer->closed && result == 0) {
		ssize_t n;

		if (signals_count())
			alarm(SIGNALS_PATIENCE_S);
		n = write(writer->fd, buf->data + done, line_writer_portion(writer, done));
		if (n < 0)
			result = line_writer_handle_failure(writer, errno, err);
		else
			done += (size_t)n;
	}
	writer->lines_lost += count_lines(writer, done);
	buf_clear(buf);
	buf_clear(&writer->ends);
	return result;
}

void line_writer_check_reader(struct line_writer *writer)
{
	struct pollfd poll_fd = {.fd = writer->fd};

	if (poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLERR | POLLHUP)))
		writer->closed = true;
}
