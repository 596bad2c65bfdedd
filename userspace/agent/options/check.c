/* SPDX-License-Identifier: MIT */
/* Checks that options fit together. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/command_line.h"

/* The index of the first given option that is about any of these, or -1. */
static int find_about(const struct command_line *line, unsigned int about)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (line->given[i] && (row->about & about))
			return (int)i;
	return -1;
}

static unsigned int count_about(const struct command_line *line, unsigned int about)
{
	const struct option_row *row;
	unsigned int count = 0;

	for (unsigned int i = 0; (row = option_row(i)); i++)
		count += line->given[i] && (row->about & about);
	return count;
}

static const char *text_at(const struct command_line *line, int place, char *memory)
{
	return option_text(option_row((unsigned int)place), line->given[place], memory);
}

int command_line_check_subcommand(const struct command_line *line, const struct subcommand *command,
			       struct error *err)
{
	const struct option_row *row;
	char memory[OPTION_TEXT_MAX];

	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (line->given[i] && !(row->about & command->takes))
			return error_set(err, -EINVAL, "%s does not take %s", command->name,
					 text_at(line, (int)i, memory));
	return 0;
}

static bool has_splits(const struct options *options)
{
	return options->limits.bytes || options->limits.ns || options->limits.events;
}

/* Rejects options whose subject is missing. */
static int check_about(const struct command_line *line, const struct options *options,
		       struct error *err)
{
	const struct {
		unsigned int about;
		bool there;
		const char *why;
	} reasons[] = {
		{LIVE, !options->read,
		 "means nothing with -r: it is about events that happen now"},
		{INPUT, options->read, "goes with -r"},
		{OUTPUT, options->write, "goes with -w"},
		{SPLIT, has_splits(options), "goes with -C, -G or -e"},
		{RULES, options->rules_count, "goes with --rules"},
		{PROCESSES, options->pids_count || options->command,
		 "goes with --pid or with -- COMMAND"},
	};
	char memory[OPTION_TEXT_MAX];

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		int place = reasons[i].there ? -1 : find_about(line, reasons[i].about);

		if (place >= 0)
			return error_set(err, -EINVAL, "%s %s", text_at(line, place, memory),
					 reasons[i].why);
	}
	return 0;
}

static int check_started_command(const struct options *options, struct error *err)
{
	if (options->command && options->read)
		return error_set(err, -EINVAL, "-- %s: a command cannot be started with -r: events "
					       "come from the file", options->command[0]);
	if (options->command && options->explain)
		return error_set(err, -EINVAL, "-- %s: --explain starts no command",
				 options->command[0]);
	return 0;
}

/* Recorded events are not printed, unless an option requests it. */
static int check_write(const struct command_line *line, struct options *options,
		       struct error *err)
{
	if (find_about(line, PRINTS) < 0)
		options->format = &format_none;
	if (options->writer.native && options->writer.form_2022)
		return error_set(err, -EINVAL, "--native is for Lanner alone, --scap-compat for "
					       "others: one of them");
	if (count_about(line, COMPRESSES) > 1)
		return error_set(err, -EINVAL, "-z and --zstd: one of them");
	if (strcmp(options->write, "-"))
		return 0;
	if (has_splits(options))
		return error_set(err, -EINVAL, "-w -: standard output is one file; -C, -G and -e "
					       "need a name");
	if (!options->format || !options->format->silent)
		return error_set(err, -EINVAL, "-w - takes standard output: nothing can be printed "
					       "there (-o none)");
	if (!options->explain && isatty(STDOUT_FILENO))
		return error_set(err, -EINVAL, "-w -: standard output is a terminal; direct it to "
					       "a file or into a pipe");
	return 0;
}

int command_line_check_capture(const struct command_line *line, struct options *options,
			       struct error *err)
{
	int result;

	if (options->format && !output_format_has_events(options->format))
		return error_set(err, -EINVAL, "-o %s: for lists (agent fields, agent events), "
					       "not for events", options->format->name);
	result = check_started_command(options, err);
	if (result == 0)
		result = check_about(line, options, err);
	if (result == 0 && options->write)
		result = check_write(line, options, err);
	return result;
}
