/* SPDX-License-Identifier: MIT */
/* Families of metrics of inputs: those of a capture file, and of a live capture. */
#include "agent/input/metrics.h"

#include <stdio.h>

#include "event/event.h"
#include "scap/file/reader.h"
#include "scap/live/live.h"
#include "util/count.h"

/* Of a capture file. */

#define STRUCT struct scap_reader_stats
static const struct exposition_member file_rows[] = {
	METRIC("file_events_read", METRIC_COUNTER, NULL, events,
	       "Events read from the capture file."),
	METRIC("file_events_corrupt", METRIC_COUNTER, NULL, corrupt_events,
	       "Corrupt events skipped."),
	METRIC("file_events_unknown", METRIC_COUNTER, NULL, unknown_events,
	       "Events skipped whose type this version does not know."),
	METRIC("file_lists_corrupt", METRIC_COUNTER, NULL, corrupt_lists,
	       "Lists of the state skipped from a corrupt entry on."),
	METRIC("file_blocks_unknown", METRIC_COUNTER, NULL, unknown_blocks,
	       "Blocks skipped whose kind this version does not know."),
	METRIC("file_read_bytes", METRIC_COUNTER, "bytes", bytes_read,
	       "Bytes read of the capture file."),
	METRIC("file_size_bytes", METRIC_GAUGE, "bytes", bytes, "Its size; 0: not known."),
};
#undef STRUCT

void metrics_file_append(const struct scap_reader_stats *stats, struct exposition *exposition)
{
	exposition_add_members(exposition, file_rows, COUNT(file_rows), stats);
}

/*
 * Of a live capture: families with a sample for each event, cause or program, and a table of the
 * others.
 */

/* Values of the label `cause`. */
static const char *const cause_words[] = {
	[LOSS_RING_FULL] = "ring_full",
	[LOSS_SCRATCH_BUSY] = "scratch_busy",
	[LOSS_TOO_LARGE] = "too_large",
	[LOSS_TAIL_CALL] = "tail_call_missing",
	[LOSS_OUTPUT] = "output_failed",
	[LOSS_RESERVED] = "reserved",
	[LOSS_PROCESS_LIMIT] = "process_limit",
	[LOSS_CGROUP_LIMIT] = "cgroup_limit",
	[LOSS_BUDGET] = "over_budget",
	[LOSS_MESSAGES] = "messages",
	[LOSS_SHARE] = "process_share",
	[LOSS_IN_FLIGHT] = "in_flight",
	[LOSS_UNTOLD] = "untold",
	[LOSS_UNSHOWN] = "unshown",
};

static uint64_t seen_of(const struct scap_live_stats *stats, unsigned int id)
{
	return stats->seen[id];
}

static uint64_t delivered_of(const struct scap_live_stats *stats, unsigned int id)
{
	return stats->delivered[id];
}

static uint64_t lost_of(const struct scap_live_stats *stats, unsigned int id)
{
	uint64_t lost = 0;

	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		lost += stats->events[id].lost[cause];
	return lost;
}

static uint64_t filtered_of(const struct scap_live_stats *stats, unsigned int id)
{
	return stats->events[id].filtered;
}

static uint64_t unreadable_of(const struct scap_live_stats *stats, unsigned int id)
{
	return stats->events[id].unreadable;
}

static const struct {
	struct exposition_family family;
	uint64_t (*get)(const struct scap_live_stats *stats, unsigned int id);
} by_event[] = {
	{{"lanner_events_seen", METRIC_COUNTER, NULL, "Wanted events that happened, by type."},
	 seen_of},
	{{"lanner_events_delivered", METRIC_COUNTER, NULL,
	  "Events that the agent handled, by type."},
	 delivered_of},
	{{"lanner_events_filtered", METRIC_COUNTER, NULL,
	  "Events that the filter rejected in the kernel, by type."},
	 filtered_of},
	{{"lanner_events_lost_by_event", METRIC_COUNTER, NULL,
	  "Events lost in the kernel or in its ring buffers, by type."},
	 lost_of},
	{{"lanner_events_unreadable_parameters", METRIC_COUNTER, NULL,
	  "Parameters left empty since their memory could not be read, by type of event."},
	 unreadable_of},
};

