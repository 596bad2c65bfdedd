/* SPDX-License-Identifier: MIT */
/*
 * The live source: a ring for each CPU that is online, the merge over them, and when to look at
 * them. The BPF programs behind it are live_driver.c.
 */
#include "scap/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "scap/live_driver.h"
#include "scap/merge.h"
#include "scap/ring.h"

enum {
	/*
	 * A ring wakes us when it is filled to a part. Below that, it is looked at so often: soon
	 * after there was something, and seldom when all is quiet.
	 */
	LOOK_MS_MIN = 10,
	LOOK_MS_MAX = 40,
	NS_PER_MS = 1000000,
};

struct scap_live {
	struct scap_source source;
	struct live_driver *driver;
	struct scap_ring *rings;
	uint32_t rings_count;
	struct scap_merge *merge;
	int epoll;
	int look_ms;
	bool stopped; /* no program runs any more */
	bool drained; /* all that they wrote is loaded */
	uint64_t delivered[EVENT_ID_MAX];
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int take(struct scap_live *live, struct scap_event *event)
{
	struct scap_record record;

	if (!scap_merge_next(live->merge, &record, &event->cpu))
		return 0;
	event->frame = record.frame;
	event->len = record.len;
	live->delivered[record.type]++;
	return 1;
}

/* Waits for a ring to fill up, or for the time. Returns 0, or -EINTR for a signal. */
static int wait_for_rings(struct scap_live *live, int ms)
{
	struct epoll_event events[16];
	int n = epoll_wait(live->epoll, events, sizeof(events) / sizeof(*events), ms);

	/* The ring of a CPU that went offline would wake us for ever. */
	for (int i = 0; i < n; i++)
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(live->epoll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
	if (n == 0 && live->look_ms < LOOK_MS_MAX)
		live->look_ms *= 2;
	return n < 0 ? -errno : 0;
}

static int next_after_stop(struct scap_live *live, struct scap_event *event)
{
	if (!live->drained) {
		scap_merge_last_round(live->merge);
		live->drained = true;
		if (take(live, event))
			return 1;
	}
	return -ENODATA;
}

static int live_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_live *live = (struct scap_live *)source;
	uint64_t now, end_ns = 0;
	int left_ms, r;

	if (take(live, event))
		return 1;
	if (live->stopped)
		return next_after_stop(live, event);
	for (;;) {
		now = clock_ns(CLOCK_BOOTTIME);
		scap_merge_round(live->merge, now);
		if (take(live, event)) {
			live->look_ms = LOOK_MS_MIN;
			return 1;
		}
		if (end_ns == 0)
			end_ns = now + (uint64_t)timeout_ms * NS_PER_MS;
		if (now >= end_ns)
			return 0;
		left_ms = (int)((end_ns - now + NS_PER_MS - 1) / NS_PER_MS);
		r = wait_for_rings(live, left_ms < live->look_ms ? left_ms : live->look_ms);
		if (r < 0)
			return r == -EINTR ? 0 : r;
	}
}

static void live_destroy(struct scap_source *source)
{
	struct scap_live *live = (struct scap_live *)source;

	live_driver_destroy(live->driver);
	scap_merge_destroy(live->merge);
	for (uint32_t i = 0; i < live->rings_count; i++)
		scap_ring_close(&live->rings[i]);
	free(live->rings);
	if (live->epoll >= 0)
		close(live->epoll);
	free(live);
}

static const struct scap_source_ops live_ops = {
	.next = live_next,
	.destroy = live_destroy,
};

static int watch_ring(struct scap_live *live, struct scap_ring *ring, struct error *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = ring->fd};
	int r = live_driver_set_ring(live->driver, ring->cpu, ring->fd);

	if (r == 0 && epoll_ctl(live->epoll, EPOLL_CTL_ADD, ring->fd, &event) < 0)
		r = -errno;
	return r ? error_set(err, r, "using the ring of CPU %u: %s", ring->cpu, strerror(-r)) : 0;
}

static int open_rings(struct scap_live *live, uint32_t cpus, uint32_t ring_bytes, struct error *err)
{
	int r;

	live->rings = calloc(cpus, sizeof(*live->rings));
	if (!live->rings)
		return error_set(err, -ENOMEM, "opening the rings: out of memory");
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		struct scap_ring *ring = &live->rings[live->rings_count];

		r = scap_ring_open(cpu, ring_bytes, ring, err);
		if (r == -ENODEV) /* possible, but not online */
			continue;
		if (r < 0)
			return r;
		live->rings_count++;
		r = watch_ring(live, ring, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_parts(struct scap_live *live, const struct scap_live_config *config,
		      struct error *err)
{
	struct scap_merge_config merge = {
		.boot_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME),
	};
	int r = live_driver_create(config, merge.boot_offset_ns, &live->driver, err);

	if (r < 0)
		return r;
	live->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (live->epoll < 0)
		return error_set(err, -errno, "creating an epoll: %s", strerror(errno));
	merge.slots = live_driver_slots(live->driver, &merge.slots_count);
	r = open_rings(live, merge.slots_count / SCRATCH_SLOTS_PER_CPU, config->ring_bytes, err);
	if (r < 0)
		return r;
	merge.rings = live->rings;
	merge.rings_count = live->rings_count;
	r = scap_merge_create(&merge, &live->merge);
	if (r < 0)
		return error_set(err, r, "merging the rings: out of memory");
	return live_driver_attach(live->driver, err);
}

int scap_live_open(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err)
{
	struct scap_live *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "opening the capture: out of memory");
	made->source.ops = &live_ops;
	made->epoll = -1;
	made->look_ms = LOOK_MS_MIN;
	r = open_parts(made, config, err);
	if (r < 0)
		live_destroy(&made->source);
	else
		*live = made;
	return r;
}

struct scap_source *scap_live_source(struct scap_live *live)
{
	return &live->source;
}

void scap_live_stop(struct scap_live *live)
{
	live_driver_detach(live->driver);
	live->stopped = true;
}

int scap_live_stats(struct scap_live *live, struct scap_live_stats *stats)
{
	struct scap_live_stats read = {.cpus = live->rings_count};
	int r = live_driver_stats(live->driver, &read);

	if (r < 0)
		return r;
	memcpy(read.delivered, live->delivered, sizeof(read.delivered));
	for (uint32_t i = 0; i < live->rings_count; i++) {
		read.damaged += live->rings[i].damaged;
		read.ring_lost += live->rings[i].lost;
		read.ring_bytes += live->rings[i].bytes;
	}
	read.out_of_order = scap_merge_out_of_order(live->merge);
	*stats = read;
	return 0;
}

const uint16_t *scap_live_refused(const struct scap_live *live)
{
	return live_driver_refused(live->driver);
}

bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook)
{
	return live_driver_program(live->driver, i, program, hook);
}
