/* SPDX-License-Identifier: MIT */
/* Loads the configuration file, at the start and again while the agent runs. */
#ifndef AGENT_CONFIG_LOAD_H
#define AGENT_CONFIG_LOAD_H

#include "agent/options/options.h"
#include "util/buf.h"
#include "util/error.h"
#include "yaml/report.h"

/* Options of a command line and of the file that it names. */

/*
 * Reads the command line with these subcommands, the last of which has no name, and the file of
 * --config, whose errors go to the report. Returns 0, or -EINVAL or -ENOMEM with a message; release
 * with options_finish() in every case.
 */
int config_load_report(int argc, char **argv, const struct agent_subcommand *subcommands,
		       struct options *options, struct yaml_report *report, struct error *err);

/*
 * Does what config_load_report() does, and appends the report to `messages` as whole lines.
 */
int config_load(int argc, char **argv, const struct agent_subcommand *subcommands,
		struct options *options, struct buf *messages, struct error *err);

/* Reads the configuration of a running agent again. */

/*
 * Makes options of the command line and the files of `running` as they are now. Options that take
 * effect without a restart (`reloads` in their rows) have new values, all others those of
 * `running`, which must outlive `renewed`. The keys of others whose values differ are appended to
 * `restart`, with commas between; errors in files to `messages`, as whole lines. Returns 0, or
 * -errno with a message; release `renewed` with options_finish() in every case. One call at a time,
 * in any thread.
 */
int config_renew(const struct options *running, struct options *renewed, struct buf *messages,
		 struct buf *restart, struct error *err);

#endif
