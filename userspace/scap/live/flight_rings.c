/* SPDX-License-Identifier: MIT */
/*
 * Freezing stops nobody. First the slots are emptied, each when nobody owns it: then all events up
 * to the moment before are in a ring or were taken out. Then the rings are copied, the newest
 * records first, while programs write on, which costs some of the oldest records at most. What was
 * taken out of slots and is later than the moment stays for the next time.
 */
#include "scap/live/flight_rings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scap/rings/cpus.h"
#include "util/clock.h"

enum {
	/* The programs' clock may lag behind that of records by some microseconds. */
	CLOCK_MARGIN_NS = 20000,
	/* How long a program that owns a slot is waited for. */
	SLOT_TRIES = 200,
	SLOT_TRY_NS = 500000,
	FOLLOW_NS = 400000000,
};

static int open_ring(struct flight_rings *rings, uint32_t cpu, struct error *err)
{
	struct scap_backward made;
	int fd = rings->loader->ops->open_ring(rings->loader, cpu, rings->ring_bytes, true, err);
	int r = fd < 0 ? fd : scap_backward_map(fd, cpu, rings->ring_bytes, &made, err);

	if (r < 0)
		return r == -ENODEV ? 0 : r; /* it has just gone offline */
	if (bpf_map_update_elem(rings->map, &cpu, &made.fd, BPF_ANY) < 0) {
		r = error_set(err, -errno, "using the ring of CPU %u: %s", cpu, strerror(errno));
		scap_backward_close(&made);
		return r;
	}
	scap_backward_close(&rings->rings[cpu].backward);
	rings->rings[cpu] = (struct flight_ring){.backward = made};
	scap_enabled_begin(&rings->rings[cpu].enabled);
	return 0;
}

/*
 * Whether the kernel does not let it be written any more, as its CPU was offline for a moment.
 * Nobody asks for that while it is written: it takes an interrupt on that CPU.
 */
static bool has_ended(struct flight_ring *ring)
{
	uint64_t written = scap_backward_written(&ring->backward);
	bool is_written = written != ring->looked_at;

	ring->looked_at = written;
	return !is_written && scap_enabled_has_ended(&ring->enabled, ring->backward.fd);
}

/*
 * A ring of a CPU that was offline meanwhile is not written any more: another one takes its place.
 * What fails is tried again later.
 */
static int follow_cpus(struct flight_rings *rings, uint64_t now_ns, struct error *err)
{
	int r = scap_cpus_read(SCAP_CPUS_ONLINE, rings->cpus, rings->listed);

	if (r < 0)
		return error_set(err, r, "reading " SCAP_CPUS_ONLINE ": %s", strerror(-r));
	for (uint32_t cpu = 0; cpu < rings->cpus && r == 0; cpu++) {
		if (rings->listed[cpu] && (!rings->online[cpu] || has_ended(&rings->rings[cpu]))) {
			r = open_ring(rings, cpu, err);
			rings->rings[cpu].opened_ns = now_ns;
		}
		rings->online[cpu] = rings->listed[cpu] && r == 0;
	}
	return r;
}

int flight_rings_open(struct flight_rings *rings, struct error *err)
{
	uint32_t cpus = rings->cpus;

	rings->rings = calloc(cpus, sizeof(*rings->rings));
	rings->left = calloc(cpus, sizeof(*rings->left));
	rings->online = calloc(cpus, sizeof(*rings->online));
	rings->listed = calloc(cpus, sizeof(*rings->listed));
	if (!rings->rings || !rings->left || !rings->online || !rings->listed)
		return error_set(err, -ENOMEM, "opening the rings: out of memory");
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		rings->rings[cpu].backward = (struct scap_backward){.fd = -1};
		scap_ring_init_empty(cpu, &rings->left[cpu]);
	}
	return follow_cpus(rings, 0, err);
}

void flight_rings_close(struct flight_rings *rings)
{
	for (uint32_t cpu = 0; cpu < rings->cpus && rings->rings && rings->left; cpu++) {
		scap_backward_close(&rings->rings[cpu].backward);
		scap_ring_close(&rings->left[cpu]);
	}
	free(rings->rings);
	free(rings->left);
	free(rings->online);
	free(rings->listed);
	rings->rings = NULL;
	rings->left = NULL;
	rings->online = rings->listed = NULL;
	rings->cpus = 0;
}

/* Drops the marks that a lap has passed. */
static void pass_marks(struct flight_ring *ring, uint64_t written)
{
	while (ring->count) {
		const struct flight_mark *mark = &ring->marks[ring->first];

		if (written - mark->written < ring->backward.bytes)
			return;
		ring->overwritten_ns = mark->ns;
		ring->first = (ring->first + 1) % FLIGHT_MARKS;
		ring->count--;
	}
}

static void add_mark(struct flight_ring *ring, uint64_t written, uint64_t now_ns)
{
	const struct flight_mark *last =
		&ring->marks[(ring->first + ring->count - 1) % FLIGHT_MARKS];

	if (ring->count == FLIGHT_MARKS)
		return;
	if (ring->count && written - last->written < ring->backward.bytes / FLIGHT_MARK_DIVISOR)
		return;
	ring->marks[(ring->first + ring->count++) % FLIGHT_MARKS] =
		(struct flight_mark){written, now_ns};
}

