/* SPDX-License-Identifier: MIT */
/* Options of a command line and of the file that it names. */
#ifndef AGENT_CONFIG_LOAD_H
#define AGENT_CONFIG_LOAD_H

#include "agent/options/options.h"
#include "util/buf.h"
#include "util/error.h"
#include "yaml/report.h"

/*
 * Reads the command line with these subcommands, the last of which has no name, and the file of
 * --config, whose errors go to the report. Returns 0, or -EINVAL or -ENOMEM with a message; release
 * with options_finish() in every case.
 */
int config_load_report(int argc, char **argv, const struct subcommand *subcommands,
		       struct options *options, struct yaml_report *report, struct error *err);

/* The same; the report is appended to `messages` as whole lines. */
int config_load(int argc, char **argv, const struct subcommand *subcommands,
		struct options *options, struct buf *messages, struct error *err);

#endif
