/* SPDX-License-Identifier: MIT */
/* Families of metrics: those of the run, its state, its outputs. */
#include "agent/run/metrics.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "agent/process/memory.h"
#include "agent/run/containers.h"
#include "agent/run/report.h"
#include "agent/run/run.h"
#include "net/control.h"
#include "net/exposition.h"
#include "util/count.h"
#include "util/version.h"

enum { OUTPUTS_SHOWN = 64, PLACE_BYTES = 8 };

#define STRUCT struct state_stats
static const struct exposition_member state_rows[] = {
	METRIC("state_threads", METRIC_GAUGE, NULL, threads, "Threads in the table."),
	METRIC("state_descriptors", METRIC_GAUGE, NULL, fds, "Descriptors in the tables."),
	METRIC("state_memory_bytes", METRIC_GAUGE, "bytes", memory_bytes,
	       "Memory of threads and descriptors."),
	METRIC("state_memory_limit_bytes", METRIC_GAUGE, "bytes", memory_max,
	       "What that may be: half of --memory-limit."),
	METRIC("state_threads_evicted", METRIC_COUNTER, NULL, threads_evicted,
	       "Threads evicted since the table or the memory was full."),
	METRIC("state_descriptors_evicted", METRIC_COUNTER, NULL, fds_evicted,
	       "Descriptors dropped with their names since the tables or the memory were full."),
	METRIC("state_descriptors_rejected", METRIC_COUNTER, NULL, fds_rejected,
	       "Descriptors not stored since the table was full."),
	METRIC("state_events_corrupt", METRIC_COUNTER, NULL, corrupt,
	       "Delivered events that could not be decoded."),
	METRIC("state_events_unknown", METRIC_COUNTER, NULL, unknown,
	       "Delivered events of a type that this version does not know."),
	METRIC("events_faked", METRIC_COUNTER, NULL, faked,
	       "Events of calls that never ran, although they returned success."),
	METRIC("events_contested", METRIC_COUNTER, NULL, contested,
	       "Events with a parameter that may be forged."),
	METRIC("events_truncated", METRIC_COUNTER, NULL, truncated,
	       "Events with a parameter of which only a part was captured."),
	METRIC("state_thread_lookups", METRIC_COUNTER, NULL, thread_lookups,
	       "Lookups of unknown threads in /proc."),
	METRIC("state_thread_lookups_failed", METRIC_COUNTER, NULL, thread_lookups_failed,
	       "The same for threads that were gone."),
	METRIC("state_thread_lookups_rejected", METRIC_COUNTER, NULL, thread_lookups_rejected,
	       "Lookups of threads not made, too many in a short time."),
	METRIC("state_programs_missed", METRIC_COUNTER, NULL, programs_missed,
	       "Processes that began with an unknown executable."),
	METRIC("state_programs_learnt", METRIC_COUNTER, NULL, programs_learnt,
	       "Executables learnt from the kernel's list of threads."),
	METRIC("state_notes_dropped", METRIC_COUNTER, NULL, notes_dropped,
	       "Executables in that list that were forgotten before their process was heard of."),
	METRIC("state_exits_dropped", METRIC_COUNTER, NULL, exits_dropped,
	       "Ended threads forgotten within 5 s, so that a late event may add them again."),
	METRIC("state_reads_given_up", METRIC_COUNTER, NULL, reads_given_up,
	       "Reads given up: arguments, environments, sockets and files of processes that do "
	       "not "
	       "answer."),
	METRIC("state_descriptor_lookups", METRIC_COUNTER, NULL, fd_lookups,
	       "Lookups of unknown descriptors in /proc."),
	METRIC("state_descriptor_lookups_failed", METRIC_COUNTER, NULL, fd_lookups_failed,
	       "The same for descriptors that were gone."),
	METRIC("state_descriptor_lookups_rejected", METRIC_COUNTER, NULL, fd_lookups_rejected,
	       "Lookups not made, too many in a short time."),
	METRIC("state_directory_lookups_rejected", METRIC_COUNTER, NULL, directory_lookups_rejected,
	       "Lookups of current directories not made, too many in a short time."),
	METRIC("state_names_unsure", METRIC_COUNTER, NULL, names_unsure,
	       "Descriptors without a name, in /proc their number was another file."),
	METRIC("state_slots_unsure", METRIC_COUNTER, NULL, slots_unsure,
	       "Registered files of io_uring without a name, they were registered unseen."),
	METRIC("state_rings_dropped", METRIC_COUNTER, NULL, rings_dropped,
	       "Rings of io_uring whose registered files were forgotten, too many of them."),
	METRIC("state_services_dropped", METRIC_COUNTER, NULL, services_dropped,
	       "Services and EndpointSlices not kept: no room."),
	METRIC("state_names_dropped", METRIC_COUNTER, NULL, resolved_dropped,
	       "Names of addresses, by answers of DNS, that gave way to others."),
	METRIC("state_names_invalid", METRIC_COUNTER, NULL, resolved_invalid,
	       "Names in answers of DNS that no host can have."),
	METRIC("state_created_dropped", METRIC_COUNTER, NULL, created_dropped,
	       "Files whose age is not known: the table of files that were made was full."),
	METRIC("state_pods_dropped", METRIC_COUNTER, NULL, pods_dropped,
	       "Descriptions of pods dropped, too many or out of memory."),
};
#undef STRUCT

