/* SPDX-License-Identifier: MIT */
/* The completion of bash. */
#include "agent/commands/completion_script.h"

#include <stdbool.h>
#include <stdio.h>

#include "agent/options/row.h"

static const char head[] =
	"# bash completion of the agent: source <(agent completion bash)\n"
	"_agent_list() { # the first column of a list\n"
	"\t\"${COMP_WORDS[0]}\" \"$1\" 2>/dev/null | sed '1d;s/ .*//'\n"
	"}\n"
	"\n"
	"_agent_reply() {\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"_agent_files() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\t_agent_reply -f\n"
	"}\n"
	"\n"
	"_agent_fields_behind() { # that character in the word\n"
	"\tlocal before=${cur%\"${cur##*\"$1\"}\"}\n"
	"\tcur=${cur##*\"$1\"}\n"
	"\tcompopt -o nospace 2>/dev/null\n"
	"\t_agent_reply -P \"$before\" -W \"$(_agent_list fields)\"\n"
	"}\n"
	"\n"
	"_agent() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} word\n"
	"\tlocal before=(\"${COMP_WORDS[@]:1:COMP_CWORD - 1}\")\n"
	"\tif [[ $cur == = ]]; then # \"--name=value\" is three words\n"
	"\t\tcur=\n"
	"\telif [[ $prev == = ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\tif [[ $prev == -- ]]; then\n"
	"\t\t_agent_reply -c\n"
	"\t\treturn\n"
	"\telif [[ \" ${before[*]} \" == *\" -- \"* ]]; then\n"
	"\t\t_agent_files\n"
	"\t\treturn\n"
	"\tfi\n";

/* An option with both names: "-s | --snaplen". */
static void print_pattern(const struct option_row *row)
{
	if (row->letter)
		printf("-%c | ", row->letter);
	printf("--%s", row->name);
}

/* Whether the next word is its value. */
static bool takes_word(const struct option_row *row)
{
	return row->argument && !row->optional;
}

static bool can_complete(const struct option_row *row)
{
	return row->words || row->offer != OFFER_NOTHING;
}

/* The completion for the value of an option, or the operand of a subcommand. */
static void print_value(word_list *words, enum offer offer)
{
	static const char *const calls[] = {
		[OFFER_NOTHING] = ":",
		[OFFER_FILES] = "_agent_files",
		[OFFER_FIELDS] = "_agent_reply -W \"$(_agent_list fields)\"",
		[OFFER_EVENTS] = "_agent_reply -W \"$(_agent_list events)\"",
		[OFFER_FIELD_LIST] = "_agent_fields_behind ,",
		[OFFER_FORMAT] = "_agent_fields_behind %",
	};

	if (words) {
		fputs("_agent_reply -W '", stdout);
		completion_print_words(words);
		putchar('\'');
	} else {
		fputs(calls[offer], stdout);
	}
	puts("; return ;;");
}

/* The patterns of the case statement for the previous word. */
static void print_values(void)
{
	const struct option_row *row;
	const char *separator = "";

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (!takes_word(row) || !can_complete(row))
			continue;
		putchar('\t');
		print_pattern(row);
		fputs(") ", stdout);
		print_value(row->words, row->offer);
	}
	putchar('\t');
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (!takes_word(row) || can_complete(row))
			continue;
		fputs(separator, stdout);
		print_pattern(row);
		separator = " | ";
	}
	puts(") return ;;");
}

static void print_option_names(void)
{
	const struct option_row *row;

	fputs("\tif [[ $cur == -* ]]; then\n\t\t_agent_reply -W '", stdout);
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (row->letter)
			printf("%s-%c", i ? " " : "", row->letter);
		printf("%s--%s", i || row->letter ? " " : "", row->name);
	}
	puts("'\n\t\treturn\n\tfi");
}

void completion_print_bash(const struct subcommand *subcommands)
{
	fputs(head, stdout);
	puts("\tcase $prev in");
	print_values();
	puts("\tesac");
	print_option_names();
	puts("\tfor word in \"${before[@]}\"; do\n\t\tcase $word in");
	for (const struct subcommand *command = subcommands; command->name; command++) {
		printf("\t\t%s) ", command->name);
		if (command->operands == ACTION_REQUIRED)
			printf("[[ $prev == %s ]] || { _agent_files; return; }; ", command->name);
		print_value(command->words, command->offer);
	}
	fputs("\t\tesac\n\tdone\n\t_agent_reply -W \"", stdout);
	for (const struct subcommand *command = subcommands; command->name; command++)
		printf("%s ", command->name);
	puts("$(_agent_list fields)\"\n}\n\ncomplete -F _agent agent");
}
