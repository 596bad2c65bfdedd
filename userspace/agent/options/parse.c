/* SPDX-License-Identifier: MIT */
/* Makes options: defaults, settings, then the words that are none. */
#include "agent/options/parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "agent/options/apply.h"
#include "agent/options/check.h"
#include "util/buf.h"

/* The words that are no options are the filter. */
static int take_filter(struct command_line *line, struct error *err)
{
	struct setting setting = {.given = GIVEN_NAME};
	const struct setting *given;
	struct buf filter = {0};
	int code;

	option_find("filter", &setting.place);
	given = settings_find(&line->settings, setting.place);
	if (given)
		return error_set(err, -EINVAL, "the filter is given twice: '%s', and the word '%s'",
				 given->value, line->words[0]);
	code = subcommand_check_mistyped(line->subcommands, line->words, err);
	if (code)
		return code;
	for (char **word = line->words; *word; word++)
		buf_printf(&filter, "%s%s", word == line->words ? "" : " ", *word);
	buf_append_char(&filter, '\0');
	setting.value = filter.data;
	code = filter.failed ? -ENOMEM : settings_add(&line->settings, &setting);
	buf_finish(&filter);
	return code ? error_set(err, code, "out of memory") : 0;
}

static int take_all(char **operands, int (*add)(struct options *, const char *),
		    struct options *options, struct error *err)
{
	for (; *operands; operands++)
		if (add(options, *operands))
			return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* "ls" and the folder of `agent spool ls FOLDER`. */
static int take_action(const struct subcommand *command, char **operands, struct options *options,
		       struct error *err)
{
	if (operands[0] && words_find(command->words, operands[0], &options->action))
		return words_reject(command->name, command->words, operands[0], err);
	if (!operands[0] || !operands[1])
		return error_set(err, -EINVAL, "%s needs %s", command->name, command->operand);
	if (operands[2])
		return error_set(err, -EINVAL, "%s takes %s, not also '%s'", command->name,
				 command->operand, operands[2]);
	options->operand = operands[1];
	return 0;
}

static int take_operands(const struct subcommand *command, char **operands, struct options *options,
			 struct error *err)
{
	bool required =
		command->operands == OPERAND_REQUIRED || command->operands == RULES_REQUIRED;
	unsigned int place;

	if (required && !operands[0])
		return error_set(err, -EINVAL, "%s needs a %s", command->name, command->operand);
	if (command->operands == RULES_REQUIRED)
		return take_all(operands, options_add_rules, options, err);
	if (command->operands == FILES_OPTIONAL)
		return take_all(operands, options_add_file, options, err);
	if (command->operands == ACTION_REQUIRED)
		return take_action(command, operands, options, err);
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

static int parse_command(const struct subcommand *command, char **operands, bool starts,
			 struct options *options, struct error *err)
{
	int result = options_check_subcommand(options, command, err);

	if (result)
		return result;
	if (starts)
		return error_set(err, -EINVAL, "%s does not start a command", command->name);
	if (options->format && !output_format_has_lists(options->format))
		return reject_format(command, err);
	options->subcommand = command;
	return take_operands(command, operands, options, err);
}

/* The subcommand that an option selects, or NULL. */
static const struct subcommand *find_by_option(const struct command_line *line)
{
	const struct subcommand *found = NULL;

	for (size_t i = 0; i < line->settings.count; i++) {
		const char *name = option_row(line->settings.list[i].place)->subcommand;

		if (name)
			found = subcommand_find(line->subcommands, name);
	}
	return found;
}

static int parse_capture(const struct command_line *line, struct yaml_report *report,
			 struct options *options, struct error *err)
{
	if (line->behind && (!line->behind[0] || !line->behind[0][0]))
		return error_set(err, -EINVAL, "-- needs a command to start: agent -- ls -l");
	options->command = line->behind;
	return options_check_capture(options, report, err);
}

static int parse(struct command_line *line, struct yaml_report *report, struct options *options,
		 struct error *err)
{
	const struct subcommand *by_option = find_by_option(line), *command = by_option;
	char **operands = line->words;
	int result = 0;

	if (!command && line->words[0])
		command = subcommand_find(line->subcommands, *operands);
	if (command && !by_option)
		operands++;
	if (!command && line->words[0])
		result = take_filter(line, err);
	if (result)
		return result;
	if (settings_join(&options->settings, &line->settings))
		return error_set(err, -ENOMEM, "out of memory");
	result = settings_apply(&options->settings, options, err);
	if (result || (by_option && by_option->at_once))
		return result;
	if (command)
		return parse_command(command, operands, line->behind != NULL, options, err);
	return parse_capture(line, report, options, err);
}

/* What container images of such agents set; an empty variable is none. */
static const char *host_root_of_environment(void)
{
	const char *root = getenv("HOST_ROOT");

	return root && *root ? root : NULL;
}

int options_parse(struct command_line *line, struct settings *files, struct yaml_report *report,
		  struct options *options, struct error *err)
{
	*options = (struct options){
		.settings = *files,
		.subcommands = line->subcommands,
		.snaplen = SNAPLEN_DEFAULT,
		.meta_wait_ms = META_WAIT_MS_DEFAULT,
		.host_root = host_root_of_environment(),
		.snaplen_rules.statsd_port = STATSD_PORT_DEFAULT,
		.priority = PRIORITY_DEBUG,
		.follow = true,
		.privileges = PRIVILEGES_DROP,
	};
	*files = (struct settings){0};
	return parse(line, report, options, err);
}