#define STRUCT struct account_containers
static const struct exposition_member container_rows[] = {
	METRIC("containers_late", METRIC_COUNTER, NULL, late,
	       "Events given out before the description of their container came."),
	METRIC("containers_not_waited_for", METRIC_COUNTER, NULL, full,
	       "Of these, events that could not wait: a ring buffer was more than half full."),
	METRIC("containers_users_late", METRIC_COUNTER, NULL, users_late,
	       "Programs that began in containers whose users were not read yet."),
};

#undef STRUCT
#define STRUCT struct process_usage
static const struct exposition_member process_rows[] = {
	{{"process_resident_memory_bytes", METRIC_GAUGE, "bytes", "Memory in use by the agent."},
	 offsetof(struct process_usage, resident_bytes)},
	{{"process_open_fds", METRIC_GAUGE, NULL, "Descriptors of the agent."},
	 offsetof(struct process_usage, descriptors)},
};
#undef STRUCT

/* Requests for descriptions, by what came of them. */
static const struct {
	const char *result;
	enum meta_counter counter;
} request_results[] = {
	{"found", META_DESCRIBED},
	{"missing", META_MISSING},
	{"failed", META_FAILED},
	{"rejected", META_REJECTED},
};

static const struct {
	struct exposition_family family;
	enum meta_counter counter;
} meta_rows[] = {
	{{"lanner_pods", METRIC_GAUGE, NULL, "Pods of this node that are known."}, META_KUBE_PODS},
	{{"lanner_services", METRIC_GAUGE, NULL,
	  "Services and EndpointSlices of the cluster that are known."},
	 META_KUBE_SERVICES},
	{{"lanner_kubernetes_workloads", METRIC_COUNTER, NULL,
	  "Pods of other nodes whose workload was asked for."},
	 META_KUBE_OWNERS},
	{{"lanner_kubernetes_requests", METRIC_COUNTER, NULL,
	  "Requests to the API server or the kubelet."},
	 META_KUBE_REQUESTS},
	{{"lanner_kubernetes_pod_changes", METRIC_COUNTER, NULL,
	  "Changes of pods that were taken."},
	 META_KUBE_CHANGES},
	{{"lanner_runtime_events", METRIC_COUNTER, NULL, "Events of container runtimes."},
	 META_RUNTIME_EVENTS},
	{{"lanner_runtime_streams_lost", METRIC_COUNTER, NULL,
	  "Streams of events of runtimes that ended early."},
	 META_RUNTIME_STREAMS_LOST},
};

static void append_information(struct exposition *exposition)
{
	static const struct exposition_family build = {"lanner_build", METRIC_INFO, NULL,
						       "Version of the agent."};
	static const struct exposition_family kernel = {"lanner_kernel", METRIC_INFO, NULL,
							"The kernel that it runs on."};
	const struct exposition_label version[] = {{"version", LANNER_VERSION}, {0}};
	struct utsname names;

	exposition_begin(exposition, &build);
	exposition_sample(exposition, version, 1);
	if (uname(&names) == 0) {
		const struct exposition_label labels[] = {
			{"release", names.release}, {"machine", names.machine}, {0}};

		exposition_begin(exposition, &kernel);
		exposition_sample(exposition, labels, 1);
	}
}

