/* SPDX-License-Identifier: MIT */
/* What a subcommand is, and the values of options, from the command line and from files. */
#ifndef AGENT_OPTIONS_OPTIONS_H
#define AGENT_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi.h"
#include "agent/options/continuous.h"
#include "agent/options/row.h"
#include "agent/options/settings.h"
#include "meta/kube_config.h"
#include "output/config.h"
#include "privileges/privileges.h"
#include "requests/metrics/kinds.h"
#include "rules/rules.h"
#include "scap/file/writer.h"
#include "scap/live/live.h"
#include "sinsp/sinsp.h"
#include "trace/trace.h"
#include "util/error.h"
#include "views/view.h"

/*
 * A subcommand is the word "fields" of `agent fields proc`. Their table is in
 * agent/commands/subcommands.c.
 */

struct options;

/* The number of words after it. */
enum agent_subcommand_operands {
	OPERAND_NONE,
	OPERAND_OPTIONAL, /* at most one */
	OPERAND_REQUIRED, /* one */
	RULES_REQUIRED, /* one or more files of rules */
	ACTION_REQUIRED, /* one of `words`, then one of any text */
	FILES_OPTIONAL, /* any number */
};

struct agent_subcommand {
	const char *name; /* NULL: after the last row */
	const char *operand; /* name of the following word in help and messages; NULL: none */
	enum agent_subcommand_operands operands;
	const char *operand_default; /* or NULL */
	option_words *words; /* valid operands, or actions; NULL: any text */
	enum option_offer offer; /* completion of operands if `words` does not have them */
	const char *help;
	/*
	 * It takes the words after it as a filter, "-- COMMAND", and all options of captures;
	 * `operand`, `operands`, `words` and `takes` stay empty.
	 */
	bool captures;
	bool takes_view; /* one that captures: the first words are a view and its arguments */
	const char *view; /* the same, but the view is this one; or NULL */
	const char *filter; /* of one that captures: of these events only; NULL: of all */
	const char *print; /* and how lines of text show them, without -p; NULL: as usual */
	const char *print_why; /* likewise with --why; NULL: the same */
	unsigned int takes; /* which options: bits of enum option_about */
	bool seldom; /* left out of the list of the short help */
	bool at_once; /* as an option: the rest of the command line is ignored */
	bool own_options; /* it comes first, and reads all that is behind it by itself */
	int (*run)(const struct options *options); /* returns the exit code of the agent */
};

/* What completes the words after it, if `words` does not. */
static inline enum option_offer agent_subcommand_offer(const struct agent_subcommand *command)
{
	return command->captures ? OFFER_FIELDS : command->offer;
}

/* The subcommand of that name, or NULL. */
const struct agent_subcommand *agent_subcommand_find(const struct agent_subcommand *subcommands,
						     const char *name);

/* The one that the first word names, if it reads its options by itself; or NULL. */
const struct agent_subcommand *
agent_subcommand_of_own_options(const struct agent_subcommand *subcommands, int argc, char **argv);

/*
 * Rejects a mistyped subcommand at the start of a filter: a name without a dot and without an
 * operator after it. Returns 0, or -EINVAL with a message.
 */
int agent_subcommand_check_mistyped(const struct agent_subcommand *subcommands, char **words,
				    struct error *err);

/* Whether to take over from another agent; and what this one does after it was taken over. */
enum agent_takeover { TAKEOVER_NOT, TAKEOVER_EXIT, TAKEOVER_WAIT };

enum agent_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* When a recording continues in another file, and how many files are kept. 0: no limit. */
struct agent_recording_limits {
	uint64_t bytes, ns, events;
	uint64_t files;
};

enum { META_WAIT_MS_DEFAULT = 50 };

/* From one tcp_sample to the next. */
#define TCP_SAMPLE_NS UINT64_C(10000000000)

/* Addresses of pages. */
enum { HTTP_MAX = 4 };

