/* SPDX-License-Identifier: MIT */
/*
 * A live capture: the programs in the kernel, by what a loader handed over; and the source of their
 * events, which merges the rings of all CPUs and decides when to poll them. live_rings.c has the
 * rings, load.c loads.
 */
#include "scap/live/live.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/answers.h"
#include "scap/live/call_rows.h"
#include "scap/live/flight_rings.h"
#include "scap/live/maps.h"
#include "scap/live/live_rings.h"
#include "scap/live/live_samples.h"
#include "scap/live/live_tls.h"
#include "scap/live/load.h"
#include "scap/live/loaded.h"
#include "scap/live/programs.h"
#include "scap/live/wall_clock.h"
#include "scap/live/sampler.h"
#include "scap/rings/heartbeat.h"
#include "scap/rings/merge.h"
#include "scap/samples/samples.h"
#include "util/clock.h"
#include "util/waker.h"

enum {
	/*
	 * A ring wakes us at its watermark. While there are events below that, it is polled at this
	 * interval; once there were none, the next one rings the bell.
	 */
	LOOK_MS = 10,
	/*
	 * Who writes a sample rings no bell: a wake-up by each would cost who is sampled more than
	 * the sample does. Once there were none, rings of samples are polled at this interval.
	 */
	SAMPLES_LOOK_MS = 100,
	NS_PER_MS = 1000000,
	FOLLOW_NS = 1000000000, /* how often the online CPUs are read */
	/* How often the wall clock is checked for steps. */
};

/* A map, program or link, as others name it. */
struct owned {
	enum bpf_object_kind kind;
	uint32_t id;
};

struct scap_live {
	struct scap_source source;
	/* The programs. */
	struct live_loader *loader; /* `load`, or that of the configuration */
	struct live_load load;
	struct live_loaded loaded;
	int maps[LIVE_MAP_OTHER]; /* of `loaded` */
	struct owned *owned; /* owned; of `loaded` */
	size_t owned_count;
	struct scratch_slot *slots; /* mapped, SCRATCH_SLOTS_PER_CPU for each possible CPU */
	size_t slots_bytes;
	uint16_t rejected_ids[EVENT_ID_MAX + 1]; /* missing, all or some; terminated by 0 */
	struct buf cgroup_roots;
	struct buf own_groups; /* see live_own_groups_run() */
	int cgroup_roots_error; /* -errno; 0: they are known, or not needed */
	struct live_answers answers;
	struct live_call_rows call_rows;
	bool attached; /* tried: the loader has released what it needed for that */
	bool stopped; /* no program runs any more */
	/* Their events. */
	struct live_rings rings;
	struct flight_rings flight_rings; /* `cpus` 0: there are none */
	struct heartbeat heartbeat;
	struct live_sampler sampler;
	struct live_tls tls;
	struct live_samples samples;
	struct wall_clock wall_clock;
	uint64_t follow_ns; /* boot clock: when to read the CPUs again */
	struct scap_merge *merge; /* NULL: only loaded */
	bool awaited; /* the next event rings the bell */
	bool took; /* an event since the last wait: more may come soon */
	bool drained; /* all that the programs wrote is loaded */
	uint64_t delivered[EVENT_ID_MAX];
	bool captured[EVENT_ID_MAX];
	bool hidden[EVENT_ID_MAX]; /* wanted only for the state */
	bool rests; /* as configured */
	bool read_at_once[EVENT_ID_MAX]; /* of these nothing is in rings that are overwritten */
};

/* The programs: what was loaded of them, from attaching to detaching. */

static void list_rejected(struct scap_live *live)
{
	size_t count = 0;

	for (uint16_t id = 1; id < EVENT_ID_MAX; id++)
		if (live->loaded.rejected[id])
			live->rejected_ids[count++] = id;
	live->rejected_ids[count] = 0;
}

static int map_slots(struct scap_live *live, struct error *err)
{
	size_t bytes = live->loaded.cpus * SCRATCH_SLOTS_PER_CPU * sizeof(struct scratch_slot);
	void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			   live->maps[LIVE_MAP_SCRATCH], 0);

	if (slots == MAP_FAILED)
		return error_set(err, -errno, "mapping the scratch slots: %s", strerror(errno));
	live->slots = slots;
	live->slots_bytes = bytes;
	return 0;
}