static void append_process(struct exposition *exposition)
{
	static const struct exposition_family cpu = {"process_cpu_seconds", METRIC_COUNTER,
						     "seconds",
						     "User and system time of the agent."};
	static const struct exposition_family start = {"process_start_time_seconds", METRIC_GAUGE,
						       "seconds",
						       "When the agent started, since the epoch."};
	struct process_usage usage;

	process_usage_read(&usage);
	exposition_begin(exposition, &cpu);
	exposition_sample_real(exposition, NULL, (double)usage.cpu_ns / 1e9);
	exposition_begin(exposition, &start);
	exposition_sample_real(exposition, NULL, (double)usage.start_ns / 1e9);
	exposition_add_members(exposition, process_rows, COUNT(process_rows), &usage);
}

static void append_containers(struct exposition *exposition,
			      const struct account_containers *containers)
{
	static const struct exposition_family requests = {
		"lanner_container_requests", METRIC_COUNTER, NULL,
		"Requests for descriptions of containers, by result."};

	exposition_add_members(exposition, container_rows, COUNT(container_rows), containers);
	exposition_begin(exposition, &requests);
	for (size_t i = 0; i < COUNT(request_results); i++) {
		const struct exposition_label labels[] = {{"result", request_results[i].result},
							  {0}};

		exposition_sample(exposition, labels,
				  containers->meta.counts[request_results[i].counter]);
	}
	for (size_t i = 0; i < COUNT(meta_rows); i++)
		exposition_add(exposition, &meta_rows[i].family,
			       containers->meta.counts[meta_rows[i].counter]);
}

/* The number of rules is bounded by their files. */
static void append_rules(struct exposition *exposition, const struct ruleset *ruleset)
{
	static const struct exposition_family family = {"lanner_rule_matches", METRIC_COUNTER, NULL,
							"Events that a rule matched."};

	if (!ruleset)
		return;
	exposition_begin(exposition, &family);
	for (size_t i = 0; i < ruleset_count(ruleset); i++) {
		uint64_t matches;
		const struct exposition_label labels[] = {
			{"rule", ruleset_matches(ruleset, i, &matches)}, {0}};

		exposition_sample(exposition, labels, matches);
	}
}

static void append_requests(struct exposition *exposition, const struct run *run)
{
	struct requests_stats stats = {0};

	/* Also before the first one could be. */
	if (run->requests)
		requests_stats(run->requests, &stats);
	if (selection_has_requests(&run->plan->selection))
		request_metrics_append_account(&stats, exposition);
	if (run->request_metrics)
		request_metrics_append(run->request_metrics, exposition);
}

#define STRUCT struct output_account
static const struct exposition_member output_rows[] = {
	METRIC("output_records", METRIC_COUNTER, NULL, formatted, "Records made for an output."),
	METRIC("output_delivered", METRIC_COUNTER, NULL, acknowledged,
	       "Of these, delivered to a target that acknowledges."),
	METRIC("output_sent", METRIC_COUNTER, NULL, sent,
	       "Of these, sent to a target that does not acknowledge."),
	METRIC("output_delivered_bytes", METRIC_COUNTER, "bytes", delivered_bytes,
	       "Bytes of delivered records."),
	METRIC("output_queued", METRIC_GAUGE, NULL, queued, "Records that are not delivered yet."),
	METRIC("output_queued_bytes", METRIC_GAUGE, "bytes", queued_bytes, "Memory of the queue."),
	METRIC("output_backlog", METRIC_GAUGE, NULL, backlog,
	       "Records of earlier runs that were in the spool at the start."),
	METRIC("output_spool_bytes", METRIC_GAUGE, "bytes", spool_bytes,
	       "Size of the spool on disk; 0: there is none."),
	METRIC("output_batches", METRIC_COUNTER, NULL, batches, "Batches that were sent."),
	METRIC("output_failures", METRIC_COUNTER, NULL, failures,
	       "Of these, not delivered as a whole."),
	METRIC("output_retried", METRIC_COUNTER, NULL, retried, "Records that were sent again."),
	METRIC("output_redelivered", METRIC_COUNTER, NULL, redelivered,
	       "Of these, marked: they may have arrived before."),
	METRIC("output_unknown_gaps", METRIC_COUNTER, NULL, unknown_gaps,
	       "Losses of which nobody knows how many records they cost: the run before was "
	       "killed."),
	METRIC("output_redacted", METRIC_COUNTER, NULL, redacted, "Secrets that were hidden."),
	METRIC("output_redact_unfinished", METRIC_COUNTER, NULL, redact_unfinished,
	       "Texts that were hidden whole, as a redact-pattern was given up on them."),
};
#undef STRUCT

