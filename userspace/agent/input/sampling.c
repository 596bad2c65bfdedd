/* SPDX-License-Identifier: MIT */
/* Parses what is to be sampled, and reports what became of it. */
#include "agent/input/sampling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/input/account.h"
#include "agent/input/live_open.h"
#include "scap/proc/proc.h"
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

void sampling_append_report(const struct sampling *sampling, struct buf *text)
{
	struct samples_stats samples;

	if (!sampling->samples)
		return;
	samples_stats(sampling->samples, &samples);
	account_append_troubles(
		(const struct account_trouble[]){
			{samples.throttled,
			 "times that the kernel stopped an event for the rest of a tick, as there "
			 "were too many samples: some are missing (a lower freq, or a longer "
			 "period)"},
			{samples.nameless, "samples without symbols that took too long to be read"},
			{samples.unread,
			 "files or mappings whose symbols were not read: too large, too many, or "
			 "not found below the root of the process"},
			{samples.slow,
			 "files or mappings that took longer than ten seconds to be read: "
			 "meanwhile no other symbols were"},
			{samples.unmapped,
			 "records of mappings lost, as a ring buffer was full: mappings were read "
			 "again"},
			{samples.mixed,
			 "lost records are in the account as samples, some may be of mappings: "
			 "Linux before 6.0 counts them together"},
		},
		6, text);
}
