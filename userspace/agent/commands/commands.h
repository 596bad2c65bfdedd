/* SPDX-License-Identifier: MIT */
/* The commands of the agent. Each *_run() returns the exit code. */
#ifndef AGENT_COMMANDS_COMMANDS_H
#define AGENT_COMMANDS_COMMANDS_H

#include "abi.h"
#include "agent/options/command.h"
#include "agent/options/options.h"
#include "agent/options/row.h"

/* `agent [FILTER]`: captures, or reads a capture file. */

/* Returns the exit code of the agent. */
int capture_run(const struct options *options);

/* The command `agent check-config`. */

int check_config_run(const struct options *options);

/* The subcommand check-filter. */

/*
 * Compiles each line of a file as a filter and prints a line for it: "OK" and a tab, with what a
 * capture says of a filter that no event can pass; or "ERR", a tab, the column (from 1), a tab, and
 * the message. Returns the exit code of the agent: a failure if a capture would reject one.
 */
int check_filter_run(const struct options *options);

/* The subcommand check-rules. */

/*
 * Loads the rules of all files and prints errors, warnings and the numbers of definitions. Returns
 * the exit code of the agent: 1 if there are errors.
 */
int check_rules_run(const struct options *options);

/* The subcommand check-view. */

/*
 * Reads files of views and prints what is wrong with them. Returns the exit code of the agent: 1 if
 * there are errors.
 */
int check_view_run(const struct options *options);

/*
 * The subcommand completion: prints a script for a shell, built from the tables of options and
 * subcommands. The script runs the agent to get fields and events.
 */

/* The i-th shell, or NULL. */
const char *completion_shell(unsigned int i);

/* Prints the script for the shell named by the operand. Returns the exit code of the agent. */
int completion_run(const struct options *options);

/* `agent doctor`: what the machine offers, what will work, and what to do about the rest. */

struct options;

/*
 * Runs the checks that the pattern selects. Returns the exit code of the agent: a failure if one of
 * them is missing.
 */
int doctor_run(const struct options *options);

/* The option --explain: prints what would be captured, and why. */

/*
 * Prints the plan to stdout, without privileges, then loads its programs and prints them with their
 * hooks. Returns the exit code of the agent.
 */
int explain_run(const struct options *options);

/* The subcommand help and the option of that name. */

/* The i-th word that can follow "help", or NULL. */
const char *help_word(unsigned int i);

/*
 * Prints the common options, on one screen; with the operand "all", all options and subcommands.
 * Returns the exit code of the agent.
 */
int help_run(const struct options *options);

/* The subcommand events. */

/*
 * Lists the events whose name the pattern selects, with their parameters. With -v prints a line for
 * each parameter with the names of its values; the pattern then also selects by these names and
 * those of parameters. Returns the exit code of the agent.
 */
int list_events_run(const struct options *options);

/* The subcommand fields. */

/*
 * Lists the fields whose name (with -v also help text) the pattern selects, each with an example.
 * Returns the exit code of the agent.
 */
int list_fields_run(const struct options *options);

/* The command `agent outputs`: the kinds of outputs with their keys. */

struct options;

/* Returns the exit code of the agent. */
int list_outputs_run(const struct options *options);

/* The command `agent perf-list`: the events of perf_event_open(2) that this machine has. */

/*
 * Lists the events whose name the pattern selects, of those that can be opened here; with -v also
 * the others, with the reason. Returns the exit code of the agent.
 */
int list_perf_run(const struct options *options);

/*
 * The command `agent rules`: lists the rules that would run, with priority, tags and description;
 * as objects also with condition and output. Errors of the files go to stderr. Returns the exit
 * code of the agent.
 */
int list_rules_run(const struct options *options);

/* The command `agent reload`. */

int reload_run(const struct options *options);

/* The command `agent dump`: the same for what a flight recorder has. */
int reload_dump_run(const struct options *options);

/* The command `agent views`: the views by name, with the questions that they answer. */

/* Returns the exit code of the agent. */
int list_views_run(const struct options *options);

/* The subcommand `spool`. */

/* The words that follow it: what it does. */
const char *spool_word(unsigned int i);

int spool_run(const struct options *options);

/*
 * The command `agent trace`, which reads options of its own: prints the calls of a command or of
 * processes as strace does. Returns the exit code of the command, or of the agent.
 */
int trace_run(const struct options *options);

/* agent status: prints the status of an agent that runs. */

struct options;

/* Where agents that run as a service serve their pages. */
#define STATUS_ADDRESS "unix:/run/lanner/agent.sock"

int status_run(const struct options *options);

/* The command `agent verify`: proves that records of outputs are complete. */

struct options;

/* Returns the exit code of the agent: a failure if something is missing that no drop record says.
 */
int verify_run(const struct options *options);

/* The subcommand version and the option of that name. */

struct options;

/* Prints one line. Returns the exit code of the agent. */
int help_run_version(const struct options *options);

/* Words in filled lines. */

/* Prints " WORD", on a new line if the current one is full; `column` is the end of the last word.
 */
void help_print_word(const char *word, int *column);

/* The scripts of the command completion. Each is printed to stdout. */

void completion_print_bash(const struct agent_subcommand *subcommands);
void completion_print_fish(const struct agent_subcommand *subcommands);
void completion_print_zsh(const struct agent_subcommand *subcommands);

/* Prints the words of a list, separated by spaces. */
void completion_print_words(option_words *words);

/*
 * Prints the first clause of a help text inside single quotes: escapes the characters `escaped`
 * with a backslash, and quotes as needed.
 */
void completion_print_help(const char *help, const char *escaped);

/* Prints what the kernel decides of the filter; nothing if there is no such part. */
void explain_filters_print(const struct kernel_filters *filters);

#endif
