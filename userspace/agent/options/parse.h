/* SPDX-License-Identifier: MIT */
/* Makes options of a command line, and of settings that files have. */
#ifndef AGENT_OPTIONS_PARSE_H
#define AGENT_OPTIONS_PARSE_H

#include "agent/options/command_line.h"
#include "agent/options/options.h"
#include "yaml/report.h"

/*
 * Takes over the settings of files. Options that do not fit together are errors in the report if a
 * file has them, others have a message in `err`, where the first error stays. Returns 0, or -EINVAL
 * or -ENOMEM; release with options_finish() in every case.
 */
int options_parse(struct command_line *line, struct settings *files, struct yaml_report *report,
		  struct options *options, struct error *err);

#endif
