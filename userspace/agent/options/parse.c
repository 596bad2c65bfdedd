/* SPDX-License-Identifier: MIT */
/* The command line: words, options and operands, and what they set. */
#include "agent/options/parse.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/options/check.h"
#include "util/buf.h"
#include "util/nearest.h"

/* Reads the command line: builds tables for getopt_long(3) from the rows of options. */

enum {
	/* Returned by getopt for a word that is no option. */
	CODE_WORD = 1,
	/* Plus i: returned for the long name of row i. */
	CODE_NAME = 256,
};

static const char hint[] = "part of a filter? quote it: 'evt.rawres = -2'";

static int argument_kind(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->optional ? optional_argument : required_argument;
}

static void make_getopt_tables(char *letters, struct option *names)
{
	const struct option_row *row;

	letters = stpcpy(letters, "-:"); /* words in order; no messages of getopt */
	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && argument_kind(row) == required_argument)
			*letters++ = ':';
		*names++ = (struct option){row->name, argument_kind(row), NULL, CODE_NAME + (int)i};
	}
	*letters = '\0';
	*names = (struct option){0};
}

/* Returns the row, or NULL if the code has none. */
static const struct option_row *parse_find_row(int code, unsigned int *place)
{
	const struct option_row *row;

	for (*place = 0; (row = option_row(*place)); ++*place)
		if (code == row->letter || code == CODE_NAME + (int)*place)
			break;
	return row;
}

/* Appends ", --NAME" for each option whose name begins with the word. */
static unsigned int append_beginnings(const char *text, size_t len, struct buf *out)
{
	const struct option_row *row;
	unsigned int count = 0;

	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (strncmp(row->name, text, len) == 0)
			buf_printf(out, "%s--%s", count++ ? ", " : "", row->name);
	return count;
}

static const char *nearest_name(const char *text, size_t len)
{
	const struct option_row *row;
	struct nearest nearest;

	nearest_init(&nearest, text, len);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		nearest_offer(&nearest, row->name);
	return nearest.word;
}

/* Rejects a word that begins with two dashes. */
static int parse_reject_name(const char *word, struct error *err)
{
	size_t len = strcspn(word + 2, "=");
	const char *name = nearest_name(word + 2, len);
	char memory[256];
	struct buf names = buf_fixed(memory, sizeof(memory));

	if (append_beginnings(word + 2, len, &names) > 1)
		return error_set(err, -EINVAL, "%s: ambiguous option (%s)", word, memory);
	if (name)
		return error_set(err, -EINVAL, "%s: unknown option (did you mean --%s?)", word,
				 name);
	return error_set(err, -EINVAL, "%s: unknown option (%s)", word, hint);
}

/* Rejects what getopt did not accept: `code` is ':' or '?', `last` the word where it stopped. */
static int parse_reject(int code, const char *last, struct error *err)
{
	if (code == ':')
		return error_set(err, -EINVAL, "%s needs a value", last);
	if (optopt >= CODE_NAME)
		return error_set(err, -EINVAL, "%s: takes no value", last);
	if (optopt)
		return error_set(err, -EINVAL, "unknown option -%c (%s)", optopt, hint);
	return parse_reject_name(last, err);
}

/* Adds the option that getopt just read; its value is in optarg. */
static int take_option(struct command_line *line, int code, const char *last, bool *at_once,
		       struct error *err)
{
	struct setting setting = {.given = code >= CODE_NAME ? GIVEN_NAME : GIVEN_LETTER,
				  .value = optarg};
	const struct option_row *row = parse_find_row(code, &setting.place);
	char name[OPTION_TEXT_MAX];
	int result;

	if (!row)
		return parse_reject(code, last, err);
	result = option_check_value(row, optarg, setting_name(&setting, name), optarg, err);
	if (result)
		return result;
	if (settings_add(&line->settings, &setting))
		return error_set(err, -ENOMEM, "out of memory");
	*at_once = row->subcommand && subcommand_find(line->subcommands, row->subcommand)->at_once;
	return 0;
}