/* Outputs by their place: addresses in labels would tell all who may read metrics. */
static void append_output_rows(struct exposition *exposition, const struct output_account *accounts,
			       const struct exposition_label labels[][3], size_t count)
{
	for (size_t row = 0; row < COUNT(output_rows); row++) {
		exposition_begin(exposition, &output_rows[row].family);
		for (size_t i = 0; i < count; i++)
			exposition_sample(exposition, labels[i],
					  *(const uint64_t *)((const char *)&accounts[i] +
							      output_rows[row].offset));
	}
}

static void append_output_causes(struct exposition *exposition,
				 const struct output_account *accounts,
				 const struct exposition_label labels[][3], size_t count)
{
	static const struct exposition_family families[] = {
		{"lanner_output_dropped", METRIC_COUNTER, NULL,
		 "Records that were lost, by cause."},
		{"lanner_output_left_out", METRIC_COUNTER, NULL,
		 "Events that became no record by wish of the user, by cause."},
	};

	for (int wished = 0; wished < 2; wished++) {
		int from = wished ? GAP_LOSSES : 0, to = wished ? GAP_CAUSES : GAP_LOSSES;

		exposition_begin(exposition, &families[wished]);
		for (size_t i = 0; i < count; i++)
			for (int cause = from; cause < to; cause++) {
				if (!gap_cause_is_counted((enum gap_cause)cause))
					continue;
				const struct exposition_label all[] = {
					labels[i][0],
					labels[i][1],
					{"cause", gap_cause_name((enum gap_cause)cause)},
					{0}};

				exposition_sample(exposition, all, accounts[i].dropped[cause]);
			}
	}
}

static void append_output_ages(struct exposition *exposition, const struct output_account *accounts,
			       const struct exposition_label labels[][3], size_t count)
{
	static const struct exposition_family age = {"lanner_output_oldest_seconds", METRIC_GAUGE,
						     "seconds",
						     "How long the oldest record waits."};
	static const struct exposition_family failing = {
		"lanner_output_failing", METRIC_GAUGE, NULL,
		"1 while nothing can be delivered, else 0."};

	exposition_begin(exposition, &age);
	for (size_t i = 0; i < count; i++)
		exposition_sample_real(exposition, labels[i], (double)accounts[i].oldest_ns / 1e9);
	exposition_begin(exposition, &failing);
	for (size_t i = 0; i < count; i++)
		exposition_sample(exposition, labels[i], accounts[i].is_failing);
}

/* The second thread is that of a spool; without one there is none. */
static void append_output_threads(struct exposition *exposition, const struct outputs *outputs,
				  const struct output_account *accounts,
				  const struct exposition_label labels[][3], size_t count)
{
	static const struct exposition_family age = {
		"lanner_output_thread_age_seconds", METRIC_GAUGE, "seconds",
		"How long a thread has been in what it does now; 0: it waits for records."};

	exposition_begin(exposition, &age);
	for (size_t i = 0; i < outputs->count && i < count; i++)
		for (int spooler = 0; spooler <= (outputs->list[i]->config->spool != NULL);
		     spooler++) {
			const struct exposition_label all[] = {
				labels[i][0],
				labels[i][1],
				{"thread", spooler ? "spooler" : "sender"},
				{0}};

			exposition_sample_real(
				exposition, all,
				(double)(spooler ? accounts[i].spooler_ns : accounts[i].sender_ns) /
					1e9);
		}
}

