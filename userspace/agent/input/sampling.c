/* SPDX-License-Identifier: MIT */
/* Parses what is to be sampled, and reports what became of it. */
#include "agent/input/sampling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/input/account.h"
#include "agent/input/live_open.h"
#include "scap/proc/proc.h"
#include "scap/samples/symbol_reader.h"
#include "util/count.h"

/* Appends the events of some texts, which are of one kind. */
static int parse(struct sampling *sampling, const struct perf_machine *machine,
		 const char *const *texts, size_t count, enum sample_kind kind, struct error *err)
{
	struct perf_event_list *events = &sampling->events;
	size_t before = events->count;
	uint8_t *kinds;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = perf_event_parse(texts[i], machine, NULL, events, err);
	if (r || events->count == before)
		return r;
	kinds = realloc(sampling->kinds, events->count);
	if (!kinds)
		return error_set(err, -ENOMEM, "out of memory");
	sampling->kinds = kinds;
	memset(kinds + before, (int)kind, events->count - before);
	return 0;
}

static int parse_all(struct sampling *sampling, const struct options *options,
		     const struct perf_machine *machine, struct error *err)
{
	const struct {
		const char *const *texts;
		size_t count;
	} given[SAMPLE_KINDS] = {
		[SAMPLE_PERF] = {options->samples, options->samples_count},
		[SAMPLE_TRACEPOINT] = {options->tracepoints, options->tracepoints_count},
		[SAMPLE_PROBE] = {options->probes, options->probes_count},
	};
	int r = 0;

	for (unsigned int kind = 0; kind < SAMPLE_KINDS && r == 0; kind++)
		r = parse(sampling, machine, given[kind].texts, given[kind].count, kind, err);
	return r;
}

/* Ids of processes in samples are those of the agent's namespace, in other events the machine's. */
static int check_host(const struct host *host, struct error *err)
{
	return host->self == getpid()
		       ? 0
		       : error_set(err, -EXDEV,
				   "--sample, --tracepoint and --probe: run the agent in the pid "
				   "namespace of the host (podman "
				   "and docker: --pid=host; Kubernetes: hostPID): samples have the "
				   "ids of its own");
}

static int sampling_begin(struct sampling *sampling, const struct plan *plan,
			  const struct host *host, const uint32_t self_pids[SELF_PIDS],
			  const struct perf_machine *machine, struct error *err)
{
	struct samples_config config = {
		.events = &sampling->events,
		.kinds = sampling->kinds,
		.machine = machine,
		.ring_bytes = live_memory(plan->options).ring_bytes,
		.proc = scap_proc_dir(host->proc),
		.symbols = plan->needs_symbols,
	};

	if (!plan->options->include_self)
		memcpy(config.self_pids, self_pids, sizeof(config.self_pids));
	return samples_open(&config, &sampling->samples, err);
}

int sampling_open(struct sampling *sampling, const struct plan *plan, const struct host *host,
		  const uint32_t self_pids[SELF_PIDS], struct error *err)
{
	struct perf_machine machine;
	int r;

	if (!options_have_samples(plan->options))
		return 0;
	r = check_host(host, err);
	if (r)
		return r;
	r = perf_machine_open(&machine, NULL, NULL, err);
	if (r)
		return r;
	r = parse_all(sampling, plan->options, &machine, err);
	if (r == 0)
		r = sampling_begin(sampling, plan, host, self_pids, &machine, err);
	perf_machine_close(&machine);
	return r;
}

void sampling_finish(struct sampling *sampling)
{
	samples_close(sampling->samples);
	perf_event_list_finish(&sampling->events);
	free(sampling->kinds);
	*sampling = (struct sampling){0};
}

void sampling_stop(struct sampling *sampling)
{
	if (sampling->samples)
		samples_stop(sampling->samples);
}

void sampling_add_stats(const struct sampling *sampling, struct scap_live_stats *stats)
{
	struct samples_stats samples;

	if (!sampling->samples)
		return;
	samples_stats(sampling->samples, &samples);
	for (unsigned int kind = 0; kind < SAMPLE_KINDS; kind++) {
		uint16_t id = sample_kinds[kind].id;

		stats->seen[id] += samples.taken[kind] + samples.lost[kind];
		stats->events[id].lost[LOSS_RING_FULL] += samples.lost[kind];
	}
	/* Of which kind these would have been is not known. */
	stats->seen[EVENT_perf_sample] += samples.corrupt;
	stats->corrupt += samples.corrupt;
}