struct options {
	const struct agent_subcommand *subcommands; /* all of them, for the help */
	const struct agent_subcommand *subcommand; /* NULL: a capture */
	char *filter; /* owned; NULL: everything */
	/* What the options were read from, for a reload; borrowed. */
	int argc;
	char **argv;
	const char *pid_file; /* by which other processes find the agent; NULL: none */
	const char *config; /* the file that settings are from, too; NULL: none */
	const char
		*operand; /* the word after a subcommand: a file ("-": stdin), a pattern; or NULL */
	unsigned int action; /* index of the word of subcommands with ACTION_REQUIRED */
	const char **files; /* owned, the paths not: operands of a subcommand */
	size_t files_count;
	const char **rules; /* owned, the paths not: files and folders, in their order */
	size_t rules_count; /* 0: no rules, every event that passes the filter is printed */
	enum rules_priority priority; /* least priority of the rules that run */
	/* Owned, the texts not: rules with such tags run alone, or do not run. */
	const char **tags, **excluded_tags;
	size_t tags_count, excluded_tags_count;
	bool all_rules; /* a line for each rule that an event matches */
	const struct output_format *format; /* NULL: the default */
	const char *json_fields; /* list of fields; NULL: default fields */
	bool no_redact; /* standard output shows secrets */
	bool json_base64; /* invalid UTF-8 is also printed in base64 */
	const char *print; /* -p: format of events; NULL: the default */
	struct text_style style; /* of the output; coloured: see color */
	enum agent_color color;
	uint64_t count; /* matching events, 0: no limit */
	uint64_t duration_ns; /* 0: no limit */
	uint64_t stats_ns; /* interval between lines of counters, 0: none */
	uint32_t ring_bytes; /* per CPU: a power of two, at least a page; 0: of buffers_bytes */
	/* Events in a second, of each process and of each set of control groups; 0: not limited. */
	uint32_t rate_limits[RATE_LIMITS];
	double budget; /* what the capture may cost, in percent of all CPUs; 0: no bound */
	uint64_t memory_limit; /* bytes that the agent may take; 0: see memory_limit_choose() */
	uint64_t buffers_bytes; /* all rings and slots together; 0: see scap_memory_divide() */
	uint32_t snaplen;
	struct snaplen_rules snaplen_rules; /* exceptions with a larger snaplen */
	bool snaplen_chosen; /* set by an option */
	uint32_t meta_wait_ms; /* how long new containers are waited for; 0: not */
	const char **runtime_sockets; /* owned, the paths not: of container runtimes */
	size_t runtime_sockets_count;
	/* Owned, the texts not: perf events to sample, tracepoints and probes to have as events. */
	const char **samples, **tracepoints, **probes;
	size_t samples_count, tracepoints_count, probes_count;
	struct kube_options kubernetes; /* the server that is asked for pods */
	const char *host_root; /* where the root of the host is mounted; NULL: here */
	const char *k8s_cluster; /* name of the cluster that pods are of; NULL: not known */
	const char *read; /* the capture file to read; NULL: the kernel */
	bool force; /* of reload: take a configuration without outputs, too */
	bool strict; /* corrupt parts of it, and lost events, are a failure */
	bool progress; /* report how much of it was read */
	pid_t *pids; /* owned; only events of these processes; NULL: all */
	size_t pids_count;
	bool follow; /* and of children that they create from now on; default true */
	char **command; /* to start and capture: argv, NULL-terminated; NULL: none */
	bool lossless; /* processes of `pids` are stopped rather than their events lost */
	bool summary; /* tables of calls, processes and descriptors at the end */
	bool quiet; /* no event is printed */
	bool wide; /* lines are not cut to the width of the terminal */
	bool port_names; /* ports in texts as names of services */
	const char *write; /* file to write matching events to; NULL: none */
	/* It is written on request, with the latest events: the other one of these is 0. */
	uint64_t flight_ns, flight_bytes;
	const char **on_rules; /* owned, the texts not: names of rules; also when one matches */
	size_t on_rules_count;
	bool flight_on_crash; /* also when a process is ended by a signal of an error */
	struct scap_writer_config writer;
	bool container_env; /* the environment of containers is written, too */
	bool fat; /* also write events that only update the state */
	struct agent_recording_limits limits;
	enum agent_takeover takeover; /* from the agent that has the pid file */
	bool unknown_protocols; /* have requests, too */
	bool why; /* where the time of requests went is counted, */
	uint64_t why_ns; /* and told of those that took as long */
	struct tls_chosen tls; /* whose plaintext under TLS is captured */
	bool request_metrics; /* of all requests, on the pages */
	bool tcp_metrics; /* of all sockets of TCP */
	uint64_t tcp_sample_ns; /* between events tcp_sample; 0: TCP_SAMPLE_NS, and not for metrics
				 */
	enum kinds_schema metrics_schema; /* how these are named */
	uint64_t metrics_series; /* of them at most; 0: REQUEST_METRICS_SERIES */
	const char **counters; /* owned, the texts not: perf events to count of all containers */
	size_t counters_count;
	struct continuous_options continuous; /* profiles that are taken all the time */
	const char *http[HTTP_MAX]; /* addresses of the pages to serve; NULL: no more */
	const char **output_texts; /* owned, the texts not: of --output */
	size_t output_texts_count;
	/* Owned, each, too: what --output and files say; NULL: taken over by the run. */
	struct output_config **outputs;
	size_t outputs_count; /* 0: events are printed on standard output */
	const struct trace_options *trace; /* borrowed: lines as strace has them; NULL: no */
	/* Of views: owned; NULL: events are printed, or go to outputs. */
	struct views_view *view;
	const char **view_folders; /* owned, the paths not: where views are looked for first */
	size_t view_folders_count;
	const char *sort; /* names of its keys and values; NULL: as it says */
	uint64_t interval_ns; /* from one table to the next; 0: one at the end, see viewer.h */
	uint64_t tables; /* so many, 0: no limit */
	bool explain; /* print the plan of the capture instead */
	enum privileges_mode privileges; /* what becomes of them when a capture runs */
	bool exact_types;
	bool include_self;
	bool changed_arguments; /* those that were changed during a call that fails are shown */
	enum live_hooks call_hooks; /* where programs of system calls run */
	bool no_pushdown; /* user space decides all of the filter */
	bool full_state; /* what no field needs is kept up to date, too */
	bool verbose;
	struct settings settings; /* owned: those in effect; also the memory of their values */
};

