/* SPDX-License-Identifier: MIT */
/* What settings are called and do to options, and what fits together. */
#ifndef AGENT_OPTIONS_CHECK_H
#define AGENT_OPTIONS_CHECK_H

#include "agent/options/options.h"
#include "agent/options/settings.h"
#include "util/error.h"
#include "yaml/report.h"

/* What settings are called, and do to options: which of them count, and their values. */

/* The name of the option as it was given: "-s", "--snaplen", or the key "snaplen". */
enum { OPTION_TEXT_MAX = 32 };
const char *option_setting_name(const struct setting *setting, char memory[static OPTION_TEXT_MAX]);

/*
 * Checks a value (NULL: none) without storing it. The message has the name of the option, and
 * `shown` in place of the value. Returns 0, or -EINVAL or -ENOMEM with a message.
 */
int option_check_value(const struct option_row *row, const char *value, const char *name,
		       const char *shown, struct error *err);

/*
 * Adds the settings of the command line to those of files, and removes those without effect: the
 * command line comes before files, a later value replaces an earlier one, lists grow from file to
 * file. Returns 0 or -ENOMEM.
 */
int options_join_settings(struct settings *files, const struct settings *command_line);

/*
 * Stores the values of settings in their order. Returns 0, or -EINVAL or -ENOMEM with a message.
 */
int options_apply_settings(const struct settings *settings, struct options *options,
			   struct error *err);

/* Whether options fit together. */

/* Rejects options that the command does not take. Returns 0, or -EINVAL with a message. */
int options_check_subcommand(const struct options *options, const struct agent_subcommand *command,
			     struct error *err);

/*
 * Rejects options of a capture that contradict each other or lack the option that they refer to;
 * decides whether events that are written are also printed. Errors as in options_parse().
 */
int options_check_capture(struct options *options, struct yaml_report *report, struct error *err);

#endif