/* What else is counted, by the offset of its member. */
#define STRUCT struct scap_live_stats
static const struct exposition_member live_rows[] = {
	METRIC("events_corrupt", METRIC_COUNTER, NULL, corrupt,
	       "Events in ring buffers that are not what the driver writes."),
	METRIC("events_out_of_order", METRIC_COUNTER, NULL, out_of_order,
	       "Events given out after a later one."),
	METRIC("calls_not_decoded", METRIC_COUNTER, NULL, compat,
	       "System calls of 32-bit programs that are not decoded."),
	METRIC("calls_without_latency", METRIC_COUNTER, NULL, untimed,
	       "Calls whose time of entry was not kept."),
	METRIC("events_without_owner", METRIC_COUNTER, NULL, ownerless,
	       "Events of sockets of which it is not known whose they are."),
	METRIC("socket_owners_dropped", METRIC_COUNTER, NULL, owners_dropped,
	       "Sockets of which it was not kept whose they are: there were too many."),
	METRIC("bpf_calls_of_others", METRIC_COUNTER, NULL, meddled,
	       "Calls of others that change programs or maps of the capture, or would."),
	METRIC("answers_unjudged", METRIC_COUNTER, NULL, unjudged,
	       "Failures to find seccomp filters, or to watch for calls that they answer."),
	METRIC("heartbeats_unanswered", METRIC_COUNTER, NULL, unanswered,
	       "Test calls on CPUs whose programs do not report: events are missing there."),
	METRIC("limits_begun_anew", METRIC_COUNTER, NULL, rates_ended,
	       "Counters of limits that gave way to those of other processes or groups, "
	       "at least."),
	METRIC("program_runs_missed", METRIC_COUNTER, NULL, run_missed,
	       "Runs of a program that the kernel skipped."),
};
#undef STRUCT

static void append_by_event(const struct scap_live_stats *stats, const struct selection *selection,
			    struct exposition *exposition)
{
	for (size_t i = 0; i < COUNT(by_event); i++) {
		exposition_begin(exposition, &by_event[i].family);
		for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
			const struct event_desc *desc = event_desc_get(id);
			uint64_t value = by_event[i].get(stats, id);
			const struct exposition_label labels[] = {{"event", desc ? desc->name : ""},
								  {0}};

			if (desc && (value || selection->events[id]))
				exposition_sample(exposition, labels, value);
		}
	}
}

static void append_by_cause(const struct scap_live_stats *stats, struct exposition *exposition)
{
	static const struct exposition_family family = {
		"lanner_events_lost", METRIC_COUNTER, NULL,
		"Events lost in the kernel or in its ring buffers, by cause."};

	exposition_begin(exposition, &family);
	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++) {
		const struct exposition_label labels[] = {{"cause", cause_words[cause]}, {0}};
		uint64_t lost = 0;

		for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
			lost += stats->events[id].lost[cause];
		exposition_sample(exposition, labels, lost);
	}
}

void metrics_live_append(const struct scap_live_stats *stats, const struct selection *selection,
			 struct exposition *exposition)
{
	static const struct exposition_family ring_bytes = {"lanner_ring_bytes", METRIC_GAUGE,
							    "bytes", "Memory of all ring buffers."};
	/* A unit would have to end the name: Prometheus takes nothing of a page where it does not.
	 */
	static const struct exposition_family ring_bytes_max = {
		"lanner_ring_bytes_max", METRIC_GAUGE, NULL,
		"Memory to which all ring buffers may grow; 0: they do not grow."};
	static const struct exposition_family grown = {
		"lanner_rings_grown", METRIC_COUNTER, NULL,
		"Ring buffers of busy CPUs that were replaced by larger ones."};
	static const struct exposition_family rings = {"lanner_rings", METRIC_GAUGE, NULL,
						       "CPUs that have a ring buffer."};
	static const struct exposition_family ringless = {
		"lanner_cpus_without_ring", METRIC_GAUGE, NULL,
		"CPUs whose ring buffer could not be opened: their events are lost."};

