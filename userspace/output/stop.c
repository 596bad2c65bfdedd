/* SPDX-License-Identifier: MIT */
/* An eventfd that is polled beside what is waited for; writev(2) until all is written. */
#include "output/stop.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"

enum { NS_PER_MS = 1000000 };

int output_stop_init(struct output_stop *stop)
{
	atomic_init(&stop->stopped, false);
	stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return stop->fd < 0 ? -errno : 0;
}

void output_stop_finish(struct output_stop *stop)
{
	if (stop->fd >= 0)
		close(stop->fd);
	stop->fd = -1;
}

void output_stop_now(struct output_stop *stop)
{
	atomic_store(&stop->stopped, true);
	eventfd_write(stop->fd, 1);
}

/* What is left of the time, for poll(2). */
static int left_ms(uint64_t end_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	return now < end_ns ? (int)((end_ns - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

int output_wait(const struct output_stop *stop, int fd, short events, int timeout_ms)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NS_PER_MS;
	struct pollfd fds[] = {{.fd = stop->fd, .events = POLLIN}, {.fd = fd, .events = events}};
	int n;

	do {
		n = poll(fds, 2, timeout_ms < 0 ? -1 : left_ms(end_ns));
		if (n < 0 && errno != EINTR)
			return -errno;
	} while (n < 0);
	if (fds[0].revents)
		return -ECANCELED;
	return n ? 1 : -ETIMEDOUT;
}

/* writev(2) until all is written. */

/* At a time: the pieces of a batch are large. */
enum { PARTS_MAX = 64 };

int output_stop_write(int fd, const struct output_stop *stop, const struct output_batch *batch,
		      size_t end, size_t *done)
{
	struct iovec parts[PARTS_MAX];
	int r;

	while (*done < end) {
		size_t count = output_batch_slice(batch, *done, end, parts, PARTS_MAX);
		ssize_t n = writev(fd, parts, (int)count);

		if (n >= 0) {
			*done += (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		r = output_wait(stop, fd, POLLOUT, -1);
		if (r < 0)
			return r;
	}
	return 0;
}
