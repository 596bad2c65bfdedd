/* SPDX-License-Identifier: MIT */
/* The completion of zsh. */
#include "agent/commands/completion_script.h"

#include <stdio.h>

#include "agent/options/row.h"

static const char head[] =
	"#compdef agent\n"
	"# zsh completion of the agent: source <(agent completion zsh), or a file _agent in $fpath\n"
	"_agent_list() { # the first column of a list\n"
	"\tlocal -a names\n"
	"\tnames=(${${(f)\"$($agent $1 2>/dev/null)\"}[2,-1]%% *})\n"
	"\tcompadd -a names\n"
	"}\n"
	"\n"
	"_agent_fields_behind() { # that character in the word\n"
	"\tcompset -P \"*$1\"\n"
	"\t_agent_list fields\n"
	"}\n"
	"\n";

static const char body[] =
	"_agent() {\n"
	"\tlocal agent=$words[1] end=$words[(i)--]\n"
	"\tif ((end < CURRENT)); then\n"
	"\t\tshift $end words\n"
	"\t\t((CURRENT -= end))\n"
	"\t\t_normal\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_arguments -s : \\\n";

static const char tail[] =
	"\t\t'*: :_agent_word'\n"
	"}\n"
	"\n"
	"if [[ $funcstack[1] == _agent ]]; then\n"
	"\t_agent \"$@\"\n"
	"else\n"
	"\tcompdef _agent agent\n"
	"fi\n";

/* Characters to escape in help and messages of _arguments. */
#define ESCAPED "\\[]:"

static const char *const calls[] = {
	[OFFER_NOTHING] = "",
	[OFFER_FILES] = "_files",
	[OFFER_FIELDS] = "_agent_list fields",
	[OFFER_EVENTS] = "_agent_list events",
	[OFFER_FIELD_LIST] = "_agent_fields_behind ,",
	[OFFER_FORMAT] = "_agent_fields_behind %",
};

/*
 * A specification of one name of an option: '*--color=[help]:WHEN:(auto always never)'. `joint` is
 * the text before a value; "": this name takes no value.
 */
static void print_option(const struct option_row *row, const char *name, const char *joint)
{
	printf("\t\t'*%s%s[", name, joint);
	completion_print_help(row->help, ESCAPED);
	putchar(']');
	if (joint[0]) {
		printf(row->optional ? "::%s:" : ":%s:", row->argument);
		if (row->words) {
			putchar('(');
			completion_print_words(row->words);
			putchar(')');
		} else {
			/* Because of the space the function gets no options of _arguments. */
			printf(" %s", calls[row->offer]);
		}
	}
	puts("' \\");
}

/* A word that is no option: the operand of a subcommand, or the first word. */
static void print_word(const struct subcommand *subcommands)
{
	puts("_agent_word() {\n\tlocal word\n\tfor word in $words[2,CURRENT-1]; do\n\t\tcase $word in");
	for (const struct subcommand *command = subcommands; command->name; command++) {
		printf("\t\t%s) ", command->name);
		if (command->operands == ACTION_REQUIRED)
			printf("[[ $words[CURRENT-1] == %s ]] || { _files; return }; ",
			       command->name);
		if (command->words) {
			fputs("compadd ", stdout);
			completion_print_words(command->words);
		} else {
			fputs(command->offer == OFFER_NOTHING ? ":" : calls[command->offer], stdout);
		}
		puts("; return ;;");
	}
	puts("\t\tesac\n\tdone\n\tlocal -a commands=(");
	for (const struct subcommand *command = subcommands; command->name; command++) {
		printf("\t\t'%s:", command->name);
		completion_print_help(command->help, "\\:");
		puts("'");
	}
	puts("\t)\n\t_describe command commands\n\t_agent_list fields\n}\n");
}

void completion_print_zsh(const struct subcommand *subcommands)
{
	const struct option_row *row;

	fputs(head, stdout);
	print_word(subcommands);
	fputs(body, stdout);
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		const char letter[] = {'-', row->letter, '\0'};
		char name[64];

		if (row->letter)
			print_option(row, letter, row->argument && !row->optional ? "+" : "");
		snprintf(name, sizeof(name), "--%s", row->name);
		print_option(row, name, !row->argument ? "" : row->optional ? "=-" : "=");
	}
	fputs(tail, stdout);
}
