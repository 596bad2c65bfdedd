/* SPDX-License-Identifier: MIT */
/* The scripts of the command completion. Each is printed to stdout. */
#ifndef AGENT_COMMANDS_COMPLETION_H
#define AGENT_COMMANDS_COMPLETION_H

#include "agent/options/subcommand.h"
#include "agent/options/words.h"

void completion_print_bash(const struct subcommand *subcommands);
void completion_print_fish(const struct subcommand *subcommands);
void completion_print_zsh(const struct subcommand *subcommands);

/* Prints the words of a list, separated by spaces. */
void completion_print_words(word_list *words);

/*
 * Prints the first clause of a help text inside single quotes: escapes the characters `escaped`
 * with a backslash, and quotes as needed.
 */
void completion_print_help(const char *help, const char *escaped);

#endif
