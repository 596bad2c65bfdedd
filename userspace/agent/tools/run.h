/* SPDX-License-Identifier: MIT */
/*
 * Commands that read options of their own, those of the tools whose names they have: perf(1),
 * ps(1), lsof(8), netstat(8). Each returns the exit code of the agent, or of the command
 * that it ran.
 */
#ifndef AGENT_TOOLS_RUN_H
#define AGENT_TOOLS_RUN_H

#include "agent/options/command.h"
#include "agent/options/options.h"

/* Captures a profile for a time, or until a signal, and prints it. */
int profile_run(const struct options *options);

/* Measures waits for a time, or until a signal, and prints them as bcc's offcputime does. */
int offcputime_run(const struct options *options);

/*
 * Counts perf events while a command runs, or of other targets until a signal, and prints the
 * counts.
 */
int stat_run(const struct options *options);

/*
 * Samples perf events while a command runs, or of other targets until a signal, and writes a file.
 */
int record_run(const struct options *options);

/* The machine as it is now, from /proc. */
int ps_run(const struct options *options);
int lsof_run(const struct options *options);
int netstat_run(const struct options *options);

#endif
