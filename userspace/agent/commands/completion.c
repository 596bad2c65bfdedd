/* SPDX-License-Identifier: MIT */
/*
 * The command completion: scripts for bash, fish and zsh, from the tables of options and commands.
 */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/commands/commands.h"
#include "agent/options/row.h"
#include "util/count.h"

/* Shared by the scripts of several shells. */

void completion_print_words(option_words *words)
{
	for (unsigned int i = 0; words(i); i++)
		printf("%s%s", i ? " " : "", words(i));
}

void completion_print_help(const char *help, const char *escaped)
{
	const char *end = help + option_help_clause(help);

	for (; help < end; help++) {
		if (*help == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(escaped, *help))
			putchar('\\');
		putchar(*help);
	}
}

/* The completion of bash. */

static const char completion_bash_head[] =
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
static void completion_bash_print_value(option_words *words, enum option_offer offer)
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
		completion_bash_print_value(row->words, row->offer);
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

void completion_print_bash(const struct agent_subcommand *subcommands)
{
	fputs(completion_bash_head, stdout);
	puts("\tcase $prev in");
	print_values();
	puts("\tesac");
	print_option_names();
	puts("\tfor word in \"${before[@]}\"; do\n\t\tcase $word in");
	for (const struct agent_subcommand *command = subcommands; command->name; command++) {
		printf("\t\t%s) ", command->name);
		if (command->operands == ACTION_REQUIRED)
			printf("[[ $prev == %s ]] || { _agent_files; return; }; ", command->name);
		completion_bash_print_value(command->words, agent_subcommand_offer(command));
	}
	fputs("\t\tesac\n\tdone\n\t_agent_reply -W \"", stdout);
	for (const struct agent_subcommand *command = subcommands; command->name; command++)
		printf("%s ", command->name);
	puts("$(_agent_list fields)\"\n}\n\ncomplete -F _agent agent");
}

/* The completion of fish. */

static const char completion_fish_head[] =
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
static void completion_fish_print_value(option_words *words, enum option_offer offer)
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

static void completion_fish_print_option(const struct option_row *row)
{
	fputs("complete -c agent -n __agent_own", stdout);
	if (row->letter)
		printf(" -s %c", row->letter);
	printf(" -l %s", row->name);
	if (row->argument && !row->optional)
		completion_fish_print_value(row->words, row->offer);
	fputs(" -d '", stdout);
	completion_print_help(row->help, "\\");
	puts("'");
}

/* Behind the action come files: ends the condition for them, and begins that for the action. */
static void print_action(const struct agent_subcommand *command)
{
	fputs("; and __fish_seen_subcommand_from ", stdout);
	completion_print_words(command->words);
	putchar('\'');
	completion_fish_print_value(NULL, command->offer);
	printf("\ncomplete -c agent -n '__fish_seen_subcommand_from %s; and not "
	       "__fish_seen_subcommand_from ",
	       command->name);
	completion_print_words(command->words);
}

void completion_print_fish(const struct agent_subcommand *subcommands)
{
	const struct option_row *row;

	fputs(completion_fish_head, stdout);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		completion_fish_print_option(row);
	for (const struct agent_subcommand *command = subcommands; command->name; command++) {
		printf("complete -c agent -n __fish_use_subcommand -a %s -d '", command->name);
		completion_print_help(command->help, "\\");
		puts("'");
		if (!command->words && agent_subcommand_offer(command) == OFFER_NOTHING)
			continue;
		printf("complete -c agent -n '__fish_seen_subcommand_from %s", command->name);
		if (command->operands == ACTION_REQUIRED)
			print_action(command);
		putchar('\'');
		completion_fish_print_value(command->words, agent_subcommand_offer(command));
		putchar('\n');
	}
	puts("complete -c agent -n __fish_use_subcommand -a '(__agent_list fields)'");
}

/* The completion of zsh. */

static const char completion_zsh_head[] =
	"#compdef agent\n"
	"# zsh completion of the agent: source <(agent completion zsh), or a file _agent in "
	"$fpath\n"
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

static const char body[] = "_agent() {\n"
			   "\tlocal agent=$words[1] end=$words[(i)--]\n"
			   "\tif ((end < CURRENT)); then\n"
			   "\t\tshift $end words\n"
			   "\t\t((CURRENT -= end))\n"
			   "\t\t_normal\n"
			   "\t\treturn\n"
			   "\tfi\n"
			   "\t_arguments -s : \\\n";

static const char tail[] = "\t\t'*: :_agent_word'\n"
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
static void completion_zsh_print_option(const struct option_row *row, const char *name,
					const char *joint)
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
static void print_word(const struct agent_subcommand *subcommands)
{
	puts("_agent_word() {\n\tlocal word\n\tfor word in $words[2,CURRENT-1]; do\n\t\tcase $word "
	     "in");
	for (const struct agent_subcommand *command = subcommands; command->name; command++) {
		printf("\t\t%s) ", command->name);
		if (command->operands == ACTION_REQUIRED)
			printf("[[ $words[CURRENT-1] == %s ]] || { _files; return }; ",
			       command->name);
		if (command->words) {
			fputs("compadd ", stdout);
			completion_print_words(command->words);
		} else {
			enum option_offer offer = agent_subcommand_offer(command);

			fputs(offer == OFFER_NOTHING ? ":" : calls[offer], stdout);
		}
		puts("; return ;;");
	}
	puts("\t\tesac\n\tdone\n\tlocal -a commands=(");
	for (const struct agent_subcommand *command = subcommands; command->name; command++) {
		printf("\t\t'%s:", command->name);
		completion_print_help(command->help, "\\:");
		puts("'");
	}
	puts("\t)\n\t_describe command commands\n\t_agent_list fields\n}\n");
}

void completion_print_zsh(const struct agent_subcommand *subcommands)
{
	const struct option_row *row;

	fputs(completion_zsh_head, stdout);
	print_word(subcommands);
	fputs(body, stdout);
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		const char letter[] = {'-', row->letter, '\0'};
		char name[64];

		if (row->letter)
			completion_zsh_print_option(row, letter,
						    row->argument && !row->optional ? "+" : "");
		snprintf(name, sizeof(name), "--%s", row->name);
		completion_zsh_print_option(row, name,
					    !row->argument  ? ""
					    : row->optional ? "=-"
							    : "=");
	}
	fputs(tail, stdout);
}

/* Selects the script, and code shared by scripts. */

static const struct {
	const char *shell;
	void (*print)(const struct agent_subcommand *subcommands);
} scripts[] = {
	{"bash", completion_print_bash},
	{"fish", completion_print_fish},
	{"zsh", completion_print_zsh},
};

const char *completion_shell(unsigned int i)
{
	return i < COUNT(scripts) ? scripts[i].shell : NULL;
}

int completion_run(const struct options *options)
{
	unsigned int place;

	if (option_words_find(completion_shell, options->operand, &place) == 0)
		scripts[place].print(options->subcommands);
	return command_finish_output();
}