int command_line_read(struct command_line *line, int argc, char **argv,
		      const struct subcommand *subcommands, struct error *err)
{
	struct option names[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 3], **words;
	int r, begin = 1, result = 0;
	bool at_once = false;

	*line = (struct command_line){.subcommands = subcommands};
	words = line->words = calloc((size_t)argc + 1, sizeof(words[0]));
	if (!words)
		return error_set(err, -ENOMEM, "out of memory");
	make_getopt_tables(letters, names);
	optind = 0; /* resets also the position within a word */
	while ((r = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		begin = optind;
		if (r == CODE_WORD)
			*words++ = optarg;
		else
			result = take_option(line, r, argv[optind - 1], &at_once, err);
		if (result || at_once)
			return result;
	}
	/* "--" ended the options, unless all words were read. */
	if (optind > begin)
		line->behind = argv + optind;
	return 0;
}

void command_line_finish(struct command_line *line)
{
	settings_finish(&line->settings);
	free(line->words);
	*line = (struct command_line){0};
}

/* Makes options: defaults, settings, then the words that are none. */

/* Words that are no options are the filter; the first ones may be a mistyped subcommand. */
static int take_filter(struct command_line *line, char **words, struct error *err)
{
	struct setting setting = {.given = GIVEN_NAME};
	const struct setting *given;
	struct buf filter = {0};
	int r;

	option_find("filter", &setting.place);
	given = settings_find(&line->settings, setting.place);
	if (given)
		return error_set(err, -EINVAL, "the filter is given twice: '%s', and the word '%s'",
				 given->value, words[0]);
	r = words == line->words ? subcommand_check_mistyped(line->subcommands, words, err) : 0;
	if (r)
		return r;
	for (char **word = words; *word; word++)
		buf_printf(&filter, "%s%s", word == words ? "" : " ", *word);
	buf_append_char(&filter, '\0');
	setting.value = filter.data;
	r = filter.failed ? -ENOMEM : settings_add(&line->settings, &setting);
	buf_finish(&filter);
	return r ? error_set(err, r, "out of memory") : 0;
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
	int r;

	words_append(list_format_word, &words);
	buf_append_char(&words, '\0');
	r = error_set(err, -EINVAL, "%s: -o takes %s", command->name,
		      words.failed ? "another word" : words.data);
	buf_finish(&words);
	return r;
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

/* command: one that captures; NULL: none was named. */
static int parse_capture(const struct command_line *line, const struct subcommand *command,
			 struct yaml_report *report, struct options *options, struct error *err)
{
	int result = command ? options_check_subcommand(options, command, err) : 0;

	if (result)
		return result;
	options->subcommand = command;
	if (line->behind && (!line->behind[0] || !line->behind[0][0]))
		return error_set(err, -EINVAL, "-- needs a command to start: agent -- ls -l");
	options->command = line->behind;
	return options_check_capture(options, report, err);
}

static int options_parse_whole(struct command_line *line, struct yaml_report *report,
			       struct options *options, struct error *err)
{
	const struct subcommand *by_option = find_by_option(line), *command = by_option;
	char **operands = line->words;
	bool captures;
	int result = 0;

	if (!command && line->words[0])
		command = subcommand_find(line->subcommands, *operands);
	if (command && !by_option)
		operands++;
	captures = !command || command->captures;
	if (captures && operands[0])
		result = take_filter(line, operands, err);
	if (result)
		return result;
	if (settings_join(&options->settings, &line->settings))
		return error_set(err, -ENOMEM, "out of memory");
	result = settings_apply(&options->settings, options, err);
	if (result || (by_option && by_option->at_once))
		return result;
	return captures ? parse_capture(line, command, report, options, err)
			: parse_command(command, operands, line->behind != NULL, options, err);
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
	return options_parse_whole(line, report, options, err);
}