void flight_rings_step(struct flight_rings *rings, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++) {
		struct flight_ring *ring = &rings->rings[cpu];
		uint64_t written = scap_backward_written(&ring->backward);

		pass_marks(ring, written);
		/* The time first: what was written since is later. */
		add_mark(ring, written, now_ns);
	}
	if (now_ns < rings->follow_ns)
		return;
	rings->follow_ns = now_ns + FOLLOW_NS;
	(void)follow_cpus(rings, now_ns, NULL);
}

uint64_t flight_rings_since(const struct flight_rings *rings)
{
	uint64_t since = 0;

	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		if (rings->rings[cpu].overwritten_ns > since)
			since = rings->rings[cpu].overwritten_ns;
	return since ? since + rings->boot_offset_ns : 0;
}

static uint64_t unread_of(const struct scap_live_stats *stats, uint32_t id)
{
	const struct event_counters *counters = &stats->events[id];
	uint64_t known = stats->delivered[id] + counters->filtered;

	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		known += counters->lost[cause];
	return stats->seen[id] > known ? stats->seen[id] - known : 0;
}

void flight_rings_stats(const struct flight_rings *rings, const bool read_at_once[EVENT_ID_MAX],
			struct scap_live_stats *stats)
{
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		stats->backward_bytes += rings->rings[cpu].backward.bytes;
	for (uint32_t id = 0; id < EVENT_ID_MAX && rings->cpus; id++)
		if (!read_at_once[id])
			stats->unread += unread_of(stats, id);
}

/* Each slot has to be without an owner once. Returns how many were not. */
static uint32_t take_slots(struct flight_rings *rings)
{
	const struct timespec pause = {.tv_nsec = SLOT_TRY_NS};
	uint32_t busy = 0;
	int tries = 0;

	for (uint32_t i = 0; i < rings->cpus * SCRATCH_SLOTS_PER_CPU; i++) {
		struct scap_ring *left = &rings->left[i / SCRATCH_SLOTS_PER_CPU];
		bool taken = scap_slot_empty(&rings->slots[i], left);

		for (; !taken && tries < SLOT_TRIES; tries++) {
			nanosleep(&pause, NULL);
			taken = scap_slot_empty(&rings->slots[i], left);
		}
		busy += !taken;
	}
	return busy;
}

static int copy_rings(struct flight_rings *rings, struct flight_frozen *frozen)
{
	uint64_t since = 0, opened;
	int r = 0;

	for (uint32_t cpu = 0; cpu < rings->cpus && r == 0; cpu++) {
		struct scap_backward_copy *copy = &frozen->copies[cpu];

		r = scap_backward_copy(&rings->rings[cpu].backward, copy);
		opened = rings->rings[cpu].opened_ns;
		if (copy->since_ns > since)
			since = copy->since_ns;
		if (opened > since)
			since = opened;
		frozen->bytes += copy->bytes;
		frozen->corrupt += copy->corrupt;
		frozen->cursors[cpu] = copy->ring;
	}
	frozen->since_ns = since ? since + CLOCK_MARGIN_NS + rings->boot_offset_ns : 0;
	return r;
}

int flight_rings_freeze(struct flight_rings *rings, struct flight_frozen *frozen)
{
	struct scap_merge_config config = {
		.cpus = rings->cpus,
		.rings = rings->left,
		.boot_offset_ns = rings->boot_offset_ns,
		.leaves_slots = true,
	};
	int r;

	*frozen = (struct flight_frozen){.rings = rings};
	frozen->copies = calloc(rings->cpus, sizeof(*frozen->copies));
	frozen->cursors = calloc(rings->cpus, sizeof(*frozen->cursors));
	if (!frozen->copies || !frozen->cursors)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < rings->cpus; cpu++)
		scap_ring_init_empty(cpu, &frozen->cursors[cpu]);
	frozen->until_ns = clock_ns(CLOCK_BOOTTIME) - CLOCK_MARGIN_NS + rings->boot_offset_ns;
	frozen->busy_slots = take_slots(rings);
	r = copy_rings(rings, frozen);
	config.replaced = frozen->cursors;
	if (r == 0)
		r = scap_merge_create(&config, &frozen->merge);
	if (r == 0)
		scap_merge_last_round(frozen->merge);
	return r;
}

/* What was not taken of `left` remains there. */
void flight_frozen_close(struct flight_frozen *frozen)
{
	scap_merge_destroy(frozen->merge);
	for (uint32_t cpu = 0; frozen->copies && frozen->cursors && cpu < frozen->rings->cpus;
	     cpu++) {
		frozen->copies[cpu].ring = frozen->cursors[cpu];
		scap_backward_copy_close(&frozen->copies[cpu]);
	}
	free(frozen->copies);
	free(frozen->cursors);
	*frozen = (struct flight_frozen){0};
}

/* An event is taken only by the next call: the one that is too late stays. */
int flight_frozen_next(struct flight_frozen *frozen, struct scap_frame *frame, uint16_t *cpu)
{
	return scap_merge_next(frozen->merge, frame, cpu) && frame->ts <= frozen->until_ns;
}
