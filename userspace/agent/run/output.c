/* SPDX-License-Identifier: MIT */
/* Writes the buffer, and notices if the reader is gone. */
#include "agent/run/output.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/signals.h"

void output_init(struct output *output, int fd)
{
	*output = (struct output){.fd = fd};
}

void output_finish(struct output *output)
{
	buf_finish(&output->buf);
	buf_finish(&output->ends);
}

/* The number of lines that end after the first `done` bytes. */
static uint64_t count_lines(const struct output *output, size_t done)
{
	uint64_t lines = 0;
	size_t end;

	for (size_t at = 0; at < output->ends.len; at += sizeof(end)) {
		memcpy(&end, output->ends.data + at, sizeof(end));
		lines += end > done;
	}
	return lines;
}

/* Handles a failed write. Returns 0 to try again, or -errno. */
static int handle_failure(struct output *output, int code, struct error *err)
{
	struct pollfd poll_fd = {.fd = output->fd, .events = POLLOUT};

	switch (code) {
	case EINTR:
		/* Close after a second signal, or the alarm after the first, without a write. */
		output->closed = signals_count() > 1;
		return 0;
	case EAGAIN:
		return poll(&poll_fd, 1, -1) < 0 && errno == EINTR
			       ? handle_failure(output, EINTR, err)
			       : 0;
	case EPIPE:
		output->closed = true;
		return 0;
	default:
		output->closed = true;
		return error_set(err, -code, "cannot write to standard output: %s", strerror(code));
	}
}

int output_flush(struct output *output, struct error *err)
{
	struct buf *buf = &output->buf;
	size_t done = 0;
	int result = 0;

	if (buf->failed || output->ends.failed)
		result = error_set(err, -ENOMEM, "out of memory for the output");
	while (done < buf->len && !output->closed && result == 0) {
		ssize_t n;

		if (signals_count())
			alarm(SIGNALS_PATIENCE_S);
		n = write(output->fd, buf->data + done, buf->len - done);
		if (n < 0)
			result = handle_failure(output, errno, err);
		else
			done += (size_t)n;
	}
	output->lines_lost += count_lines(output, done);
	buf_clear(buf);
	buf_clear(&output->ends);
	return result;
}

void output_check_reader(struct output *output)
{
	struct pollfd poll_fd = {.fd = output->fd};

	if (poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & (POLLERR | POLLHUP)))
		output->closed = true;
}
