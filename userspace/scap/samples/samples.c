/* SPDX-License-Identifier: MIT */
/*
 * One order of the samples of all rings. A round notes where each record is, and sorts these notes
 * by time; the records stay in their rings until they are taken.
 */
#include "scap/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "scap/samples/follow.h"
#include "scap/samples/frame.h"
#include "scap/samples/hook_args.h"
#include "scap/samples/open.h"
#include "scap/samples/record.h"
#include "scap/samples/symbols.h"
#include "util/clock.h"

enum {
	QUEUE_MIN = 1024,
	CLOCK_NS = 1000000000, /* how often it is looked whether the machine was suspended */
};

/* A record that was loaded. */
struct queued {
	uint64_t ts_ns; /* as in frames */
	uint64_t position; /* in its ring */
	uint64_t release; /* when it is taken, the ring can be released up to there */
	uint32_t cpu; /* whose ring it is in */
};

struct samples {
	struct sample_sources sources;
	struct samples_config config;
	const void *reader; /* whoever takes them; NULL: nobody does yet */
	struct sample_symbols *symbols; /* NULL: nobody asks for them */
	struct sample_follower *follower;
	uint64_t opened; /* rings of CPUs that came */
	uint64_t offset_ns; /* of the times of frames from the clock of the records */
	uint64_t boot_offset_ns;
	uint64_t clock_due_ns; /* monotonic clock: when `offset_ns` is read again */
	struct queued *queue; /* owned; by time from `at` on */
	size_t at, len, capacity;
	uint64_t *lowest; /* owned; by CPU, while a round works */
	uint64_t lost_records[SAMPLE_KINDS]; /* by PERF_RECORD_LOST */
	bool has_lost; /* records of mappings, perhaps, since they were forgotten */
	uint64_t unmapped; /* of the stats, when they were */
	uint64_t forget_due_ns; /* monotonic clock: not again before, if it is not known what was
				   lost */
	struct samples_stats stats;
	/* The sample that samples_peek() found. */
	struct sample_record sample;
	const struct sample_event *event;
	uint8_t frame[SAMPLE_FRAME_BYTES];
	char stack[SAMPLE_STACK_BYTES];
	char args[HOOK_ARGS_BYTES];
};

/*
 * The boot clock is ahead of the monotonic one by the time that the machine was suspended, which
 * the kernel adds as one number: the narrowest bounds of several readings have it.
 */
static uint64_t suspended_ns(void)
{
	int64_t low = INT64_MIN, high = INT64_MAX;

	for (int i = 0; i < CLOCK_PAIRS; i++) {
		int64_t before = (int64_t)clock_ns(CLOCK_MONOTONIC);
		int64_t boot = (int64_t)clock_ns(CLOCK_BOOTTIME);
		int64_t after = (int64_t)clock_ns(CLOCK_MONOTONIC);

		low = boot - after > low ? boot - after : low;
		high = boot - before < high ? boot - before : high;
	}
	return low <= 0 ? 0 : (uint64_t)(low + (high - low) / 2);
}

/* It changes only while the machine is suspended. */
static void follow_clock(struct samples *samples)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now < samples->clock_due_ns)
		return;
	samples->clock_due_ns = now + CLOCK_NS;
	samples->offset_ns = samples->boot_offset_ns + suspended_ns();
}

/* Whether any event is sampled in the kernel, too. */
static bool samples_kernel(const struct samples_config *config)
{
	for (size_t i = 0; i < config->events->count; i++)
		if (config->kinds[i] == SAMPLE_PERF &&
		    !config->events->events[i].attr.exclude_kernel)
			return true;
	return false;
}

int samples_open(const struct samples_config *config, struct samples **samples, struct error *err)
{
	struct samples *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	r = sample_sources_open(config, &made->sources, err);
	if (r == 0) {
		made->lowest = calloc(made->sources.cpus_count, sizeof(*made->lowest));
		if (!made->lowest)
			r = error_set(err, -ENOMEM, "out of memory");
	}
	if (r == 0 && config->symbols)
		r = sample_symbols_create(config->proc, samples_kernel(config), &made->symbols,
					  err);
	if (r == 0)
		r = sample_follower_start(&made->config, &made->sources, &made->follower, err);
	if (r)
		samples_close(made);
	else
		*samples = made;
	return r;
}

