/* SPDX-License-Identifier: MIT */
/* The subcommands: operands, options and functions. */
#include "agent/commands/subcommands.h"

#include <stddef.h>

#include "agent/commands/check_filter.h"
#include "agent/commands/check_rules.h"
#include "agent/commands/completion.h"
#include "agent/commands/help.h"
#include "agent/commands/list_events.h"
#include "agent/commands/list_fields.h"
#include "agent/commands/version.h"
#include "agent/options/row.h"

const struct subcommand subcommands[] = {
	{"check-filter", "FILE", OPERAND_OPTIONAL, .operand_default = "-", .offer = OFFER_FILES,
	 .takes = OF_CHECKS, .run = check_filter_run,
	 .help = "check filters, one on each line; -: standard input, the default"},
	{"check-rules", "FILE", RULES_REQUIRED, .offer = OFFER_FILES,
	 .takes = OF_CHECKS | OF_RULE_CHECKS, .run = check_rules_run, .help = "check files of rules, or folders of them, together"},
	{"completion", "SHELL", OPERAND_REQUIRED, .words = completion_shell, .run = completion_run,
	 .help = "print the completion script for bash, fish or zsh"},
	{"events", "PATTERN", OPERAND_OPTIONAL, .offer = OFFER_EVENTS, .takes = OF_LISTS, .run = list_events_run,
	 .help = "list events and their parameters: a part of the name, or * and ?"},
	{"fields", "PATTERN", OPERAND_OPTIONAL, .offer = OFFER_FIELDS, .takes = OF_LISTS, .run = list_fields_run,
	 .help = "list what filters and outputs can name"},
	{"help", "all", OPERAND_OPTIONAL, .words = help_word, .at_once = true, .run = help_run,
	 .help = "print the usual options, or all"},
	{"version", .at_once = true, .run = version_run, .help = "print the version"},
	{NULL},
};
