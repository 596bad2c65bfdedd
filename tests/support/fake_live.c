/* SPDX-License-Identifier: MIT */
#include "fake_live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "scap/rings/ring.h"

static struct scap_live *offered;

static int fake_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_live *live = (struct scap_live *)source;
	int got;

	if (live->slow && timeout_ms == 0)
		return 0;
	if (live->slow && !live->stopped) {
		live->trickled++;
		usleep(1000);
	}
	got = scap_source_next(scap_inject_source(live->inject), timeout_ms, event);
	if (got != -ENODATA || !live->endless || live->stopped)
		return got;
	live->waited_ms = timeout_ms;
	usleep((useconds_t)timeout_ms * 1000);
	return 0;
}

static void fake_destroy(struct scap_source *source)
{
	struct scap_live *live = (struct scap_live *)source;

	scap_source_destroy(scap_inject_source(live->inject));
	live->inject = NULL;
}

static const struct scap_source_ops ops = {.next = fake_next, .destroy = fake_destroy};

void fake_live_init(struct scap_live *live)
{
	*live = (struct scap_live){.source.ops = &ops};
	if (scap_inject_create(&live->inject))
		abort();
}

void fake_live_offer(struct scap_live *live)
{
	offered = live;
}

void fake_live_append(struct scap_live *live, uint16_t id, const struct scap_event *event)
{
	if (scap_inject_append(live->inject, event->frame, event->len, 0))
		abort();
	live->stats.seen[id]++;
	live->stats.delivered[id]++;
}

int scap_live_open(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err)
{
	if (!offered)
		return error_set(err, -EPERM, "there is no capture");
	offered->config = *config;
	*live = offered;
	return 0;
}

int scap_live_load(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err)
{
	return scap_live_open(config, live, err);
}

struct scap_source *scap_live_source(struct scap_live *live)
{
	return &live->source;
}

uint64_t scap_live_boot_offset(const struct scap_live *live)
{
	return 7;
}

void scap_live_stop(struct scap_live *live)
{
	live->stopped = true;
}

int scap_live_stats(struct scap_live *live, struct scap_live_stats *stats)
{
	if (live->stats_code == 0)
		*stats = live->stats;
	return live->stats_code;
}

uint32_t scap_live_silent(const struct scap_live *live, uint32_t *cpu)
{
	*cpu = 0;
	return live->silent;
}

bool scap_live_owns(const struct scap_live *live, enum bpf_object_kind kind, uint32_t id)
{
	return kind == BPF_OBJECT_MAP && id && id == live->own_map;
}

size_t scap_live_throttled(struct scap_live *live, struct scap_live_throttled *list, size_t max)
{
	if (live->throttled.lost && max)
		*list = live->throttled;
	return live->throttled.lost && max;
}

int scap_live_shed(struct scap_live *live, const struct shed *shed)
{
	live->shed = *shed;
	return live->shed_code;
}

int scap_live_run_ns(const struct scap_live *live, uint64_t *ns)
{
	*ns = live->run_ns;
	return live->shed_code;
}

const uint16_t *scap_live_rejected(const struct scap_live *live)
{
	return live->rejected;
}

int scap_live_enter_error(const struct scap_live *live)
{
	return live->enter_error;
}

int scap_live_sends_error(const struct scap_live *live)
{
	return live->sends_error;
}

int scap_live_filters_error(const struct scap_live *live)
{
	return live->filters_error;
}

int scap_live_answers_error(const struct scap_live *live)
{
	return live->answers_error;
}

enum live_hooks scap_live_call_hooks(const struct scap_live *live)
{
	return live->call_hooks;
}

enum live_uring scap_live_uring(const struct scap_live *live)
{
	return live->uring;
}

int scap_live_own_groups(const struct scap_live *live, uint64_t *key, const char **text,
			 size_t *len)
{
	*key = live->groups_key;
	*text = live->own_groups.data;
	*len = live->own_groups.len;
	return live->own_groups.len ? 0 : -ENODATA;
}

int scap_live_reject_groups(struct scap_live *live, uint64_t key, bool rejected)
{
	live->rejected_key = rejected ? key : 0;
	return 0;
}

int scap_live_limit_stream(struct scap_live *live, uint64_t ino, uint32_t bytes)
{
	live->limited_ino = ino;
	live->limited_bytes = bytes;
	return 0;
}

int scap_live_take_calls(struct scap_live *live, const struct live_call_taker *taker)
{
	return 0;
}

void scap_live_accept_groups(struct scap_live *live)
{
	live->rejected_key = 0;
}

int scap_live_mute_propose(struct scap_live *live, pid_t pid, uint64_t *ns)
{
	live->muted = pid;
	live->muted_program = 0;
	*ns = 1000;
	return 0;
}

int scap_live_mute_set(struct scap_live *live, pid_t pid, uint64_t program, uint64_t *ns)
{
	*ns = 2000;
	if (live->muted != pid)
		return -ENOENT;
	live->muted_program = program;
	return 0;
}

void scap_live_mute_end(struct scap_live *live, pid_t pid, uint64_t *ns)
{
	live->muted = 0;
	*ns = 3000;
}

int scap_live_cgroup_roots(const struct scap_live *live, const struct buf **roots)
{
	if (live->cgroup_roots_code == 0)
		*roots = &live->cgroup_roots;
	return live->cgroup_roots_code;
}

int scap_live_open_iterator(const struct scap_live *live, enum scap_live_iterator which)
{
	int code = live->iterators[which];
	char path[32];

	if (code <= 0)
		return code ? code : -ENODATA;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", code);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool scap_live_cpu(const struct scap_live *live, uint32_t number, struct scap_live_cpu *cpu)
{
	*cpu = number < live->cpus_count ? live->cpus[number] : (struct scap_live_cpu){0};
	return number < live->cpus_count;
}

int64_t scap_live_map_bytes(const struct scap_live *live)
{
	return 0;
}

bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook)
{
	return false;
}

int scap_live_program_runs(const struct scap_live *live, unsigned int i, uint64_t *runs,
			   uint64_t *ns)
{
	return -ENOENT;
}

unsigned int scap_live_fill(const struct scap_live *live)
{
	return 0;
}

int scap_live_follow(struct scap_live *live, pid_t pid, bool kin)
{
	return 0;
}

int scap_live_follow_like(struct scap_live *live, const struct scap_live *other)
{
	return 0;
}

uint64_t scap_live_held_ns(const struct scap_live *live)
{
	return 0;
}

void scap_live_continue(struct scap_live *live)
{
}

bool scap_live_has_room(const struct scap_live *live)
{
	return true;
}

struct flight_rings *scap_live_flight_rings(struct scap_live *live)
{
	return &live->flight_rings;
}

void scap_live_deliver(struct scap_live *live, const struct scap_frame *frame, uint16_t cpu,
		       struct scap_event *event)
{
	event->frame = frame->bytes;
	event->len = frame->len;
	event->cpu = cpu;
	live->stats.delivered[frame->type]++;
}