void samples_close(struct samples *samples)
{
	if (!samples)
		return;
	sample_follower_stop(samples->follower);
	sample_symbols_destroy(samples->symbols);
	sample_sources_close(&samples->sources);
	free(samples->queue);
	free(samples->lowest);
	free(samples);
}

void samples_set_offset(struct samples *samples, uint64_t boot_offset_ns)
{
	samples->boot_offset_ns = boot_offset_ns;
}

bool samples_claim(struct samples *samples, const void *reader)
{
	if (!samples->reader)
		samples->reader = reader;
	return samples->reader == reader;
}

void samples_pass_on(struct samples *samples, const void *reader)
{
	if (samples->reader == reader)
		samples->reader = NULL;
}

void samples_begin(struct samples *samples)
{
	sample_follower_run(samples->follower, true);
}

void samples_stop(struct samples *samples)
{
	sample_follower_run(samples->follower, false);
}

size_t samples_fds(const struct samples *samples)
{
	return samples->sources.cpus_count;
}

int samples_fd(const struct samples *samples, size_t i)
{
	return samples->sources.cpus[i].owner;
}

uint64_t samples_opened(const struct samples *samples)
{
	return samples->opened;
}

static bool is_own(const struct samples *samples, int32_t pid)
{
	for (int i = 0; i < SELF_PIDS; i++)
		if (samples->config.self_pids[i] && samples->config.self_pids[i] == (uint32_t)pid)
			return true;
	return false;
}

/* Whether what it says depends on what other records said before. */
static bool is_ordered(const struct samples *samples, const struct sample_head *head)
{
	switch (head->type) {
	case PERF_RECORD_SAMPLE:
		return !is_own(samples, head->pid);
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return samples->symbols;
	default:
		return false;
	}
}

/* Returns whether there is room for one more. */
static bool reserve(struct samples *samples)
{
	size_t more = samples->capacity ? 2 * samples->capacity : QUEUE_MIN;
	struct queued *grown;

	if (samples->len < samples->capacity)
		return true;
	grown = reallocarray(samples->queue, more, sizeof(*grown));
	if (!grown)
		return false;
	samples->queue = grown;
	samples->capacity = more;
	return true;
}

/* What was lost is said with the next record: most often it is of the same event. */
static void note_lost(struct samples *samples, uint32_t cpu, const void *record, size_t bytes)
{
	uint64_t id = 0, lost = sample_lost(record, bytes, &id);
	const struct sample_event *event = sample_sources_find(&samples->sources, cpu, id);

	samples->has_lost = true;
	samples->lost_records[event ? event->kind : samples->sources.events[0].kind] += lost;
}

static void load_record(struct samples *samples, uint32_t cpu, uint64_t position,
			const void *record, size_t bytes)
{
	struct sample_head head;
	int32_t pid;

	if (!sample_head_read(record, bytes, &head)) {
		samples->stats.corrupt++;
		return;
	}
	if (head.type == PERF_RECORD_LOST)
		note_lost(samples, cpu, record, bytes);
	samples->stats.throttled += head.type == PERF_RECORD_THROTTLE;
	if (!is_ordered(samples, &head))
		return;
	if (head.type == PERF_RECORD_COMM && sample_is_exec(record, bytes, &pid))
		sample_symbols_foresee_exec(samples->symbols, pid, head.time_ns);
	if (!reserve(samples)) {
		samples->stats.corrupt += head.type == PERF_RECORD_SAMPLE;
		return;
	}
	samples->queue[samples->len++] = (struct queued){
		.ts_ns = head.time_ns + samples->offset_ns,
		.position = position,
		.cpu = cpu,
	};
}

static int compare_queued(const void *a, const void *b)
{
	const struct queued *one = a, *other = b;

	if (one->ts_ns != other->ts_ns)
		return one->ts_ns < other->ts_ns ? -1 : 1;
	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	return one->position < other->position ? -1 : one->position > other->position;
}

