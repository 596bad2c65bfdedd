/* SPDX-License-Identifier: MIT */
/*
 * The live source: a ring for each CPU, as CPUs go online and offline, the merge over them, and
 * when to poll them. live/driver.c has the BPF programs.
 */
#include "scap/live/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/cpus.h"
#include "scap/live/driver.h"
#include "scap/live/merge.h"
#include "scap/live/ring.h"
#include "scap/live/wall_clock.h"
#include "util/clock.h"

enum {
	/*
	 * A ring wakes us at its watermark. Below that, it is polled at this interval: the shorter
	 * one after there were events, the longer one if there are none.
	 */
	LOOK_MS_MIN = 10,
	LOOK_MS_MAX = 40,
	NS_PER_MS = 1000000,
	/* How often the online CPUs are read. */
	FOLLOW_NS = 1000000000,
	/* How often the wall clock is checked for steps. */
	WALL_CLOCK_NS = 100000000,
};

struct scap_live {
	struct scap_source source;
	struct live_driver *driver;
	uint32_t cpus;		 /* possible ones */
	struct scap_ring *rings; /* by CPU */
	bool *online;		 /* by CPU, when last read */
	uint32_t ringless;	 /* CPUs that were online then and whose ring could not be opened */
	int ring_error;		 /* of the first of them: -errno; 0: there was none */
	uint32_t ring_error_cpu;
	uint32_t ring_bytes;	 /* of one that is open */
	struct wall_clock wall_clock;
	uint64_t follow_ns; /* boot clock: when to read the CPUs again */
	uint64_t wall_clock_ns; /* when to read the wall clock again */
	struct scap_merge *merge;
	int epoll;
	int look_ms;
	bool stopped; /* no program runs any more */
	bool drained; /* all that they wrote is loaded */
	bool reports_cpus; /* the event cpu_hotplug is wanted, and the capture runs */
	uint64_t made; /* events of that kind */
	uint64_t delivered[EVENT_ID_MAX];
	bool hidden[EVENT_ID_MAX]; /* wanted only for the state */
};

/* The frame of an event that reports that a CPU went online or offline. */
struct cpu_frame {
	struct ppm_evt_hdr header;
	uint16_t lengths[cpu_hotplug__count];
	uint32_t cpu, action;
	uint8_t padding[2];
} __attribute__((packed));

_Static_assert(sizeof(struct cpu_frame) % FRAME_ALIGN == 0, "as every frame of a batch");

/* Adds such an event to the ring of that CPU, even if it has no memory. */
static void add_cpu_event(struct scap_live *live, struct scap_ring *ring)
{
	const struct batch_header batch = {.bytes = sizeof(struct cpu_frame), .count = 1};
	const struct cpu_frame frame = {
		.header = {
			.ts = clock_ns(CLOCK_BOOTTIME) + live->wall_clock.offset_ns,
			.len = offsetof(struct cpu_frame, padding),
			.type = EVENT_cpu_hotplug,
			.nparams = cpu_hotplug__count,
		},
		.lengths = {sizeof(frame.cpu), sizeof(frame.action)},
		.cpu = ring->cpu,
	};

	if (live->reports_cpus)
		live->made += scap_ring_add(ring, batch, &frame);
}

/* Detaches the ring of a CPU that is offline; its contents are still returned. */
static void forget_ring(struct scap_live *live, struct scap_ring *ring)
{
	live_driver_set_ring(live->driver, ring->cpu, -1);
	epoll_ctl(live->epoll, EPOLL_CTL_DEL, ring->fd, NULL);
	scap_ring_detach(ring);
}

static void cpu_went(struct scap_live *live, struct scap_ring *ring)
{
	forget_ring(live, ring);
	add_cpu_event(live, ring);
}

