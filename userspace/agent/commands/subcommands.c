/* SPDX-License-Identifier: MIT */
/* The subcommands: operands, options and functions. */

#include <stddef.h>

#include "agent/commands/commands.h"
#include "agent/commands/subcommands.h"
#include "agent/options/row.h"
#include "agent/tools/run.h"

/* As logs of servers have it. */
#define REQUESTS_FORMAT                                                                            \
	"*%evt.time.s %6request.role %proc.name[%proc.pid] %request.peer.name %request.protocol "  \
	"%request.method %request.host%request.target %request.status %request.error "             \
	"%request.size.request/%request.size.response bytes in "                                   \
	"%request.time.total.human"
#define WHY_FORMAT REQUESTS_FORMAT " = %request.why"

const struct agent_subcommand subcommands[] = {
	{"check-config", "FILE", FILES_OPTIONAL, .offer = OFFER_FILES, .takes = OF_LISTS,
	 .run = check_config_run,
	 .help = "check configuration files; default: /etc/lanner/agent.yaml"},
	{"check-filter", "FILE", OPERAND_OPTIONAL, .operand_default = "-", .offer = OFFER_FILES,
	 .takes = OF_CHECKS, .run = check_filter_run,
	 .help = "check filters, one on each line; -: standard input, the default"},
	{"check-rules", "FILE", RULES_REQUIRED, .offer = OFFER_FILES,
	 .takes = OF_CHECKS | OF_RULE_CHECKS, .run = check_rules_run,
	 .help = "check files of rules, or folders of them, together"},
	{"check-view", "FILE", FILES_OPTIONAL, .offer = OFFER_FILES, .takes = OF_CHECKS,
	 .run = check_view_run, .help = "check files of views"},
	{"completion", "SHELL", OPERAND_REQUIRED, .words = completion_shell, .seldom = true,
	 .run = completion_run, .help = "print the completion script for bash, fish or zsh"},
	{"doctor", "PATTERN", OPERAND_OPTIONAL, .takes = OF_LISTS | OF_DOCTOR, .run = doctor_run,
	 .help = "check what this machine offers for captures, and what to do about the rest"},
	{"dump", .takes = OF_RELOAD, .seldom = true, .run = reload_dump_run,
	 .help = "let the running agent write what its --flight-recorder has, and wait for that"},
	{"events", "PATTERN", OPERAND_OPTIONAL, .offer = OFFER_EVENTS, .takes = OF_LISTS,
	 .run = list_events_run,
	 .help = "list events and their parameters: a part of the name, or * and ?"},
	{"fields", "PATTERN", OPERAND_OPTIONAL, .offer = OFFER_FIELDS, .takes = OF_LISTS,
	 .run = list_fields_run, .help = "list what filters and outputs can name"},
	{"help", "all", OPERAND_OPTIONAL, .words = help_word, .at_once = true, .run = help_run,
	 .help = "print the usual options, or all"},
	{"lsof", "FILE", FILES_OPTIONAL, .own_options = true, .offer = OFFER_FILES, .run = lsof_run,
	 .help = "print open files, as lsof does; its options: agent lsof --help"},
	{"netstat", .own_options = true, .run = netstat_run,
	 .help = "print sockets with their processes, as netstat does; its options: "
		 "agent netstat --help"},
	{"offcputime", "SECONDS", OPERAND_OPTIONAL, .own_options = true, .seldom = true,
	 .run = offcputime_run,
	 .help = "print the stacks where threads were off their CPUs, as bcc's offcputime does; "
		 "its "
		 "options: agent offcputime --help"},
	{"outputs", "PATTERN", OPERAND_OPTIONAL, .takes = OF_LISTS, .seldom = true,
	 .run = list_outputs_run, .help = "list the kinds of outputs, with their keys"},
	{"perf-list", "PATTERN", OPERAND_OPTIONAL, .takes = OF_LISTS, .seldom = true,
	 .run = list_perf_run,
	 .help = "list the perf events that this machine has; -v: also what it lacks, and why"},
	{"profile", "FILTER SECONDS", OPERAND_OPTIONAL, .own_options = true, .run = profile_run,
	 .help = "sample what CPUs execute, or measure what threads wait for, by stack; its "
		 "options: agent profile --help"},
	{"ps", .own_options = true, .run = ps_run,
	 .help = "print processes, as ps does; its options: agent ps --help"},
	{"record", "COMMAND", OPERAND_OPTIONAL, .own_options = true, .offer = OFFER_FILES,
	 .run = record_run,
	 .help = "sample perf events while a command runs, or of processes, CPUs or a control "
		 "group, and write perf.data; its options: agent record --help"},
	{"reload", .takes = OF_RELOAD, .run = reload_run,
	 .help = "let the running agent read its configuration and rules again, and wait for that"},
	{"requests", .captures = true, .filter = "evt.type=request", .print = REQUESTS_FORMAT,
	 .print_why = WHY_FORMAT, .run = capture_run,
	 .help = "capture requests of applications: HTTP, SQL, Redis, DNS; a line for each"},
	{"rules", "FILE", RULES_REQUIRED, .offer = OFFER_FILES,
	 .takes = OF_LISTS | OF_CHECKS | OF_RULE_CHECKS | OF_RULE_LISTS, .run = list_rules_run,
	 .help = "list the rules of files: priority, tags, what they are for"},
	{"spool", "ls|verify|dump FOLDER", ACTION_REQUIRED, .words = spool_word,
	 .offer = OFFER_FILES, .takes = OF_LISTS, .seldom = true, .run = spool_run,
	 .help = "look at the spool of an output: its segments, whether it is whole, its records"},
	{"stat", "COMMAND", OPERAND_OPTIONAL, .own_options = true, .offer = OFFER_FILES,
	 .run = stat_run,
	 .help = "count perf events while a command runs, or of processes, CPUs or a control "
		 "group; its options: agent stat --help"},
#ifdef WITH_STATUS
	{"status", "ADDRESS", OPERAND_OPTIONAL, .operand_default = STATUS_ADDRESS,
	 .run = status_run,
	 .help = "print the status of an agent that runs with --http ADDRESS; "
		 "default " STATUS_ADDRESS},
#endif
	{"top", .captures = true, .takes_view = true, .view = "procs", .run = capture_run,
	 .help = "what processes do: CPU, files, network; the same as agent view procs"},
	{"trace", "COMMAND", OPERAND_OPTIONAL, .own_options = true, .offer = OFFER_FILES,
	 .run = trace_run,
	 .help = "print the system calls of a command or of processes as strace does; its options: "
		 "agent trace --help"},
	{"verify", "FILE", FILES_OPTIONAL, .offer = OFFER_FILES, .run = verify_run,
	 .help = "check that records of outputs are complete; default: standard input"},
	{"version", .at_once = true, .run = help_run_version, .help = "print the version"},
	{"view", .captures = true, .takes_view = true, .run = capture_run,
	 .help = "count events by a view, or list them: agent view NAME [ARG]... [FILTER]"},
	{"views", "PATTERN", OPERAND_OPTIONAL, .takes = OF_LISTS | OF_VIEWS, .run = list_views_run,
	 .help = "list the views that there are, and the questions that they answer"},
	{NULL},
};
