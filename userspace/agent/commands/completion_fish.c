/* SPDX-License-Identifier: MIT */
/* The completion of fish. */
#include "agent/commands/completion_script.h"

#include <stdio.h>

#include "agent/options/row.h"

static const char head[] =
	"# fish completion of the agent: agent completion fish | source\n"
	"function __agent_list -d 'the first column of a list'\n"
	"\tagent $argv[1] 2>/dev/null | string replace -r ' .*' '' | tail -n +2\n"
	"end\n"
	"\n"
	"function __agent_fields_behind -d 'fields behind a character of the word'\n"
	"\tset -l before (commandline -ct | string replace -r \"[^$argv[1]]*\\$\" '')\n"
	"\tprintf '%s\\n' $before(__agent_list fields)\n"
	"end\n"
	"\n"
	"function __agent_own -d 'no command to start begins before the word'\n"
	"\tnot contains -- -- (commandline -opc)\n"
	"end\n"
	"\n"
	"function __agent_command -d 'what completes the line of the command to start'\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -e words[1..(contains -i -- -- $words)]\n"
	"\tset -l line (string escape -- $words) (commandline -ct)\n"
	"\tcomplete -C \"$line\"\n"
	"end\n"
	"\n"
	"complete -c agent -f\n"
	"complete -c agent -n 'not __agent_own' -xa '(__agent_command)'\n";

/* The options of `complete` for a value. */
static void print_value(word_list *words, enum offer offer)
{
	static const char *const arguments[] = {
		[OFFER_NOTHING] = " -x",
		[OFFER_FILES] = " -r -F",
		[OFFER_FIELDS] = " -x -a '(__agent_list fields)'",
		[OFFER_EVENTS] = " -x -a '(__agent_list events)'",
		[OFFER_FIELD_LIST] = " -x -a '(__agent_fields_behind ,)'",
		[OFFER_FORMAT] = " -x -a '(__agent_fields_behind %)'",
	};

	if (words) {
		fputs(" -x -a '", stdout);
		completion_print_words(words);
		putchar('\'');
	} else {
		fputs(arguments[offer], stdout);
	}
}

static void print_option(const struct option_row *row)
{
	fputs("complete -c agent -n __agent_own", stdout);
	if (row->letter)
		printf(" -s %c", row->letter);
	printf(" -l %s", row->name);
	if (row->argument && !row->optional)
		print_value(row->words, row->offer);
	fputs(" -d '", stdout);
	completion_print_help(row->help, "\\");
	puts("'");
}

/* Behind the action come files: ends the condition for them, and begins that for the action. */
static void print_action(const struct subcommand *command)
{
	fputs("; and __fish_seen_subcommand_from ", stdout);
	completion_print_words(command->words);
	putchar('\'');
	print_value(NULL, command->offer);
	printf("\ncomplete -c agent -n '__fish_seen_subcommand_from %s; and not "
	       "__fish_seen_subcommand_from ",
	       command->name);
	completion_print_words(command->words);
}

void completion_print_fish(const struct subcommand *subcommands)
{
	const struct option_row *row;

	fputs(head, stdout);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		print_option(row);
	for (const struct subcommand *command = subcommands; command->name; command++) {
		printf("complete -c agent -n __fish_use_subcommand -a %s -d '", command->name);
		completion_print_help(command->help, "\\");
		puts("'");
		if (!command->words && command->offer == OFFER_NOTHING)
			continue;
		printf("complete -c agent -n '__fish_seen_subcommand_from %s", command->name);
		if (command->operands == ACTION_REQUIRED)
			print_action(command);
		putchar('\'');
		print_value(command->words, command->offer);
		putchar('\n');
	}
	puts("complete -c agent -n __fish_use_subcommand -a '(__agent_list fields)'");
}