static int watch_ring(struct scap_live *live, struct scap_ring *ring, struct error *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = ring->cpu};
	int r = live_driver_set_ring(live->driver, ring->cpu, ring->fd);

	if (r == 0 && epoll_ctl(live->epoll, EPOLL_CTL_ADD, ring->fd, &event) < 0)
		r = -errno;
	if (r < 0)
		forget_ring(live, ring);
	return r ? error_set(err, r, "using the ring of CPU %u: %s", ring->cpu, strerror(-r)) : 0;
}

/* Replaces a drained ring by an open one. */
static int open_ring(struct scap_live *live, struct scap_ring *ring, struct error *err)
{
	struct scap_ring made;
	int r = scap_ring_open(ring->cpu, live->ring_bytes, &made, err);

	if (r < 0)
		return r == -ENODEV ? 0 : r; /* it has just gone offline */
	made.lost = ring->lost;
	made.corrupt = ring->corrupt;
	scap_ring_close(ring);
	*ring = made;
	return watch_ring(live, ring, err);
}

/* Opens the ring of a CPU that went online. */
static int cpu_came(struct scap_live *live, struct scap_ring *ring, struct error *err)
{
	int r = open_ring(live, ring, live->ringless ? NULL : err);

	if (ring->fd >= 0)
		add_cpu_event(live, ring);
	if (r < 0 && live->ringless++ == 0) {
		live->ring_error = r;
		live->ring_error_cpu = ring->cpu;
	}
	return r;
}

/*
 * Opens the rings of CPUs that went online, and detaches those of CPUs that went offline. A ring
 * that cannot be opened does not affect the others. Returns 0, or -errno with the message of the
 * first.
 */
static int follow_cpus(struct scap_live *live, struct error *err)
{
	int r = scap_cpus_read(SCAP_CPUS_ONLINE, live->cpus, live->online);

	if (r < 0)
		return error_set(err, r, "reading " SCAP_CPUS_ONLINE ": %s", strerror(-r));
	live->ringless = 0;
	for (uint32_t cpu = 0; cpu < live->cpus; cpu++) {
		struct scap_ring *ring = &live->rings[cpu];

		if (ring->fd >= 0 && !live->online[cpu])
			cpu_went(live, ring);
		else if (ring->fd < 0 && live->online[cpu] && scap_ring_drained(ring))
			cpu_came(live, ring, err);
	}
	return live->ringless ? live->ring_error : 0;
}

static int take(struct scap_live *live, struct scap_event *event)
{
	struct scap_frame frame;

	if (!scap_merge_next(live->merge, &frame, &event->cpu))
		return 0;
	event->frame = frame.bytes;
	event->len = frame.len;
	event->clock_step_ns = wall_clock_step(&live->wall_clock, frame.ts);
	event->hidden = live->hidden[frame.type];
	live->delivered[frame.type]++;
	return 1;
}

/* Waits for a ring to reach its watermark, or for the time. Returns 0, or -EINTR for a signal. */
static int wait_for_rings(struct scap_live *live, int ms)
{
	struct epoll_event events[16];
	int n = epoll_wait(live->epoll, events, sizeof(events) / sizeof(*events), ms);

	/* A ring that hung up would wake us forever. */
	for (int i = 0; i < n; i++)
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			cpu_went(live, &live->rings[events[i].data.u32]);
	if (n == 0 && live->look_ms < LOOK_MS_MAX)
		live->look_ms *= 2;
	return n < 0 ? -errno : 0;
}

static void follow_wall_clock(struct scap_live *live, uint64_t now_ns)
{
	if (now_ns < live->wall_clock_ns)
		return;
	live->wall_clock_ns = now_ns + WALL_CLOCK_NS;
	wall_clock_read(&live->wall_clock, now_ns, clock_boot_offset_ns());
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
		if (now >= live->follow_ns) {
			live->follow_ns = now + FOLLOW_NS;
			follow_cpus(live, NULL); /* what fails now is counted, and tried again */
			now = clock_ns(CLOCK_BOOTTIME);
		}
		follow_wall_clock(live, now);
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
	for (uint32_t cpu = 0; live->rings && cpu < live->cpus; cpu++)
		scap_ring_close(&live->rings[cpu]);
	free(live->rings);
	free(live->online);
	if (live->epoll >= 0)
		close(live->epoll);
	free(live);
}

