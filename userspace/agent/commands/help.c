/* SPDX-License-Identifier: MIT */
/* The commands help and version. */
#include <stdio.h>
#include <string.h>

#include "agent/commands/commands.h"
#include "agent/options/row.h"
#include "event/event.h"
#include "util/version.h"

enum { WORDS_LINE_COLUMNS = 78 };

void help_print_word(const char *word, int *column)
{
	int len = (int)strlen(word) + 1;

	if (*column + len > WORDS_LINE_COLUMNS) {
		putchar('\n');
		*column = 0;
	}
	printf(" %s", word);
	*column += len;
}

/* Prints the version. */

int help_run_version(const struct options *options)
{
	puts("agent (Lanner) " LANNER_VERSION);
	return command_finish_output();
}

/* Prints the help from the tables of options and subcommands, in lines of 80 columns. */

enum { HELP_LINE_COLUMNS = 80, NAME_COLUMNS = 24 };

/* Prints two columns: the name, and the text in as many lines as needed. */
static void help_print_row(const char *name, const char *text, size_t len)
{
	const char *end = text + len;
	int column = printf("  %-*s", NAME_COLUMNS, name);

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		int word = (int)((space ? space : end) - text);

		if (column + 1 + word > HELP_LINE_COLUMNS)
			column = printf("\n  %*s", NAME_COLUMNS, "") - 1;
		column += printf(" %.*s", word, text);
		text += word + (space != NULL);
	}
	putchar('\n');
}

static void print_option(const struct option_row *row, size_t help_len)
{
	char name[64];
	struct buf out = buf_fixed(name, sizeof(name));

	if (row->letter)
		buf_printf(&out, "-%c, ", row->letter);
	buf_printf(&out, "--%s", row->name);
	if (row->argument)
		buf_printf(&out, row->optional ? "[=%s]" : " %s", row->argument);
	buf_append_char(&out, '\0');
	help_print_row(name, row->help, help_len);
}

static void print_command_names(const struct agent_subcommand *command)
{
	int column = printf("Commands:");
	const char *separator = "";

	for (; command->name; command++) {
		int len = (int)strlen(command->name) + 1;

		/* The first are options, too. */
		if (command->at_once || command->seldom)
			continue;
		column += printf("%s", separator);
		if (column + 1 + len > HELP_LINE_COLUMNS)
			column = printf("\n         ") - 1;
		column += printf(" %s", command->name);
		separator = ",";
	}
	putchar('\n');
}

static void print_usual(const struct options *options)
{
	const struct option_row *row;

	putchar('\n');
	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (row->usual)
			print_option(row, option_help_clause(row->help));
	putchar('\n');
	print_command_names(options->subcommands);
	puts("Example:  agent -n 100 'evt.type=open and proc.name=cat' > events.jsonl\n"
	     "All options, and what the commands do: agent --help=all");
}

static void print_subcommands(const struct agent_subcommand *command)
{
	static const char *const operand_forms[] = {
		[OPERAND_NONE] = "%s",		 [OPERAND_OPTIONAL] = "%s [%s]",
		[OPERAND_REQUIRED] = "%s %s",	 [RULES_REQUIRED] = "%s %s...",
		[FILES_OPTIONAL] = "%s [%s]...", [ACTION_REQUIRED] = "%s %s",
	};

	puts("\nCommands:");
	for (; command->name; command++) {
		char name[64];

		if (command->captures)
			snprintf(name, sizeof(name), "%s [FILTER]", command->name);
		else
			snprintf(name, sizeof(name), operand_forms[command->operands],
				 command->name, command->operand);
		help_print_row(name, command->help, strlen(command->help));
	}
}

static void print_on_request(void)
{
	int column = printf("Captured only when a filter names them:");

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || !(desc->flags & EF_ON_REQUEST))
			continue;
		help_print_word(desc->name, &column);
	}
	putchar('\n');
}

static void print_all(const struct options *options)
{
	print_subcommands(options->subcommands);
	for (const struct option_group *group = option_groups; group->title; group++) {
		printf("\n%s:\n", group->title);
		for (const struct option_row *row = group->rows; row->name; row++)
			print_option(row, strlen(row->help));
	}
	putchar('\n');
	print_on_request();
	puts("Exit code: 0; 1 for a failure while running; 2 for wrong usage.");
}

const char *help_word(unsigned int i)
{
	return i == 0 ? "all" : NULL;
}

int help_run(const struct options *options)
{
	fputs("Usage: agent [OPTION]... [FILTER]...                      print events\n"
	      "       agent [OPTION]... [FILTER]... -- COMMAND [ARG]...  of a new command\n"
	      "       agent COMMAND [OPERAND]\n",
	      stdout);
	if (options->operand)
		print_all(options);
	else
		print_usual(options);
	return command_finish_output();
}