/* Captures follow the others. Returns the name of the kind. */
static const char *metrics_account_of(const struct run *run, size_t i,
				      struct output_account *account)
{
	const struct outputs *outputs = &run->outputs;
	const struct capture *capture;

	if (i < outputs->count) {
		output_account(outputs->list[i], account);
		return outputs->list[i]->config->name;
	}
	capture = run->recorder.captures.list[i - outputs->count];
	capture_account(capture, account);
	return capture->config->name;
}

static void append_outputs(struct exposition *exposition, const struct run *run)
{
	struct output_account accounts[OUTPUTS_SHOWN];
	struct exposition_label labels[OUTPUTS_SHOWN][3];
	char places[OUTPUTS_SHOWN][PLACE_BYTES];
	size_t all = run->outputs.count + run->recorder.captures.count;
	size_t count = all < OUTPUTS_SHOWN ? all : OUTPUTS_SHOWN;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *kind = metrics_account_of(run, i, &accounts[i]);

		snprintf(places[i], sizeof(places[i]), "%zu", i + 1);
		labels[i][0] = (struct exposition_label){"output", places[i]};
		labels[i][1] = (struct exposition_label){"kind", kind};
		labels[i][2] = (struct exposition_label){0};
	}
	append_output_rows(exposition, accounts, labels, count);
	append_output_causes(exposition, accounts, labels, count);
	append_output_ages(exposition, accounts, labels, count);
	append_output_threads(exposition, &run->outputs, accounts, labels, count);
}

static void append_pages(struct exposition *exposition, const struct run *run)
{
	static const struct exposition_family family = {
		"lanner_http_connections_dropped", METRIC_COUNTER, NULL,
		"Connections of --http that were closed before their answer, by cause."};
	static const char *const causes[] = {
		[CONTROL_DROPPED_LATE] = "late", [CONTROL_DROPPED_CROWDED] = "crowded"};

	exposition_begin(exposition, &family);
	for (int why = 0; why < CONTROL_DROPPED_KINDS; why++) {
		const struct exposition_label labels[] = {{"cause", causes[why]}, {0}};
		uint64_t count = 0;

		for (size_t i = 0; i < HTTP_MAX; i++)
			count += control_dropped(run->pages.controls[i], (enum control_dropped)why);
		exposition_sample(exposition, labels, count);
	}
}

void metrics_append(const struct run *run, bool openmetrics, struct buf *out)
{
	static const struct exposition_family matched = {
		"lanner_events_matched", METRIC_COUNTER, NULL,
		"Events that passed the filter or a rule."};
	static const struct exposition_family printed = {"lanner_events_printed", METRIC_COUNTER,
							 NULL,
							 "Of these, written to standard output."};
	static const struct exposition_family unknown = {
		"lanner_events_filter_unknown", METRIC_COUNTER, NULL,
		"Of these, events that passed because what decides was not captured."};
	struct exposition exposition = {.out = out, .openmetrics = openmetrics};
	struct account_containers containers = {0};
	struct state_stats state;

	append_information(&exposition);
	append_process(&exposition);
	run->input->ops->append_metrics(run->input, run->plan, &exposition);
	budget_append_metrics(&run->budget, &exposition);
	exposition_add(&exposition, &matched, run->counts.matched);
	exposition_add(&exposition, &printed, run_printed(run));
	exposition_add(&exposition, &unknown, run->counts.filter_unknown);
	state_stats(run->state, &state);
	exposition_add_members(&exposition, state_rows, COUNT(state_rows), &state);
	if (run->containers)
		containers_account(run->containers, &containers);
	append_containers(&exposition, &containers);
	translations_run_append_metrics(&run->translations, &exposition);
	append_rules(&exposition, run->plan->ruleset);
	append_requests(&exposition, run);
	if (run->counters)
		container_counters_append(run->counters, run->state, &exposition);
	continuous_append_metrics(&run->continuous, &exposition);
	append_outputs(&exposition, run);
	append_pages(&exposition, run);
	exposition_end(&exposition);
}
