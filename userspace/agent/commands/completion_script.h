/* SPDX-License-Identifier: MIT */
/* The scripts of the subcommand completion. Each is printed to stdout. */
#ifndef AGENT_COMMANDS_COMPLETION_SCRIPT_H
#define AGENT_COMMANDS_COMPLETION_SCRIPT_H

#include "agent/options/subcommand.h"
#include "agent/options/words.h"

void completion_print_bash(const struct subcommand *subcommands);
void completion_print_fish(const struct subcommand *subcommands);
void completion_print_zsh(const struct subcommand *subcommands);

/* Prints the words of a list with blanks between. */
void completion_print_words(word_list *words);

/*
 * Prints the first clause of a help for a place between single quotes; the characters `escaped` get
 * a backslash, and quotes what they need.
 */
void completion_print_help(const char *help, const char *escaped);

#endif
