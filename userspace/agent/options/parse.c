/* SPDX-License-Identifier: MIT */
/* Parses the command line: defaults, options, then the other words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/options/command_line.h"

/* Joins the words of a filter with spaces. */
static int join_words(char **words, struct options *options, struct error *err)
{
	size_t len = 0;
	char *at;

	if (options->filter)
		return error_set(err, -EINVAL, "the filter is given twice: '%s', and the word '%s'",
				 options->filter, words[0]);
	for (char **word = words; *word; word++)
		len += strlen(*word) + 1;
	at = options->filter = malloc(len);
	if (!at)
		return error_set(err, -ENOMEM, "out of memory");
	for (char **word = words; *word; word++) {
		at = stpcpy(at, *word);
		*at++ = ' ';
	}
	at[-1] = '\0';
	return 0;
}

static int take_operands(const struct subcommand *command, char **operands, struct options *options,
			 struct error *err)
{
	unsigned int place;

	if (command->operands >= OPERAND_REQUIRED && !operands[0])
		return error_set(err, -EINVAL, "%s needs a %s", command->name, command->operand);
	if (command->operands == RULES_REQUIRED) {
		for (; *operands; operands++)
			if (options_add_rules(options, *operands))
				return error_set(err, -ENOMEM, "out of memory");
		return 0;
	}
	if (operands[0] && command->operands == OPERAND_NONE)
		return error_set(err, -EINVAL, "%s takes no '%s'", command->name, operands[0]);
	if (operands[0] && operands[1])
		return error_set(err, -EINVAL, "%s takes one %s, not also '%s'", command->name,
				 command->operand, operands[1]);
	if (operands[0] && command->words && words_find(command->words, operands[0], &place))
		return words_reject(command->name, command->words, operands[0], err);
	options->operand = operands[0] ? operands[0] : command->operand_default;
	return 0;
}

/* The name of the i-th format of lists, or NULL. */
static const char *list_format_word(unsigned int i)
{
	const struct output_format *format;

	for (unsigned int at = 0; (format = output_format_get(at)); at++)
		if (output_format_has_lists(format) && i-- == 0)
			return format->name;
	return NULL;
}

static int reject_format(const struct subcommand *command, struct error *err)
{
	struct buf words = {0};
	int code;

	words_append(list_format_word, &words);
	buf_append_char(&words, '\0');
	code = error_set(err, -EINVAL, "%s: -o takes %s", command->name,
			 words.failed ? "another word" : words.data);
	buf_finish(&words);
	return code;
}

static int parse_command(const struct command_line *line, const struct subcommand *command,
			 char **operands, struct options *options, struct error *err)
{
	int result = command_line_check_subcommand(line, command, err);

	if (result)
		return result;
	if (line->behind)
		return error_set(err, -EINVAL, "%s does not start a command", command->name);
	if (options->format && !output_format_has_lists(options->format))
		return reject_format(command, err);
	options->subcommand = command;
	return take_operands(command, operands, options, err);
}

static int parse_capture(const struct command_line *line, struct options *options,
			 struct error *err)
{
	int result = 0;

	if (line->behind && (!line->behind[0] || !line->behind[0][0]))
		return error_set(err, -EINVAL, "-- needs a command to start: agent -- ls -l");
	options->command = line->behind;
	if (line->words[0] && !options->filter)
		result = subcommand_check_mistyped(line->subcommands, line->words, err);
	if (result == 0)
		result = command_line_check_capture(line, options, err);
	if (result == 0 && line->words[0])
		result = join_words(line->words, options, err);
	return result;
}

static int parse(struct command_line *line, int argc, char **argv, struct options *options,
		 struct error *err)
{
	const struct subcommand *command;
	int result = command_line_read(line, argc, argv, options, err);

	if (result || (options->subcommand && options->subcommand->at_once))
		return result;
	if (options->subcommand) /* by an option: all words are operands */
		return parse_command(line, options->subcommand, line->words, options, err);
	command = line->words[0] ? subcommand_find(line->subcommands, line->words[0]) : NULL;
	if (command)
		return parse_command(line, command, line->words + 1, options, err);
	return parse_capture(line, options, err);
}

/* What container images of such agents set; an empty variable is none. */
static const char *host_root_of_environment(void)
{
	const char *root = getenv("HOST_ROOT");

	return root && *root ? root : NULL;
}

int options_parse(int argc, char **argv, const struct subcommand *subcommands, struct options *options,
		  struct error *err)
{
	struct command_line line = {.subcommands = subcommands};
	int result;

	*options = (struct options){
		.subcommands = subcommands,
		.snaplen = SNAPLEN_DEFAULT,
		.meta_wait_ms = META_WAIT_MS_DEFAULT,
		.host_root = host_root_of_environment(),
		.snaplen_rules.statsd_port = STATSD_PORT_DEFAULT,
		.priority = PRIORITY_DEBUG,
		.follow = true,
	};
	line.words = calloc((size_t)argc + 1, sizeof(line.words[0]));
	if (!line.words)
		return error_set(err, -ENOMEM, "out of memory");
	result = parse(&line, argc, argv, options, err);
	free(line.words);
	return result;
}
