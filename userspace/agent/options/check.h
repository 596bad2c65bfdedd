/* SPDX-License-Identifier: MIT */
/* Whether options fit together. */
#ifndef AGENT_OPTIONS_CHECK_H
#define AGENT_OPTIONS_CHECK_H

#include "agent/options/options.h"
#include "yaml/report.h"

/* Rejects options that the command does not take. Returns 0, or -EINVAL with a message. */
int options_check_subcommand(const struct options *options, const struct subcommand *command,
			     struct error *err);

/*
 * Rejects options of a capture that contradict each other or lack the option that they refer to;
 * decides whether events that are written are also printed. Errors as in options_parse().
 */
int options_check_capture(struct options *options, struct yaml_report *report, struct error *err);

#endif
