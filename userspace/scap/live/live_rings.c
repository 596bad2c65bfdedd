/* SPDX-License-Identifier: MIT */
/* The rings of all CPUs, as CPUs come and go, and as they turn out to be busy. */
#include "scap/live/live_rings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/rings/cpus.h"
#include "scap/rings/memory.h"
#include "util/clock.h"
#include "util/count.h"

/* How long rings keep their size after a larger one could not be opened. */
#define GROW_AGAIN_NS UINT64_C(1000000000)

/* How often it is looked whether CPUs were away too shortly to be seen. */
#define ACCOUNT_AGAIN_NS UINT64_C(5000000000)

/* What is waited for, beside the rings of CPUs. */
enum watched { WATCHED_BELL = UINT32_MAX - 2, WATCHED_WAKER, WATCHED_SAMPLES };

/* The frame of an event that reports that a CPU went online or offline. */
struct cpu_frame {
	struct ppm_evt_hdr header;
	uint16_t lengths[cpu_hotplug__count];
	uint32_t cpu, action;
	uint8_t padding[2];
} __attribute__((packed));

_Static_assert(sizeof(struct cpu_frame) % FRAME_ALIGN == 0, "as every frame of a batch");

/* Opens and maps the ring of a CPU. As live_loader_ops.open_ring. */
static int map_ring(const struct live_rings *rings, uint32_t cpu, uint32_t bytes,
		    struct scap_ring *ring, struct error *err)
{
	int fd = rings->loader->ops->open_ring(rings->loader, cpu, bytes, false, err);

	return fd < 0 ? fd : scap_ring_map(fd, cpu, bytes, ring, err);
}

/* Sets the ring that the programs of a CPU write to, or removes it (`fd` -1). */
static int set_ring(const struct live_rings *rings, uint32_t cpu, int fd)
{
	int r = fd < 0 ? bpf_map_delete_elem(rings->map, &cpu)
		       : bpf_map_update_elem(rings->map, &cpu, &fd, BPF_ANY);

	return r < 0 ? -errno : 0;
}

/* Adds such an event to the ring of that CPU, even if it has no memory. */
static void add_cpu_event(struct live_rings *rings, struct scap_ring *ring)
{
	const struct batch_header batch = {.bytes = sizeof(struct cpu_frame), .count = 1};
	const struct cpu_frame frame = {
		.header =
			{
				.ts = clock_ns(CLOCK_BOOTTIME) + rings->boot_offset_ns,
				.len = offsetof(struct cpu_frame, padding),
				.type = EVENT_cpu_hotplug,
				.nparams = cpu_hotplug__count,
			},
		.lengths = {sizeof(frame.cpu), sizeof(frame.action)},
		.cpu = ring->cpu,
	};

	if (rings->reports_cpus)
		rings->made += scap_ring_add(ring, batch, &frame);
}

/* Behind what is watched, in what epoll gives back, stands its descriptor. */
enum { WATCHED_FD_SHIFT = 32 };

/* what: a CPU, or enum watched. Returns 0 or -errno. */
static int watch(const struct live_rings *rings, int fd, uint32_t what)
{
	struct epoll_event event = {.events = EPOLLIN,
				    .data.u64 = what | (uint64_t)fd << WATCHED_FD_SHIFT};

	return epoll_ctl(rings->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void unwatch(struct live_rings *rings, struct scap_ring *ring)
{
	epoll_ctl(rings->epoll, EPOLL_CTL_DEL, ring->fd, NULL);
	scap_ring_detach(ring);
}

/* Detaches the ring of a CPU that is offline; its contents are still returned. */
static void forget_ring(struct live_rings *rings, struct scap_ring *ring)
{
	set_ring(rings, ring->cpu, -1);
	scap_ring_unshare(ring);
	unwatch(rings, ring);
}

static void cpu_went(struct live_rings *rings, struct scap_ring *ring)
{
	forget_ring(rings, ring);
	add_cpu_event(rings, ring);
}

/* Makes it the ring that the programs of its CPU write to. Returns 0 or -errno. */
static int watch_ring(struct live_rings *rings, struct scap_ring *ring)
{
	int r = watch(rings, ring->fd, ring->cpu);

	if (r == 0)
		r = set_ring(rings, ring->cpu, ring->fd);
	/* Last: if that fails, the limit is still that of the ring that is written to. */
	if (r == 0)
		(rings->holds ? scap_ring_hold : scap_ring_share)(
			ring, &rings->slots[ring->cpu * SCRATCH_SLOTS_PER_CPU].ring);
	return r;
}

/* What was counted of a ring is counted of its successor from now on. */
static void live_rings_inherit(struct scap_ring *ring, const struct scap_ring *from)
{
	ring->heartbeats += from->heartbeats;
	ring->lost += from->lost;
	ring->corrupt += from->corrupt;
	ring->wakeups += from->wakeups;
}

/* Replaces a drained ring by an open one. */
static int live_rings_open_ring(struct live_rings *rings, struct scap_ring *ring, struct error *err)
{
	struct scap_ring made;
	int r = map_ring(rings, ring->cpu, rings->ring_bytes, &made, err);

	if (r < 0)
		return r == -ENODEV ? 0 : r; /* it has just gone offline */
	live_rings_inherit(&made, ring);
	scap_ring_close(ring);
	*ring = made;
	r = watch_ring(rings, ring);
	if (r == 0)
		return 0;
	forget_ring(rings, ring);
	return error_set(err, r, "using the ring of CPU %u: %s", ring->cpu, strerror(-r));
}

/* Opens the ring of a CPU that went online. */
static int cpu_came(struct live_rings *rings, struct scap_ring *ring, struct error *err)
{
	int r = live_rings_open_ring(rings, ring, rings->ringless ? NULL : err);

	if (ring->fd >= 0)
		add_cpu_event(rings, ring);
	if (r < 0 && rings->ringless++ == 0) {
		rings->ring_error = r;
		rings->ring_error_cpu = ring->cpu;
	}
	return r;
}

/* Those of CPUs that were away for a moment: others are opened the next time. */
static void forget_ended(struct live_rings *rings)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);

	if (now < rings->account_ns)
		return;
	rings->account_ns = now + ACCOUNT_AGAIN_NS;
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		if (rings->rings[cpu].fd >= 0 && rings->online[cpu] &&
		    scap_enabled_has_ended(&rings->rings[cpu].enabled, rings->rings[cpu].fd))
			cpu_went(rings, &rings->rings[cpu]);
}