	static const struct exposition_family silent = {
		"lanner_cpus_silent", METRIC_GAUGE, NULL,
		"CPUs whose programs do not report: their events are missing."};

	append_by_event(stats, selection, exposition);
	append_by_cause(stats, exposition);
	exposition_add_members(exposition, live_rows, COUNT(live_rows), stats);
	exposition_add(exposition, &ring_bytes, stats->ring_bytes);
	exposition_add(exposition, &ring_bytes_max, stats->ring_bytes_max);
	exposition_add(exposition, &grown, stats->rings_grown);
	exposition_add(exposition, &rings, stats->cpus);
	exposition_add(exposition, &ringless, stats->ringless);
	exposition_add(exposition, &silent, stats->silent);
}

static void append_runs(const struct scap_live *live, unsigned int i,
			const struct exposition_label *labels, bool time,
			struct exposition *exposition)
{
	uint64_t runs, ns;

	if (scap_live_program_runs(live, i, &runs, &ns))
		return;
	if (time)
		exposition_sample_real(exposition, labels, (double)ns / 1e9);
	else
		exposition_sample(exposition, labels, runs);
}

void metrics_live_append_cpus(const struct scap_live *live, struct exposition *exposition)
{
	static const struct {
		struct exposition_family family;
		size_t offset; /* of a uint64_t */
	} rows[] = {
		{{"lanner_cpu_ring_bytes", METRIC_GAUGE, "bytes",
		  "Ring buffer of a CPU that is read as it fills."},
		 offsetof(struct scap_live_cpu, ring_bytes)},
		{{"lanner_cpu_ring_overwritten_bytes", METRIC_GAUGE, "bytes",
		  "Ring buffer of a CPU whose oldest events are overwritten; 0: there is none."},
		 offsetof(struct scap_live_cpu, backward_bytes)},
		{{"lanner_cpu_ring_wakeups", METRIC_COUNTER, NULL,
		  "Times that the ring buffer of a CPU woke its reader."},
		 offsetof(struct scap_live_cpu, wakeups)},
		{{"lanner_cpu_ring_lost_records", METRIC_COUNTER, NULL,
		  "Records of events that found no room in the ring buffer of a CPU."},
		 offsetof(struct scap_live_cpu, lost)},
	};
	struct scap_live_cpu cpu;

	for (size_t row = 0; row < COUNT(rows); row++) {
		exposition_begin(exposition, &rows[row].family);
		for (uint32_t i = 0; scap_live_cpu(live, i, &cpu); i++) {
			char number[16];
			const struct exposition_label labels[] = {{"cpu", number}, {0}};

			snprintf(number, sizeof(number), "%u", i);
			if (cpu.ring_bytes)
				exposition_sample(
					exposition, labels,
					*(const uint64_t *)((const char *)&cpu + rows[row].offset));
		}
	}
}

void metrics_live_append_programs(const struct scap_live *live, struct exposition *exposition)
{
	static const struct exposition_family families[] = {
		{"lanner_program_runs", METRIC_COUNTER, NULL,
		 "Runs of our BPF programs; counted while kernel.bpf_stats_enabled is 1."},
		{"lanner_program_run_seconds", METRIC_COUNTER, "seconds",
		 "Their time; measured while kernel.bpf_stats_enabled is 1."},
	};
	const char *program, *hook;

	for (int time = 0; time < 2; time++) {
		exposition_begin(exposition, &families[time]);
		for (unsigned int i = 0; scap_live_program(live, i, &program, &hook); i++) {
			const struct exposition_label labels[] = {
				{"program", program}, {"hook", hook}, {0}};

			if (hook)
				append_runs(live, i, labels, time, exposition);
		}
	}
}