/* Each is a metric, and a trouble of the report, unless that says more (NULL). */
#define STRUCT struct samples_stats
static const struct {
	struct exposition_member metric;
	const char *trouble;
} troubles[] = {
	{METRIC("samples_throttled", METRIC_COUNTER, NULL, throttled,
		"Times that the kernel stopped an event for the rest of a tick, too many samples."),
	 "times that the kernel stopped an event for the rest of a tick, as there were too many "
	 "samples: some are missing (a lower freq, or a longer period)"},
	{METRIC("samples_without_symbols", METRIC_COUNTER, NULL, nameless,
		"Samples without symbols that took too long to be read."),
	 "samples without symbols that took too long to be read"},
	{METRIC("samples_files_unread", METRIC_COUNTER, NULL, unread,
		"Files or mappings whose symbols were not read."),
	 "files or mappings whose symbols were not read: too large, too many, or not found below "
	 "the root of the process"},
	{METRIC("samples_files_slow", METRIC_COUNTER, NULL, slow,
		"Files or mappings that took longer than " SYMBOLS_SLOW_TEXT " to be read."),
	 "files or mappings that took longer than " SYMBOLS_SLOW_TEXT " to be read"},
	{METRIC("samples_mappings_lost", METRIC_COUNTER, NULL, unmapped,
		"Records of mappings lost as a ring buffer was full, mappings were read again."),
	 "records of mappings lost, as a ring buffer was full: mappings were read again"},
	{METRIC("samples_lost_mixed", METRIC_COUNTER, NULL, mixed,
		"Lost samples of which some may be records of mappings (before Linux 6.0)."),
	 "lost records are in the account as samples, some may be of mappings: Linux before 6.0 "
	 "counts them together"},
	{METRIC("samples_cpus_not_followed", METRIC_GAUGE, NULL, unfollowed,
		"CPUs that went online and are not sampled, as events cannot be opened there."),
	 NULL},
};
#undef STRUCT

static uint64_t trouble_of(const struct samples_stats *stats, size_t i)
{
	return *(const uint64_t *)((const char *)stats + troubles[i].metric.offset);
}

void sampling_append_report(const struct sampling *sampling, struct buf *text)
{
	struct samples_stats stats;

	if (!sampling->samples)
		return;
	samples_stats(sampling->samples, &stats);
	for (size_t i = 0; i < COUNT(troubles); i++) {
		const struct account_trouble trouble = {trouble_of(&stats, i), troubles[i].trouble};

		if (trouble.what)
			account_append_troubles(&trouble, 1, text);
	}
	if (stats.unfollowed)
		buf_printf(text,
			   "agent: %" PRIu64 " CPUs went online and are not sampled, as events "
			   "cannot be opened there (%s)\n",
			   stats.unfollowed, strerror(-stats.follow_error));
}

void sampling_append_metrics(const struct sampling *sampling, struct exposition *exposition)
{
	struct samples_stats stats;

	if (!sampling->samples)
		return;
	samples_stats(sampling->samples, &stats);
	for (size_t i = 0; i < COUNT(troubles); i++)
		exposition_add_members(exposition, &troubles[i].metric, 1, &stats);
}

/* Of tracepoints there can be hundreds. */
enum { EVENTS_SHOWN = 32, OFTEN_BYTES = 64 };

static void append_event(const struct samples_described *event, struct buf *text)
{
	char often[OFTEN_BYTES];

	if (event->frequency_hz)
		snprintf(often, sizeof(often), "%" PRIu64 " times a second on each CPU",
			 event->frequency_hz);
	else if (event->period == 1)
		snprintf(often, sizeof(often), "each time");
	else
		snprintf(often, sizeof(often), "each time after %" PRIu64, event->period);
	buf_printf(text, "%-32s %-32s %-4" PRIu32 " %s\n", event->name, often, event->cpus,
		   sample_kinds[event->kind].option);
}

void sampling_append_plan(const struct sampling *sampling, struct buf *text)
{
	struct samples_described event;
	size_t i = 0;

	if (!sampling->samples)
		return;
	buf_printf(text, "%-32s %-32s %-4s %s\n", "PERF EVENT", "SAMPLED", "CPUS", "BY");
	for (; samples_describe(sampling->samples, i, &event); i++)
		if (i < EVENTS_SHOWN)
			append_event(&event, text);
	if (i > EVENTS_SHOWN)
		buf_printf(text, "and %zu more\n", i - EVENTS_SHOWN);
}