static uint64_t live_settled(const struct scap_source *source)
{
	return scap_merge_cutoff(((const struct scap_live *)source)->merge);
}

static const struct scap_source_ops live_ops = {
	.next = live_next,
	.destroy = live_destroy,
	.settled = live_settled,
};

static int open_rings(struct scap_live *live, struct error *err)
{
	live->online = calloc(live->cpus, sizeof(*live->online));
	if (live->online)
		live->rings = calloc(live->cpus, sizeof(*live->rings));
	if (!live->rings)
		return error_set(err, -ENOMEM, "opening the rings: out of memory");
	for (uint32_t cpu = 0; cpu < live->cpus; cpu++)
		scap_ring_init_empty(cpu, &live->rings[cpu]);
	return follow_cpus(live, err);
}

static int open_parts(struct scap_live *live, const struct scap_live_config *config,
		      struct error *err)
{
	uint64_t offset_ns = clock_boot_offset_ns();
	struct scap_merge_config merge = {
		.boot_offset_ns = config->boot_offset_ns ? config->boot_offset_ns : offset_ns,
	};
	int r = live_driver_create(config, merge.boot_offset_ns, &live->driver, err);

	if (r < 0)
		return r;
	live->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (live->epoll < 0)
		return error_set(err, -errno, "creating an epoll: %s", strerror(errno));
	merge.slots = live_driver_slots(live->driver, &merge.cpus);
	live->cpus = merge.cpus;
	live->ring_bytes = config->ring_bytes;
	wall_clock_init(&live->wall_clock, merge.boot_offset_ns, offset_ns);
	r = open_rings(live, err);
	if (r < 0)
		return r;
	merge.rings = live->rings;
	r = scap_merge_create(&merge, &live->merge);
	if (r < 0)
		return error_set(err, r, "merging the rings: out of memory");
	live->reports_cpus = config->events[EVENT_cpu_hotplug];
	memcpy(live->hidden, config->successes, sizeof(live->hidden));
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

uint64_t scap_live_boot_offset(const struct scap_live *live)
{
	return live->wall_clock.offset_ns;
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
	struct scap_live_stats read = {0};
	int r = live_driver_stats(live->driver, &read);

	if (r < 0)
		return r;
	memcpy(read.delivered, live->delivered, sizeof(read.delivered));
	read.seen[EVENT_cpu_hotplug] = live->made;
	for (uint32_t cpu = 0; cpu < live->cpus; cpu++) {
		read.corrupt += live->rings[cpu].corrupt;
		read.ring_lost += live->rings[cpu].lost;
		read.ring_bytes += live->rings[cpu].bytes;
		read.cpus += live->rings[cpu].fd >= 0;
	}
	read.ringless = live->ringless;
	read.ring_error = live->ring_error;
	read.ring_error_cpu = live->ring_error_cpu;
	read.out_of_order = scap_merge_out_of_order(live->merge);
	*stats = read;
	return 0;
}

bool scap_live_has_room(const struct scap_live *live)
{
	for (uint32_t cpu = 0; cpu < live->cpus; cpu++)
		if (!scap_ring_has_room(&live->rings[cpu]))
			return false;
	return true;
}

int64_t scap_live_map_bytes(const struct scap_live *live)
{
	return live_driver_map_bytes(live->driver);
}

const uint16_t *scap_live_rejected(const struct scap_live *live)
{
	return live_driver_rejected(live->driver);
}

int scap_live_enter_error(const struct scap_live *live)
{
	return live_driver_enter_error(live->driver);
}

int scap_live_cgroup_roots(const struct scap_live *live, const struct buf **roots)
{
	return live_driver_cgroup_roots(live->driver, roots);
}

bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook)
{
	return live_driver_program(live->driver, i, program, hook);
}