int live_rings_follow(struct live_rings *rings, struct error *err)
{
	int r = scap_cpus_read(SCAP_CPUS_ONLINE, rings->cpus, rings->online);

	if (r < 0)
		return error_set(err, r, "reading " SCAP_CPUS_ONLINE ": %s", strerror(-r));
	forget_ended(rings);
	rings->ringless = 0;
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
		struct scap_ring *ring = &rings->rings[cpu];

		if (ring->fd >= 0 && !rings->online[cpu])
			cpu_went(rings, ring);
		else if (ring->fd < 0 && rings->online[cpu] && scap_ring_drained(ring))
			cpu_came(rings, ring, err);
	}
	return rings->ringless ? rings->ring_error : 0;
}

int live_rings_watch(struct live_rings *rings, int fd)
{
	return watch(rings, fd, WATCHED_SAMPLES);
}

int live_rings_wait(struct live_rings *rings, int ms, struct live_woken *woken)
{
	struct epoll_event events[16];
	int n = epoll_wait(rings->epoll, events, COUNT(events), ms);

	*woken = (struct live_woken){0};
	for (int i = 0; i < n; i++) {
		uint32_t what = (uint32_t)events[i].data.u64;
		int fd = (int)(events[i].data.u64 >> WATCHED_FD_SHIFT);

		woken->rang |= what == WATCHED_BELL;
		woken->called |= what == WATCHED_WAKER;
		if (what < rings->cpus)
			rings->rings[what].wakeups++;
		/* A ring that hung up would wake us forever. */
		if (what < rings->cpus && events[i].events & (EPOLLHUP | EPOLLERR))
			cpu_went(rings, &rings->rings[what]);
		if (what == WATCHED_SAMPLES && events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(rings->epoll, EPOLL_CTL_DEL, fd, NULL);
	}
	if (woken->rang)
		ring_buffer__consume(rings->rung);
	return n < 0 ? -errno : 0;
}

static uint64_t mapped_bytes(const struct live_rings *rings)
{
	uint64_t sum = 0;

	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		sum += rings->rings[cpu].bytes + rings->replaced[cpu].bytes;
	return sum;
}

/*
 * The programs write to the new ring from then on, except those that run now. The old one keeps its
 * place in the merge until live_rings_grow() finds that none of them can be left. If this fails
 * because the CPU has just gone offline, or the loader is busy, it is tried again later; otherwise
 * rings do not grow any more.
 */
static bool live_rings_replace(struct live_rings *rings, struct scap_ring *ring, uint32_t bytes)
{
	struct scap_ring made;
	int r = map_ring(rings, ring->cpu, bytes, &made, NULL);

	if (r == 0) {
		r = watch_ring(rings, &made);
		if (r < 0)
			scap_ring_close(&made);
	}
	if (r < 0) {
		rings->grow_ns = clock_ns(CLOCK_BOOTTIME) + GROW_AGAIN_NS;
		if (r != -ENODEV && r != -EBUSY)
			rings->rings_bytes = 0;
		return false;
	}
	unwatch(rings, ring);
	ring->use = NULL;
	rings->replaced[ring->cpu] = *ring;
	rings->replaced_ts[ring->cpu] = clock_ns(CLOCK_BOOTTIME) + rings->boot_offset_ns;
	rings->grown++;
	*ring = made;
	return true;
}

/*
 * A program that still writes to a replaced ring began its event before that, and so it holds the
 * cut-off of the merge back.
 */
static void close_replaced(struct live_rings *rings, uint32_t cpu, uint64_t cutoff_ns)
{
	struct scap_ring *old = &rings->replaced[cpu];

	if (cutoff_ns <= rings->replaced_ts[cpu] || !scap_ring_drained(old))
		return;
	live_rings_inherit(&rings->rings[cpu], old);
	scap_ring_close(old);
}

/* The size of the ring that should take the place of this one; 0: none should. */
static uint32_t wanted_bytes(const struct live_rings *rings, const struct scap_ring *ring)
{
	if (!rings->rings_bytes || ring->fd < 0 || ring->head - ring->released <= ring->bytes / 2)
		return 0;
	if (rings->grow_ns && clock_ns(CLOCK_BOOTTIME) < rings->grow_ns)
		return 0;
	return scap_ring_grown((uint32_t)ring->bytes, mapped_bytes(rings), rings->rings_bytes);
}

bool live_rings_grow(struct live_rings *rings, uint64_t cutoff_ns)
{
	bool replaced = false;

	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
		struct scap_ring *ring = &rings->rings[cpu];
		uint32_t bytes;

		if (rings->replaced[cpu].meta) {
			close_replaced(rings, cpu, cutoff_ns);
			continue;
		}
		bytes = wanted_bytes(rings, ring);
		if (bytes)
			replaced |= live_rings_replace(rings, ring, bytes);
	}
	return replaced;
}