/* Before any program is attached that would use the same slot. */
static void take_cgroup_roots(struct scap_live *live)
{
	int bytes = live->loaded.cgroup_roots;

	live->cgroup_roots_error = bytes < 0 ? bytes : 0;
	if (bytes <= 0)
		return;
	buf_append(&live->cgroup_roots, (const char *)live->slots[0].work, (size_t)bytes);
	if (live->cgroup_roots.failed)
		live->cgroup_roots_error = -ENOMEM;
}

static void take_own_groups(struct scap_live *live)
{
	if (live->loaded.own_groups > 0)
		buf_append(&live->own_groups, (const char *)live->slots[1].work,
			   (size_t)live->loaded.own_groups);
}

static void find_maps(struct scap_live *live)
{
	for (uint16_t row = 0; row < LIVE_MAP_OTHER; row++)
		live->maps[row] = live_loaded_find(&live->loaded, LIVE_MAP, row);
}

static void live_release(struct scap_live *live)
{
	live->loader->ops->release(live->loader);
}

/* So that a call of others about one of them is noticed. Without memory none is. */
static void note_owned(struct scap_live *live)
{
	static const enum bpf_object_kind kinds[LIVE_PART_KINDS] = {
		[LIVE_MAP] = BPF_OBJECT_MAP,
		[LIVE_PROGRAM] = BPF_OBJECT_PROGRAM,
		[LIVE_LINK] = BPF_OBJECT_LINK,
	};

	live->owned = calloc(live->loaded.count + 1, sizeof(*live->owned));
	for (size_t i = 0; live->owned && i < live->loaded.count; i++) {
		const struct live_part *part = &live->loaded.parts[i];
		uint32_t id = kinds[part->kind] ? live_part_id(part) : 0;

		if (id)
			live->owned[live->owned_count++] = (struct owned){kinds[part->kind], id};
	}
}

static int live_attach(struct scap_live *live, struct error *err)
{
	int r = live->loader->ops->attach(live->loader, &live->loaded, err);

	live_release(live);
	live->attached = true;
	list_rejected(live);
	note_owned(live);
	if (r == 0)
		live_answers_open(&live->answers, &live->loaded);
	return r;
}

static void live_detach(struct scap_live *live)
{
	live_sampler_stop(&live->sampler);
	live_tls_leave(&live->tls);
	/* A program that is running continues. */
	if (live_loaded_close(&live->loaded, LIVE_LINK))
		live_wait_for_programs();
}

/* Their events, in time order. */

void scap_live_deliver(struct scap_live *live, const struct scap_frame *frame, uint16_t cpu,
		       struct scap_event *event)
{
	event->frame = frame->bytes;
	event->len = frame->len;
	event->cpu = cpu;
	event->clock_step_ns = wall_clock_step(&live->wall_clock, frame->ts);
	event->hidden = live->hidden[frame->type];
	live->delivered[frame->type]++;
}

static int live_take(struct scap_live *live, struct scap_event *event)
{
	struct scap_frame frame;
	uint16_t cpu;

	if (!live_samples_next(&live->samples, live->merge, &frame, &cpu))
		return 0;
	scap_live_deliver(live, &frame, cpu, event);
	live->took = true;
	return 1;
}