/* What is released with each: all of its ring that is not needed by those behind it. */
static void note_releases(struct samples *samples)
{
	struct sample_sources *sources = &samples->sources;

	for (uint32_t i = 0; i < sources->cpus_count; i++)
		samples->lowest[i] = sources->cpus[i].ring.head;
	for (size_t i = samples->len; i-- > 0;) {
		struct queued *queued = &samples->queue[i];

		queued->release = samples->lowest[queued->cpu];
		if (queued->position < queued->release)
			samples->lowest[queued->cpu] = queued->position;
	}
	for (uint32_t i = 0; i < sources->cpus_count; i++)
		if (sources->cpus[i].ring.meta)
			sample_ring_release(&sources->cpus[i].ring, samples->lowest[i]);
}

/* Mappings are not those that were known if records of them were lost. */
static void forget_after_loss(struct samples *samples)
{
	uint64_t lost[SAMPLE_KINDS] = {0}, unmapped = 0, now = clock_ns(CLOCK_MONOTONIC);

	if (samples->sources.counts_lost)
		sample_sources_lost(&samples->sources, lost, &unmapped);
	else if (now < samples->forget_due_ns)
		return;
	samples->has_lost = false;
	samples->forget_due_ns = now + CLOCK_NS;
	if (samples->sources.counts_lost && unmapped == samples->unmapped)
		return;
	samples->unmapped = unmapped;
	sample_symbols_forget(samples->symbols, now);
}

/* What was mapped on a CPU that came, before it was followed, is not known. */
static void follow_cpus(struct samples *samples)
{
	if (!sample_follower_step(samples->follower))
		return;
	samples->opened++;
	if (samples->symbols)
		sample_symbols_forget(samples->symbols, clock_ns(CLOCK_MONOTONIC));
}

void samples_round(struct samples *samples)
{
	struct sample_sources *sources = &samples->sources;
	size_t before;

	follow_clock(samples);
	follow_cpus(samples);
	if (samples->symbols)
		sample_symbols_step(samples->symbols);
	samples->len -= samples->at;
	if (samples->at && samples->len)
		memmove(samples->queue, samples->queue + samples->at,
			samples->len * sizeof(*samples->queue));
	samples->at = 0;
	before = samples->len;
	for (uint32_t i = 0; i < sources->cpus_count; i++) {
		struct sample_ring *ring = &sources->cpus[i].ring;
		const void *record;
		uint64_t position;
		size_t bytes;

		while (ring->meta && (record = sample_ring_next(ring, &position, &bytes)))
			load_record(samples, i, position, record, bytes);
	}
	if (samples->has_lost && samples->symbols)
		forget_after_loss(samples);
	if (samples->len > before)
		qsort(samples->queue, samples->len, sizeof(*samples->queue), compare_queued);
	note_releases(samples);
}

bool samples_are_taken(const struct samples *samples)
{
	return samples->at == samples->len;
}

/* Done with the first of the queue. */
static void drop_first(struct samples *samples)
{
	const struct queued *first = &samples->queue[samples->at++];

	sample_ring_release(&samples->sources.cpus[first->cpu].ring, first->release);
}

/* Decodes the first of the queue, a sample. Returns 1, -EAGAIN or -EBADMSG. */
static int look_at_sample(struct samples *samples, uint32_t cpu, const void *record, size_t bytes,
			  const struct sample_head *head)
{
	int r;

	samples->event = sample_sources_find(&samples->sources, cpu, head->id);
	if (!samples->event)
		return -EBADMSG;
	r = sample_record_decode(record, bytes, samples->event->attr.sample_type, &samples->sample);
	if (r)
		return r;
	/* Where in the kernel a tracepoint is, its name says. */
	return samples->symbols && samples->event->kind != SAMPLE_TRACEPOINT
		       ? sample_symbols_find(samples->symbols, &samples->sample)
		       : 1;
}

static void note_record(struct samples *samples, const struct sample_head *head, const void *record,
			size_t bytes)
{
	struct sample_mapping mapping;
	struct sample_task task;
	int32_t pid;

	if (head->type == PERF_RECORD_MMAP2 && sample_mapping_decode(record, bytes, &mapping) == 0)
		sample_symbols_map(samples->symbols, &mapping, head->time_ns);
	else if (head->type == PERF_RECORD_COMM && sample_is_exec(record, bytes, &pid))
		sample_symbols_exec(samples->symbols, pid, head->time_ns);
	else if (head->type == PERF_RECORD_FORK && sample_task_decode(record, bytes, &task) == 0)
		sample_symbols_fork(samples->symbols, &task, head->time_ns);
	else if (head->type == PERF_RECORD_EXIT && sample_task_decode(record, bytes, &task) == 0)
		sample_symbols_exit(samples->symbols, &task);
}