bool live_rings_have_room(const struct live_rings *rings)
{
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		if (!scap_ring_has_room(&rings->rings[cpu]))
			return false;
	return true;
}

unsigned int live_rings_fill(const struct live_rings *rings)
{
	uint64_t fullest = 0;

	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
		const struct scap_ring *ring = &rings->rings[cpu];
		uint64_t fill = ring->bytes ? scap_ring_used(ring) * 64 / ring->bytes : 0;

		if (fill > fullest)
			fullest = fill;
	}
	return (unsigned int)fullest;
}

void live_rings_stats(const struct live_rings *rings, struct scap_live_stats *stats)
{
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
		const struct scap_ring *ring = &rings->rings[cpu], *old = &rings->replaced[cpu];

		stats->corrupt += ring->corrupt + old->corrupt;
		stats->ring_lost += ring->lost + old->lost;
		stats->cpus += ring->fd >= 0;
	}
	stats->ring_bytes = mapped_bytes(rings);
	stats->ring_bytes_max = rings->rings_bytes;
	stats->rings_grown = rings->grown;
	stats->ringless = rings->ringless;
	stats->ring_error = rings->ring_error;
	stats->ring_error_cpu = rings->ring_error_cpu;
	stats->seen[EVENT_cpu_hotplug] = rings->made;
}

/* What was written to the bell says no more than that. */
static int heard(void *context, void *data, size_t bytes)
{
	return 0;
}

static int watch_others(struct live_rings *rings, struct error *err)
{
	int r;

	rings->rung = ring_buffer__new(rings->bell, heard, NULL, NULL);
	r = rings->rung ? watch(rings, rings->bell, WATCHED_BELL) : -errno;
	if (r == 0 && rings->waker >= 0)
		r = watch(rings, rings->waker, WATCHED_WAKER);
	return r ? error_set(err, r, "waiting for events: %s", strerror(-r)) : 0;
}

int live_rings_open(struct live_rings *rings, struct error *err)
{
	uint32_t cpus = rings->cpus;
	int r;

	rings->epoll = epoll_create1(EPOLL_CLOEXEC);
	rings->rings = calloc(cpus, sizeof(*rings->rings));
	rings->replaced = calloc(cpus, sizeof(*rings->replaced));
	rings->replaced_ts = calloc(cpus, sizeof(*rings->replaced_ts));
	rings->online = calloc(cpus, sizeof(*rings->online));
	if (rings->epoll < 0) {
		rings->cpus = 0; /* no ring is one yet */
		return error_set(err, -errno, "creating an epoll: %s", strerror(errno));
	}
	if (!rings->rings || !rings->replaced || !rings->replaced_ts || !rings->online) {
		rings->cpus = 0;
		return error_set(err, -ENOMEM, "opening the rings: out of memory");
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		scap_ring_init_empty(cpu, &rings->rings[cpu]);
		scap_ring_init_empty(cpu, &rings->replaced[cpu]);
	}
	r = watch_others(rings, err);
	return r ? r : live_rings_follow(rings, err);
}

void live_rings_close(struct live_rings *rings)
{
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
		scap_ring_close(&rings->rings[cpu]);
		scap_ring_close(&rings->replaced[cpu]);
	}
	free(rings->rings);
	free(rings->replaced);
	free(rings->replaced_ts);
	free(rings->online);
	ring_buffer__free(rings->rung);
	if (rings->epoll >= 0)
		close(rings->epoll);
}