static int ms_between(uint64_t now_ns, uint64_t then_ns)
{
	return then_ns > now_ns ? (int)((then_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

static int min_ms(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Waits for events, at most until then, or until another look is worth it. Returns 0; -EINTR: a
 * signal arrived, or the waker was called; or another -errno.
 */
static int wait_for_events(struct scap_live *live, uint64_t now_ns, uint64_t end_ns)
{
	int ms = ms_between(now_ns, end_ns < live->follow_ns ? end_ns : live->follow_ns);
	bool quiet = !live->took && scap_merge_is_quiet(live->merge) &&
		     live_samples_are_quiet(&live->samples);
	struct live_woken woken;
	int r;

	if (live->rests) {
		r = live_rings_wait(&live->rings, ms, &woken);
		return r == 0 && woken.called ? -EINTR : r;
	}
	if (quiet != live->awaited) {
		live->awaited = quiet;
		scap_merge_await(live->merge, quiet);
		/* What was written before has not rung. */
		if (quiet)
			return 0;
	}
	live->took = false;
	if (!quiet || live->samples.samples)
		ms = min_ms(ms, quiet ? SAMPLES_LOOK_MS : LOOK_MS);
	r = live_rings_wait(&live->rings, ms, &woken);
	live->awaited &= !woken.rang;
	/* Without an event meanwhile, it stepped before the next one. */
	if (quiet)
		wall_clock_read(&live->wall_clock, now_ns, clock_boot_offset_ns());
	return r == 0 && woken.called ? -EINTR : r;
}

static int next_after_stop(struct scap_live *live, struct scap_event *event)
{
	/* Programs at functions are removed one by one: what they see meanwhile is taken. */
	while (!live->drained && live_tls_awaits(&live->tls)) {
		live_samples_round(&live->samples, live->merge, clock_ns(CLOCK_BOOTTIME));
		if (live_take(live, event))
			return 1;
	}
	if (!live->drained)
		live_samples_last_round(&live->samples, live->merge);
	live->drained = true;
	do {
		if (live_take(live, event))
			return 1;
	} while (live_samples_await(&live->samples));
	live_samples_close(&live->samples);
	return -ENODATA;
}

static int live_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_live *live = (struct scap_live *)source;
	uint64_t now, end_ns = 0;
	int r;

	if (live_take(live, event))
		return 1;
	if (live->stopped)
		return next_after_stop(live, event);
	for (;;) {
		now = clock_ns(CLOCK_BOOTTIME);
		if (now >= live->follow_ns) {
			live->follow_ns = now + FOLLOW_NS;
			live_rings_follow(&live->rings,
					  NULL); /* what fails now is counted, and tried again */
			heartbeat_check(&live->heartbeat, live->rings.rings);
			now = clock_ns(CLOCK_BOOTTIME);
		}
		wall_clock_follow(&live->wall_clock, now);
		live_answers_follow(&live->answers, now);
		live_samples_round(&live->samples, live->merge, now);
		if (live_rings_grow(&live->rings, scap_merge_cutoff(live->merge)))
			live_samples_round(&live->samples, live->merge, now);
		if (live_take(live, event))
			return 1;
		if (end_ns == 0)
			end_ns = now + (uint64_t)timeout_ms * NS_PER_MS;
		if (now >= end_ns)
			return 0;
		r = wait_for_events(live, now, end_ns);
		if (r < 0)
			return r == -EINTR ? 0 : r;
	}
}

static void live_destroy(struct scap_source *source)
{
	struct scap_live *live = (struct scap_live *)source;

	live_samples_close(&live->samples);
	heartbeat_end(&live->heartbeat);
	live_detach(live);
	if (!live->attached)
		live_release(live);
	if (live->slots)
		munmap(live->slots, live->slots_bytes);
	live_answers_close(&live->answers);
	live_loaded_end(&live->loaded);
	live_call_rows_finish(&live->call_rows);
	buf_finish(&live->cgroup_roots);
	buf_finish(&live->own_groups);
	free(live->owned);
	scap_merge_destroy(live->merge);
	flight_rings_close(&live->flight_rings);
	live_rings_close(&live->rings);
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

/* Only the calls of this process are told from those of others. */
static int begin_heartbeat(struct scap_live *live, const struct scap_live_config *config)
{
	static const bool none_rejected[EVENT_ID_MAX];

	if (!config->self_pids[0] || !live_any_call_wanted(config, none_rejected))
		return 0;
	return heartbeat_init(&live->heartbeat, live->rings.cpus);
}

int scap_live_load(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err)
{
	struct scap_live *made = calloc(1, sizeof(*made));
	uint64_t now_ns = clock_boot_offset_ns();
	uint64_t offset_ns = config->boot_offset_ns ? config->boot_offset_ns : now_ns;
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "loading the BPF programs: out of memory");
	made->source.ops = &live_ops;
	made->rings.epoll = -1;
	wall_clock_init(&made->wall_clock, offset_ns, now_ns);
	live_load_init(&made->load);
	made->loader = config->loader ? config->loader : &made->load.loader;
	made->call_rows.maps.by = config->call_rows_by;
	r = made->loader->ops->load(made->loader, config, offset_ns, &made->loaded, err);
	if (r == 0) {
		find_maps(made);
		r = map_slots(made, err);
	}
	if (r < 0) {
		live_destroy(&made->source);
		return r;
	}
	list_rejected(made);
	take_cgroup_roots(made);
	take_own_groups(made);
	*live = made;
	return 0;
}

static int open_rings(struct scap_live *live, const struct scap_live_config *config,
		      struct error *err)
{
	live->rings = (struct live_rings){
		.loader = live->loader,
		.map = live->maps[LIVE_MAP_RINGS],
		.slots = live->slots,
		.cpus = live->loaded.cpus,
		.ring_bytes = config->ring_bytes,
		.rings_bytes = config->rings_bytes,
		.holds = config->chosen.holds,
		.boot_offset_ns = live->wall_clock.offset_ns,
		.bell = live->maps[LIVE_MAP_BELL],
		.waker = waker_fd(config->waker),
	};
	return live_rings_open(&live->rings, err);
}

static int open_flight_rings(struct scap_live *live, const struct scap_live_config *config,
			     struct error *err)
{
	if (!config->backward_bytes)
		return 0;
	live->flight_rings = (struct flight_rings){
		.loader = live->loader,
		.map = live->maps[LIVE_MAP_BACKWARD_RINGS],
		.slots = live->slots,
		.cpus = live->loaded.cpus,
		.ring_bytes = config->backward_bytes,
		.boot_offset_ns = live->wall_clock.offset_ns,
	};
	return flight_rings_open(&live->flight_rings, err);
}

/* The link of the iterator that writes samples of connections; -ENODATA if there is none. */
static int find_samples(const struct scap_live *live)
{
	for (size_t i = 0; i < live_programs_count; i++)
		if (live_programs[i].is_iterator)
			return live_loaded_find(&live->loaded, LIVE_LINK, (uint16_t)i);
	return -ENODATA;
}

static int begin_samples(struct scap_live *live, const struct scap_live_config *config,
			 struct error *err)
{
	int link = config->sample_ns ? find_samples(live) : -ENODATA;
	int r = link >= 0 ? live_sampler_start(&live->sampler, link, config->sample_ns) : 0;

	return r ? error_set(err, r, "cannot start the thread that samples connections: %s",
			     strerror(-r))
		 : 0;
}

int scap_live_sample(const struct scap_live *live)
{
	int link = find_samples(live);

	return link < 0 ? -ENODATA : live_sampler_pass(link, NULL);
}

/* Opens the rings of a capture that is loaded, then lets its programs run. */
static int live_begin(struct scap_live *live, const struct scap_live_config *config,
		      struct error *err)
{
	struct scap_merge_config merge = {
		.boot_offset_ns = live->wall_clock.offset_ns,
		.slots = live->slots,
		.cpus = live->loaded.cpus,
		.leaves_slots = config->backward_bytes != 0,
	};
	int r = open_rings(live, config, err);

	if (r == 0)
		r = open_flight_rings(live, config, err);
	if (r < 0)
		return r;
	merge.rings = live->rings.rings;
	merge.replaced = live->rings.replaced;
	r = scap_merge_create(&merge, &live->merge);
	if (r == 0)
		r = begin_heartbeat(live, config);
	if (r < 0)
		return error_set(err, r, "merging the rings: out of memory");
	live->rings.reports_cpus = config->events[EVENT_cpu_hotplug];
	memcpy(live->captured, config->events, sizeof(live->captured));
	memcpy(live->hidden, config->successes, sizeof(live->hidden));
	live->rests = config->rests;
	memcpy(live->read_at_once, config->read_at_once, sizeof(live->read_at_once));
	r = live_samples_open(&live->samples, config->samples, &live->rings, err);
	if (r == 0)
		r = live_attach(live, err);
	if (r == 0 && config->samples)
		samples_begin(config->samples);
	if (r == 0)
		r = live_tls_begin(&live->tls, &live->loaded, config, err);
	return r ? r : begin_samples(live, config, err);
}

int scap_live_open(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err)
{
	struct scap_live *made;
	int r = scap_live_load(config, &made, err);

	if (r < 0)
		return r;
	r = live_begin(made, config, err);
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

bool scap_live_cpu(const struct scap_live *live, uint32_t number, struct scap_live_cpu *cpu)
{
	const struct scap_ring *ring;

	*cpu = (struct scap_live_cpu){0};
	if (number >= live->rings.cpus)
		return false;
	ring = &live->rings.rings[number];
	if (ring->fd >= 0) {
		cpu->ring_bytes = ring->bytes;
		cpu->watermark_bytes = scap_ring_watermark((uint32_t)ring->bytes);
	}
	cpu->wakeups = ring->wakeups + live->rings.replaced[number].wakeups;
	cpu->lost = ring->lost + live->rings.replaced[number].lost;
	if (number < live->flight_rings.cpus) {
		const struct scap_backward *backward = &live->flight_rings.rings[number].backward;

		cpu->backward_bytes = backward->bytes;
		cpu->backward_written = scap_backward_written(backward);
	}
	return true;
}

struct flight_rings *scap_live_flight_rings(struct scap_live *live)
{
	return &live->flight_rings;
}

struct scap_source *scap_live_source(struct scap_live *live)
{
	return &live->source;
}

void scap_live_stop(struct scap_live *live)
{
	heartbeat_stop(&live->heartbeat);
	live_detach(live);
	live->stopped = true;
}

/* Of events that cannot have been lost or filtered nothing is asked: a call for each costs. */
static int read_counters(struct scap_live *live, struct scap_live_stats *stats)
{
	struct event_counters *by_cpu = calloc(live->loaded.cpus, sizeof(*by_cpu));
	int map = live->maps[LIVE_MAP_COUNTERS], r = 0;

	if (!by_cpu)
		return -ENOMEM;
	for (uint32_t id = 0; id < EVENT_ID_MAX && r == 0; id++) {
		struct event_counters *sum = &stats->events[id];

		if (!event_desc_get(id) || !(live->captured[id] || stats->seen[id]))
			continue;
		if (bpf_map_lookup_elem(map, &id, by_cpu) < 0)
			r = -errno;
		for (uint32_t cpu = 0; cpu < live->loaded.cpus && r == 0; cpu++) {
			for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
				sum->lost[cause] += by_cpu[cpu].lost[cause];
			sum->unreadable += by_cpu[cpu].unreadable;
			sum->filtered += by_cpu[cpu].filtered;
			sum->muted += by_cpu[cpu].muted;
		}
		/* Events without a slot, or without a filler, were not counted in a slot. */
		stats->seen[id] += sum->lost[LOSS_SCRATCH_BUSY] + sum->lost[LOSS_TAIL_CALL] +
				   sum->lost[LOSS_BUDGET] + sum->lost[LOSS_MESSAGES] +
				   sum->lost[LOSS_IN_FLIGHT] + sum->lost[LOSS_UNTOLD] +
				   sum->lost[LOSS_UNSHOWN] + sum->filtered;
	}
	free(by_cpu);
	return r;
}

static void read_slots(const struct scap_live *live, struct scap_live_stats *stats)
{
	for (uint32_t i = 0; i < live->loaded.cpus * SCRATCH_SLOTS_PER_CPU; i++)
		for (uint32_t id = 0; id < EVENT_ID_MAX; id++)
			stats->seen[id] +=
				__atomic_load_n(&live->slots[i].seen[id], __ATOMIC_RELAXED);
}

static int read_driver_counters(struct scap_live *live, struct scap_live_stats *stats)
{
	struct driver_counters *by_cpu = calloc(live->loaded.cpus, sizeof(*by_cpu));
	uint64_t begun[RATE_LIMITS] = {0};
	int map = live->maps[LIVE_MAP_DRIVER_COUNTERS], r;
	uint32_t zero = 0;

	if (!by_cpu)
		return -ENOMEM;
	r = bpf_map_lookup_elem(map, &zero, by_cpu) < 0 ? -errno : 0;
	for (uint32_t cpu = 0; cpu < live->loaded.cpus && r == 0; cpu++) {
		stats->compat += by_cpu[cpu].compat;
		stats->unnoted += by_cpu[cpu].unnoted;
		stats->untimed += by_cpu[cpu].untimed;
		stats->ownerless += by_cpu[cpu].ownerless;
		stats->owners_dropped += by_cpu[cpu].owners_dropped;
		stats->tls_notes_lost += by_cpu[cpu].tls_notes_lost;
		stats->counted_seen += by_cpu[cpu].counted_seen;
		for (unsigned int kind = 0; kind < RATE_LIMITS; kind++)
			begun[kind] += by_cpu[cpu].rates_begun[kind];
	}
	/* The kernel may have removed some before there were so many. */
	for (unsigned int kind = 0; kind < RATE_LIMITS; kind++)
		if (begun[kind] > RATES_MAX)
			stats->rates_ended += begun[kind] - RATES_MAX;
	free(by_cpu);
	return r;
}

static int live_read_stats(struct scap_live *live, struct scap_live_stats *stats)
{
	int r;

	read_slots(live, stats);
	r = read_counters(live, stats);
	if (r == 0)
		r = read_driver_counters(live, stats);
	if (r < 0)
		return r;
	stats->run_missed = live_loaded_misses(&live->loaded);
	stats->unjudged = (live->loaded.filters_error && live->loaded.filters_error != -EXDEV) +
			  (live->answers.error != 0);
	return 0;
}

int scap_live_stats(struct scap_live *live, struct scap_live_stats *stats)
{
	int r;

	memset(stats, 0, sizeof(*stats));
	r = live_read_stats(live, stats);
	if (r < 0)
		return r;
	memcpy(stats->delivered, live->delivered, sizeof(stats->delivered));
	flight_rings_stats(&live->flight_rings, live->read_at_once, stats);
	live_rings_stats(&live->rings, stats);
	stats->silent = scap_live_silent(live, &stats->silent_cpu);
	stats->unanswered = live->heartbeat.unanswered;
	stats->samples_failed = atomic_load(&live->sampler.failed);
	stats->sample_error = atomic_load(&live->sampler.error);
	if (live->merge)
		stats->out_of_order =
			scap_merge_out_of_order(live->merge) + live->samples.out_of_order;
	return 0;
}

uint32_t scap_live_silent(const struct scap_live *live, uint32_t *cpu)
{
	return heartbeat_silent(&live->heartbeat, cpu);
}

bool scap_live_has_room(const struct scap_live *live)
{
	return live_rings_have_room(&live->rings);
}

unsigned int scap_live_fill(const struct scap_live *live)
{
	return live_rings_fill(&live->rings);
}

int scap_live_follow(struct scap_live *live, pid_t pid, bool kin)
{
	return live_followed_add(live->maps[LIVE_MAP_FOLLOWED], pid, kin);
}

int scap_live_follow_like(struct scap_live *live, const struct scap_live *other)
{
	return live_followed_copy(live->maps[LIVE_MAP_FOLLOWED], other->maps[LIVE_MAP_FOLLOWED]);
}

uint64_t scap_live_held_ns(const struct scap_live *live)
{
	uint64_t first = 0, ns;

	for (uint32_t cpu = 0; cpu < live->loaded.cpus; cpu++) {
		ns = __atomic_load_n(&live->slots[cpu * SCRATCH_SLOTS_PER_CPU].ring.held_ns,
				     __ATOMIC_ACQUIRE);
		if (ns && (!first || ns < first))
			first = ns;
	}
	return first;
}

/* A process that is stopped between the two steps sets its note again, and is continued later. */
void scap_live_continue(struct scap_live *live)
{
	for (uint32_t cpu = 0; cpu < live->loaded.cpus; cpu++)
		__atomic_store_n(&live->slots[cpu * SCRATCH_SLOTS_PER_CPU].ring.held_ns, 0,
				 __ATOMIC_SEQ_CST);
	live_followed_continue(live->maps[LIVE_MAP_FOLLOWED]);
}

bool scap_live_owns(const struct scap_live *live, enum bpf_object_kind kind, uint32_t id)
{
	for (size_t i = 0; i < live->owned_count; i++)
		if (live->owned[i].kind == kind && live->owned[i].id == id)
			return true;
	return false;
}

size_t scap_live_throttled(struct scap_live *live, struct scap_live_throttled *list, size_t max)
{
	size_t count = 0;

	count = live_throttled_read(live->maps[LIVE_MAP_PROCESS_RATES], list, count, max);
	count = live_throttled_read(live->maps[LIVE_MAP_GROUP_RATES], list, count, max);
	return live_throttled_read(live->maps[LIVE_MAP_SHARES], list, count, max);
}

int scap_live_shed(struct scap_live *live, const struct shed *shed)
{
	uint32_t zero = 0;

	return bpf_map_update_elem(live->maps[LIVE_MAP_SHED], &zero, shed, BPF_ANY) < 0 ? -errno
											: 0;
}

int scap_live_run_ns(const struct scap_live *live, uint64_t *ns)
{
	return live_loaded_run_ns(&live->loaded, ns);
}

int64_t scap_live_map_bytes(const struct scap_live *live)
{
	return live_loaded_map_bytes(&live->loaded);
}

const uint16_t *scap_live_rejected(const struct scap_live *live)
{
	return live->rejected_ids;
}

int scap_live_enter_error(const struct scap_live *live)
{
	return live->loaded.enter_error;
}

int scap_live_sends_error(const struct scap_live *live)
{
	return live->loaded.sends_error;
}

int scap_live_filters_error(const struct scap_live *live)
{
	return live->loaded.filters_error;
}

int scap_live_answers_error(const struct scap_live *live)
{
	return live->answers.error;
}

enum live_hooks scap_live_call_hooks(const struct scap_live *live)
{
	return live->loaded.call_hooks;
}

enum live_uring scap_live_uring(const struct scap_live *live)
{
	return live->loaded.uring;
}

int scap_live_open_iterator(const struct scap_live *live, enum scap_live_iterator which)
{
	int link = live_loaded_find(&live->loaded, LIVE_ITERATOR, (uint16_t)which),
	    error = live->loaded.iterator_errors[which];

	if (link >= 0)
		return bpf_iter_create(link);
	return error < 0 ? error : -ENODATA;
}

int scap_live_cgroup_roots(const struct scap_live *live, const struct buf **roots)
{
	if (live->cgroup_roots_error == 0)
		*roots = &live->cgroup_roots;
	return live->cgroup_roots_error;
}

int scap_live_own_groups(const struct scap_live *live, uint64_t *key, const char **text,
			 size_t *len)
{
	const struct buf *own = &live->own_groups;

	if (own->failed || own->len <= sizeof(*key))
		return -ENODATA;
	memcpy(key, own->data, sizeof(*key));
	*text = own->data + sizeof(*key);
	*len = own->len - sizeof(*key);
	return 0;
}

int scap_live_reject_groups(struct scap_live *live, uint64_t key, bool rejected)
{
	int map = live->maps[LIVE_MAP_REJECTED_GROUPS];
	uint8_t nothing = 0;
	int r = rejected ? bpf_map_update_elem(map, &key, &nothing, BPF_ANY)
			 : bpf_map_delete_elem(map, &key);

	return r < 0 && !(errno == ENOENT && !rejected) ? -errno : 0;
}

int scap_live_limit_stream(struct scap_live *live, uint64_t ino, uint32_t bytes)
{
	int map = live->maps[LIVE_MAP_STREAM_LIMITS];

	return bpf_map_update_elem(map, &ino, &bytes, BPF_ANY) < 0 ? -errno : 0;
}

int scap_live_take_calls(struct scap_live *live, const struct live_call_taker *taker)
{
	live_call_rows_use(&live->call_rows, live->maps, live->loaded.cpus);
	live->call_rows.offset_ns = live->wall_clock.offset_ns;
	return live_call_rows_take(&live->call_rows, taker);
}

void scap_live_accept_groups(struct scap_live *live)
{
	int map = live->maps[LIVE_MAP_REJECTED_GROUPS];
	uint64_t key, next;
	int r = bpf_map_get_next_key(map, NULL, &next);

	/* The next one is found from a key that is still there: else the search begins anew. */
	while (r == 0) {
		key = next;
		r = bpf_map_get_next_key(map, &key, &next);
		bpf_map_delete_elem(map, &key);
	}
}

static uint64_t event_now_ns(const struct scap_live *live)
{
	return clock_ns(CLOCK_BOOTTIME) + scap_live_boot_offset(live);
}

int scap_live_mute_propose(struct scap_live *live, pid_t pid, uint64_t *ns)
{
	int r = live_muted_propose(live->maps[LIVE_MAP_MUTED], pid);

	*ns = event_now_ns(live);
	return r;
}

int scap_live_mute_set(struct scap_live *live, pid_t pid, uint64_t program, uint64_t *ns)
{
	int r = live_muted_set(live->maps[LIVE_MAP_MUTED], pid, program);

	*ns = event_now_ns(live);
	return r;
}

void scap_live_mute_end(struct scap_live *live, pid_t pid, uint64_t *ns)
{
	live_muted_remove(live->maps[LIVE_MAP_MUTED], pid);
	*ns = event_now_ns(live);
}

bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook)
{
	const struct live_part *part = live_loaded_program(&live->loaded, i);

	if (!part)
		return false;
	*program = live_programs[part->row].name;
	*hook = live_programs[part->row].hook;
	return true;
}

int scap_live_program_runs(const struct scap_live *live, unsigned int i, uint64_t *runs,
			   uint64_t *ns)
{
	const struct live_part *part = live_loaded_program(&live->loaded, i);
	struct bpf_prog_info info;
	int r = part ? live_part_info(part, &info) : -ENOENT;

	if (r == 0) {
		*runs = info.run_cnt;
		*ns = info.run_time_ns;
	}
	return r;
}