int samples_peek(struct samples *samples, uint64_t before_ns, uint64_t *ts_ns)
{
	while (samples->at < samples->len) {
		const struct queued *first = &samples->queue[samples->at];
		const void *record;
		struct sample_head head;
		size_t bytes;
		int r = -EBADMSG;

		if (first->ts_ns >= before_ns)
			return 0;
		record = sample_ring_at(&samples->sources.cpus[first->cpu].ring, first->position,
					&bytes);
		if (record && sample_head_read(record, bytes, &head)) {
			if (head.type == PERF_RECORD_SAMPLE)
				r = look_at_sample(samples, first->cpu, record, bytes, &head);
			else
				r = 0;
		}
		if (r == 0)
			note_record(samples, &head, record, bytes);
		if (r == 1 || r == -EAGAIN) {
			*ts_ns = first->ts_ns;
			return r;
		}
		samples->stats.corrupt += r < 0;
		drop_first(samples);
	}
	return 0;
}

/* Returns their bytes. */
static size_t write_args(struct samples *samples)
{
	struct buf args = buf_fixed(samples->args, sizeof(samples->args));

	if (samples->event->kind == SAMPLE_TRACEPOINT)
		hook_args_of_tracepoint(&samples->event->tracepoint, &samples->sample, &args);
	else if (samples->event->kind == SAMPLE_PROBE)
		hook_args_of_probe(&samples->event->args, samples->event->is_return,
				   &samples->sample, &args);
	return args.len;
}

uint16_t samples_take(struct samples *samples, const void **frame, uint32_t *len, uint16_t *cpu)
{
	const struct queued *first = &samples->queue[samples->at];
	struct sample_texts texts = {.event = samples->event->name, .args = samples->args};
	enum sample_kind kind = samples->event->kind;

	texts.args_bytes = write_args(samples);
	if (samples->symbols && kind != SAMPLE_TRACEPOINT) {
		texts.symbol = sample_symbols_name(samples->symbols);
		texts.stack = sample_symbols_stack(samples->symbols, &samples->sample,
						   samples->stack, sizeof(samples->stack));
	}
	samples->stats.taken[kind]++;
	*len = sample_kinds[kind].write(&samples->sample, &texts, first->ts_ns, samples->frame);
	*frame = samples->frame;
	*cpu = (uint16_t)first->cpu;
	drop_first(samples);
	return sample_kinds[kind].id;
}

void samples_stats(const struct samples *samples, struct samples_stats *stats)
{
	*stats = samples->stats;
	if (samples->sources.counts_lost)
		sample_sources_lost(&samples->sources, stats->lost, &stats->unmapped);
	else
		memcpy(stats->lost, samples->lost_records, sizeof(stats->lost));
	for (int kind = 0; !samples->sources.counts_lost && samples->symbols && kind < SAMPLE_KINDS;
	     kind++)
		stats->mixed += samples->lost_records[kind];
	stats->corrupt += samples->sources.corrupt;
	for (uint32_t i = 0; i < samples->sources.cpus_count; i++)
		stats->corrupt += samples->sources.cpus[i].ring.corrupt;
	sample_follower_stats(samples->follower, stats);
	if (samples->symbols)
		sample_symbols_stats(samples->symbols, stats);
}

static uint32_t cpus_with(const struct sample_sources *sources, size_t event)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sources->cpus_count; i++)
		for (size_t k = 0; k < sources->cpus[i].places_count; k++)
			count += sources->cpus[i].places[k].event == event;
	return count;
}

bool samples_describe(const struct samples *samples, size_t i, struct samples_described *described)
{
	const struct sample_event *event = &samples->sources.events[i];

	if (i >= samples->sources.events_count)
		return false;
	*described = (struct samples_described){
		.name = event->name,
		.kind = event->kind,
		.frequency_hz = event->attr.freq ? event->attr.sample_freq : 0,
		.period = event->attr.freq ? 0 : event->attr.sample_period,
		.cpus = cpus_with(&samples->sources, i),
	};
	return true;
}
