/* SPDX-License-Identifier: MIT */
/* writev(2) until all is written. */
#include "output/stream.h"

#include <errno.h>
#include <poll.h>

/* At a time: the pieces of a batch are large. */
enum { PARTS_MAX = 64 };

int stream_write(int fd, const struct output_stop *stop, const struct output_batch *batch,
		 size_t end, size_t *done)
{
	struct iovec parts[PARTS_MAX];
	int code;

	while (*done < end) {
		size_t count = output_batch_slice(batch, *done, end, parts, PARTS_MAX);
		ssize_t n = writev(fd, parts, (int)count);

		if (n >= 0) {
			*done += (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		code = output_wait(stop, fd, POLLOUT, -1);
		if (code < 0)
			return code;
	}
	return 0;
}
