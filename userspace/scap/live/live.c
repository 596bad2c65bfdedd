/* SPDX-License-Identifier: MIT */
/*
 * The live source: the merge over the rings of all CPUs, and when to poll them. live/live_rings.c
 * has the rings, live/driver.c the BPF programs.
 */
#include "scap/live/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "scap/live/driver.h"
#include "scap/live/live_rings.h"
#include "scap/live/programs.h"
#include "scap/rings/heartbeat.h"
#include "scap/rings/merge.h"
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
	struct live_rings rings;
	struct heartbeat heartbeat;
	struct wall_clock wall_clock;
	uint64_t follow_ns; /* boot clock: when to read the CPUs again */
	uint64_t wall_clock_ns; /* when to read the wall clock again */
	struct scap_merge *merge;
	int look_ms;
	bool stopped; /* no program runs any more */
	bool drained; /* all that they wrote is loaded */
	uint64_t delivered[EVENT_ID_MAX];
	bool hidden[EVENT_ID_MAX]; /* wanted only for the state */
};

static int live_take(struct scap_live *live, struct scap_event *event)
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
	int n = live_rings_wait(&live->rings, ms);

	if (n == 0 && live->look_ms < LOOK_MS_MAX)
		live->look_ms *= 2;
	return n < 0 ? n : 0;
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
		if (live_take(live, event))
			return 1;
	}
	return -ENODATA;
}

static int live_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_live *live = (struct scap_live *)source;
	uint64_t now, end_ns = 0;
	int left_ms, r;

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
		follow_wall_clock(live, now);
		live_driver_follow_answers(live->driver, now);
		scap_merge_round(live->merge, now);
		if (live_rings_grow(&live->rings, scap_merge_cutoff(live->merge)))
			scap_merge_round(live->merge, now);
		if (live_take(live, event)) {
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

	heartbeat_end(&live->heartbeat);
	live_driver_destroy(live->driver);
	scap_merge_destroy(live->merge);
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

static int live_open_parts(struct scap_live *live, const struct scap_live_config *config,
			   struct error *err)
{
	uint64_t offset_ns = clock_boot_offset_ns();
	struct scap_merge_config merge = {
		.boot_offset_ns = config->boot_offset_ns ? config->boot_offset_ns : offset_ns,
	};
	int r = live_driver_create(config, merge.boot_offset_ns, &live->driver, err);

	if (r < 0)
		return r;
	merge.slots = live_driver_slots(live->driver, &merge.cpus);
	wall_clock_init(&live->wall_clock, merge.boot_offset_ns, offset_ns);
	r = live_rings_open(config, live->driver, merge.boot_offset_ns, &live->rings, err);
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
	made->rings.epoll = -1;
	made->look_ms = LOOK_MS_MIN;
	r = live_open_parts(made, config, err);
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
	heartbeat_stop(&live->heartbeat);
	live_driver_detach(live->driver);
	live->stopped = true;
}

int scap_live_stats(struct scap_live *live, struct scap_live_stats *stats)
{
	int r;

	memset(stats, 0, sizeof(*stats));
	r = live_driver_stats(live->driver, stats);
	if (r < 0)
		return r;
	memcpy(stats->delivered, live->delivered, sizeof(stats->delivered));
	live_rings_stats(&live->rings, stats);
	stats->silent = scap_live_silent(live, &stats->silent_cpu);
	stats->unanswered = live->heartbeat.unanswered;
	stats->out_of_order = scap_merge_out_of_order(live->merge);
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

bool scap_live_owns(const struct scap_live *live, enum bpf_object_kind kind, uint32_t id)
{
	return live_driver_owns(live->driver, kind, id);
}

size_t scap_live_throttled(struct scap_live *live, struct scap_live_throttled *list, size_t max)
{
	return live_driver_throttled(live->driver, list, max);
}

int scap_live_shed(struct scap_live *live, const struct shed *shed)
{
	return live_driver_shed(live->driver, shed);
}

int scap_live_run_ns(const struct scap_live *live, uint64_t *ns)
{
	return live_driver_run_ns(live->driver, ns);
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

int scap_live_sends_error(const struct scap_live *live)
{
	return live_driver_sends_error(live->driver);
}

int scap_live_filters_error(const struct scap_live *live)
{
	return live_driver_filters_error(live->driver);
}

int scap_live_answers_error(const struct scap_live *live)
{
	return live_driver_answers_error(live->driver);
}

enum call_hooks scap_live_call_hooks(const struct scap_live *live)
{
	return live_driver_call_hooks(live->driver);
}

int scap_live_take_iterator(struct scap_live *live, enum scap_live_iterator which)
{
	return live_driver_take_iterator(live->driver, which);
}

int scap_live_cgroup_roots(const struct scap_live *live, const struct buf **roots)
{
	return live_driver_cgroup_roots(live->driver, roots);
}

int scap_live_own_groups(const struct scap_live *live, uint64_t *key, const char **text,
			 size_t *len)
{
	return live_driver_own_groups(live->driver, key, text, len);
}

int scap_live_reject_groups(struct scap_live *live, uint64_t key, bool rejected)
{
	return live_driver_reject_groups(live->driver, key, rejected);
}

void scap_live_accept_groups(struct scap_live *live)
{
	live_driver_accept_groups(live->driver);
}

bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook)
{
	return live_driver_program(live->driver, i, program, hook);
}

int scap_live_program_runs(const struct scap_live *live, unsigned int i, uint64_t *runs,
			   uint64_t *ns)
{
	return live_driver_program_runs(live->driver, i, runs, ns);
}