/* A zeroed struct has no options. */
void options_finish(struct options *options);

/* Options on the heap; accepts NULL. */
void options_destroy(struct options *options);

/* Adds a file or folder of rules, whose path must outlive the options. Returns 0 or -ENOMEM. */
int options_add_rules(struct options *options, const char *path);

/* Add a tag of rules that run, or do not, which must outlive the options. Return 0 or -ENOMEM. */
int options_add_tag(struct options *options, const char *tag);
int options_add_excluded_tag(struct options *options, const char *tag);

/* Adds the name of a rule for a flight recorder, which must outlive the options. Returns 0 or
 * -ENOMEM. */
int options_add_on_rule(struct options *options, const char *name);

/* Adds a folder of views, whose path must outlive the options. Returns 0 or -ENOMEM. */
int options_add_view_folder(struct options *options, const char *path);

/* Adds an operand of a subcommand, which must outlive the options. Returns 0 or -ENOMEM. */
int options_add_file(struct options *options, const char *path);

/*
 * Adds the socket of a container runtime, whose path must outlive the options. Returns 0 or
 * -ENOMEM.
 */
int options_add_runtime_socket(struct options *options, const char *path);

/*
 * Add perf events to sample, tracepoints or probes, whose text must outlive the options. Return 0
 * or -ENOMEM.
 */
int options_add_sample(struct options *options, const char *text);
int options_add_tracepoint(struct options *options, const char *text);
int options_add_probe(struct options *options, const char *text);

/* Whether perf events are opened for any of these. */
static inline bool options_have_samples(const struct options *options)
{
	return options->samples_count || options->tracepoints_count || options->probes_count;
}

/* Adds perf events to count of containers, a text that must outlive the options. Returns 0 or
 * -ENOMEM. */
int options_add_counters(struct options *options, const char *text);

/* Sets what profiles are taken all the time. Returns 0, -EINVAL or -ENOMEM. */
int options_set_profile(struct options *options, const char *text);

/* Adds KIND:TARGET[,KEY=VALUE...], which must outlive the options. Returns 0 or -ENOMEM. */
int options_add_output(struct options *options, const char *text);

/* Adds an output, which is owned, also on failure. Returns 0 or -ENOMEM. */
int options_add_output_config(struct options *options, struct output_config *config);

/* Reads the texts of --output. Returns 0 or -errno with a message. */
int options_read_outputs(struct options *options, struct error *err);

/* Whether events are kept in memory until they are asked for. */
static inline bool options_record_flight(const struct options *options)
{
	return options->flight_ns || options->flight_bytes;
}

/* Whether SIGHUP is a request to reload; otherwise, and without outputs, it ends a run. */
static inline bool options_can_reload(const struct options *options)
{
	return options->rules_count || options->config || options->pid_file;
}

/* The name of the file that is read, for messages. */
const char *options_input_name(const struct options *options);

#endif
