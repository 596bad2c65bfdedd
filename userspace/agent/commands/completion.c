/* SPDX-License-Identifier: MIT */
/* Selects the script, and code shared by scripts. */
#include "agent/commands/completion.h"

#include "agent/commands/command.h"
#include "agent/commands/completion_script.h"

static const struct {
	const char *shell;
	void (*print)(const struct subcommand *subcommands);
} scripts[] = {
	{"bash", completion_print_bash},
	{"fish", completion_print_fish},
	{"zsh", completion_print_zsh},
};

const char *completion_shell(unsigned int i)
{
	return i < sizeof(scripts) / sizeof(scripts[0]) ? scripts[i].shell : NULL;
}

int completion_run(const struct options *options)
{
	unsigned int place;

	if (words_find(completion_shell, options->operand, &place) == 0)
		scripts[place].print(options->subcommands);
	return command_finish_output();
}
