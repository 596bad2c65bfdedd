/* SPDX-License-Identifier: MIT */
/* The command line: words, options and operands, and what they set. */
#include "agent/options/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/options/check.h"
#include "agent/options/habits.h"
#include "agent/options/view.h"
#include "util/buf.h"
#include "util/nearest.h"

/* Reads the command line: builds tables for getopt_long(3) from the rows of options. */

enum {
	/* Returned by getopt for a word that is no option. */
	CODE_WORD = 1,
	/* Plus i: returned for the long name of row i. */
	CODE_NAME = 256,
};

const char command_line_operand_hint[] = "part of a filter? quote it: 'evt.rawres = -2'";

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

/* Behind words of a filter an option may be one of its values. */
static int reject_unknown(const struct command_line *line, const char *option, struct error *err)
{
	return line->words[0] ? error_set(err, -EINVAL, "%s: unknown option (%s)", option,
					  command_line_operand_hint)
			      : error_set(err, -EINVAL, "%s: unknown option", option);
}

bool command_line_is_operand(const char *before)
{
	size_t len = strlen(before);

	return len && strchr("=<>", before[len - 1]);
}

/* Rejects a word that begins with two dashes. */
static int parse_reject_name(const struct command_line *line, const char *word, struct error *err)
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
	return reject_unknown(line, word, err);
}

/* An option as getopt read it. */
struct typed {
	int code; /* what getopt returned */
	const char *word; /* that has the option */
	const char *last; /* the word where getopt stopped: that one, or its value */
	char **next; /* the word that it reads next, unless it is still in the middle of one */
	const struct option_row *row; /* NULL: none */
	char name[OPTION_TEXT_MAX]; /* "-p", "--print" */
	const char *value; /* that it has, or might have: the word behind it; NULL: none */
	bool separate; /* the value is a word of its own */
};

/* Rejects what getopt did not accept. */
static int parse_reject(const struct command_line *line, const struct typed *typed,
			struct error *err)
{
	if (typed->code == ':')
		return error_set(err, -EINVAL, "%s needs a value", typed->last);
	if (optopt >= CODE_NAME)
		return error_set(err, -EINVAL, "%s: takes no value", typed->last);
	return optopt ? reject_unknown(line, typed->name, err)
		      : parse_reject_name(line, typed->last, err);
}

/* The value that an option has; if it needs none, the word behind it, which may be meant as one. */
static void find_value(struct typed *typed)
{
	const char *next = typed->next ? *typed->next : NULL;
	const char *sign = strncmp(typed->word, "--", 2) == 0 ? strchr(typed->word, '=') : NULL;

	if (typed->row && optarg) {
		typed->value = optarg;
		typed->separate = optarg == typed->last;
	} else if (sign) {
		typed->value = sign + 1;
	} else if (typed->code != ':' && next && next[0] != '-') {
		typed->value = next;
		typed->separate = true;
	}
}

/* A name stays as it was typed, which may be the beginning of that of the row. */
static void name_typed(struct typed *typed)
{
	const char *word = typed->word;

	if (typed->code > 0 && typed->code < CODE_NAME && typed->row)
		snprintf(typed->name, sizeof(typed->name), "-%c", typed->code);
	else if (!typed->row && optopt > 0 && optopt < CODE_NAME)
		snprintf(typed->name, sizeof(typed->name), "-%c", optopt);
	else
		snprintf(typed->name, sizeof(typed->name), "%.*s", (int)strcspn(word, "="), word);
}

/* Whether the option is not one of the agent as it was typed. */
static bool is_foreign(const struct typed *typed)
{
	return !typed->row ||
	       (typed->code >= CODE_NAME && strcmp(typed->name + 2, typed->row->name) != 0);
}

static int add_setting(struct command_line *line, const struct setting *setting, bool *at_once,
		       struct error *err)
{
	const char *command = option_row(setting->place)->subcommand;

	if (settings_add(&line->settings, setting))
		return error_set(err, -ENOMEM, "out of memory");
	*at_once = command && agent_subcommand_find(line->subcommands, command)->at_once;
	return 0;
}

/* Adds the option that a habit stands for. */
static int take_habit_option(struct command_line *line, const struct habit *habit,
			     const struct typed *typed, bool *at_once, struct error *err)
{
	struct setting setting = {.given = GIVEN_NAME};
	const struct option_row *row = option_find(habit->text, &setting.place);
	int r;

	if (row->argument)
		setting.value = habit->value ? habit->value : typed->value;
	r = option_check_value(row, setting.value, typed->name, setting.value, err);
	return r ? r : add_setting(line, &setting, at_once, err);
}

static int take_habit(struct command_line *line, const struct habit *habit,
		      const struct typed *typed, bool *at_once, struct error *err)
{
	bool own = typed->row && optarg;

	/* The word belongs to the option, or to what follows it. */
	if (typed->separate && habit->takes != own)
		optind += own ? -1 : 1;
	switch (habit->does) {
	case HABIT_HINT:
		return habit_reject(habit, typed->name, typed->value, err);
	case HABIT_OPTION:
		return take_habit_option(line, habit, typed, at_once, err);
	case HABIT_FILTER:
	case HABIT_CALLS:
		return habit_append_filter(habit, typed->name, typed->value, &line->filter, err);
	default:
		return 0;
	}
}

/* Adds the option that getopt just read; its value is in optarg. */
static int take_option(struct command_line *line, struct typed *typed, bool *at_once,
		       struct error *err)
{
	struct setting setting = {.given = typed->code >= CODE_NAME ? GIVEN_NAME : GIVEN_LETTER,
				  .value = optarg};
	const struct habit *habit;
	char name[OPTION_TEXT_MAX];
	int r;

	typed->row = parse_find_row(typed->code, &setting.place);
	name_typed(typed);
	find_value(typed);
	habit = habit_find(typed->name, typed->value, is_foreign(typed));
	if (habit)
		return take_habit(line, habit, typed, at_once, err);
	if (!typed->row)
		return parse_reject(line, typed, err);
	r = option_check_value(typed->row, optarg, option_setting_name(&setting, name), optarg,
			       err);
	habit = r == -EINVAL ? habit_find(typed->name, typed->value, true) : NULL;
	if (habit)
		return habit_reject(habit, typed->name, typed->value, err);
	return r ? r : add_setting(line, &setting, at_once, err);
}

int command_line_read(struct command_line *line, int argc, char **argv,
		      const struct agent_subcommand *subcommands, struct error *err)
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
		struct typed typed = {.code = r, .word = argv[begin], .last = argv[optind - 1]};

		/* In the middle of a word it stays where it is. */
		if (optind > begin)
			typed.next = argv + optind;
		if (r == CODE_WORD)
			*words++ = optarg;
		else if (words > line->words && words[-1] == argv[begin - 1] &&
			 command_line_is_operand(words[-1]))
			result = error_set(err, -EINVAL, "%s behind '%s': %s", argv[begin],
					   words[-1], command_line_operand_hint);
		else
			result = take_option(line, &typed, &at_once, err);
		begin = optind;
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
	buf_finish(&line->filter);
	free(line->words);
	*line = (struct command_line){0};
}

/* Makes options: defaults, settings, then the words that are none. */

/* Joins words, and what options of habits add. */
static void append_filter(char **words, const struct buf *habits, struct buf *out)
{
	bool both = words[0] && habits->len;

	if (both)
		buf_append_char(out, '(');
	for (char **word = words; *word; word++)
		buf_printf(out, "%s%s", word == words ? "" : " ", *word);
	if (both)
		BUF_LITERAL(out, ") and ");
	buf_append(out, habits->data, habits->len);
	buf_append_char(out, '\0');
}

/* The first words may be a mistyped subcommand, or meant for another program. */
static int check_first_words(const struct command_line *line, char **words, struct error *err)
{
	int r = words[0] && words == line->words ? habit_check_words(words, err) : 0;

	return r || !words[0] || words != line->words
		       ? r
		       : agent_subcommand_check_mistyped(line->subcommands, words, err);
}

/* Words that are no options are the filter, or --filter has it; some options of habits add to it.
 */
static int take_filter(struct command_line *line, char **words, struct error *err)
{
	struct setting setting = {.given = GIVEN_NAME};
	char *of_option[] = {NULL, NULL};
	const struct setting *given;
	struct buf filter = {0};
	int r;

	option_find("filter", &setting.place);
	given = settings_find(&line->settings, setting.place);
	if (given && words[0])
		return error_set(err, -EINVAL, "the filter is given twice: '%s', and the word '%s'",
				 given->value, words[0]);
	r = check_first_words(line, words, err);
	if (r)
		return r;
	if (given)
		of_option[0] = (char *)given->value;
	append_filter(given ? of_option : words, &line->filter, &filter);
	setting.value = filter.data;
	if (given && !filter.failed)
		settings_remove(&line->settings, given);
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
static int take_action(const struct agent_subcommand *command, char **operands,
		       struct options *options, struct error *err)
{
	if (operands[0] && option_words_find(command->words, operands[0], &options->action))
		return option_words_reject(command->name, command->words, NULL, operands[0], err);
	if (!operands[0] || !operands[1])
		return error_set(err, -EINVAL, "%s needs %s", command->name, command->operand);
	if (operands[2])
		return error_set(err, -EINVAL, "%s takes %s, not also '%s'", command->name,
				 command->operand, operands[2]);
	options->operand = operands[1];
	return 0;
}

static int take_operands(const struct agent_subcommand *command, char **operands,
			 struct options *options, struct error *err)
{
	bool required =
		command->operands == OPERAND_REQUIRED || command->operands == RULES_REQUIRED;
	unsigned int place;

	if (required && !operands[0] && !options->rules_count)
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
	if (operands[0] && command->words && option_words_find(command->words, operands[0], &place))
		return option_words_reject(command->name, command->words, NULL, operands[0], err);
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

static int reject_format(const struct agent_subcommand *command, struct error *err)
{
	struct buf words = {0};
	int r;

	option_words_append(list_format_word, &words);
	buf_append_char(&words, '\0');
	r = error_set(err, -EINVAL, "%s: -o takes %s", command->name,
		      words.failed ? "another word" : words.data);
	buf_finish(&words);
	return r;
}

static int parse_command(const struct agent_subcommand *command, char **operands, bool starts,
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

/* The subcommand that an option selects, or NULL. files: what those of the configuration say. */
static const struct agent_subcommand *find_by_option(const struct command_line *line,
						     const struct settings *files)
{
	const struct agent_subcommand *found = NULL;
	unsigned int rules;
	bool has_rules;

	option_find("rules", &rules);
	has_rules = settings_find(&line->settings, rules) || settings_find(files, rules);
	for (size_t i = 0; i < line->settings.count; i++) {
		const struct option_row *row = option_row(line->settings.list[i].place);

		if (row->subcommand)
			found = agent_subcommand_find(
				line->subcommands,
				has_rules && row->with_rules ? row->with_rules : row->subcommand);
	}
	return found;
}

/* Events pass the filter of the command and that of the user. */
static int add_filter(struct options *options, const char *of_command, struct error *err)
{
	struct buf text = {0};

	if (!of_command)
		return 0;
	buf_printf(&text, "(%s)", of_command);
	if (options->filter)
		buf_printf(&text, " and (%s)", options->filter);
	buf_append_char(&text, '\0');
	if (text.failed)
		return error_set(err, -ENOMEM, "out of memory");
	free(options->filter);
	options->filter = text.data;
	return 0;
}

/* command: one that captures; NULL: none was named. */
static int parse_capture(const struct command_line *line, const struct agent_subcommand *command,
			 struct yaml_report *report, struct options *options, struct error *err)
{
	int result = command ? options_check_subcommand(options, command, err) : 0;

	if (result)
		return result;
	options->subcommand = command;
	if (line->behind && (!line->behind[0] || !line->behind[0][0]))
		return error_set(err, -EINVAL, "-- needs a command to start: agent -- ls -l");
	options->command = line->behind;
	if (command)
		result = add_filter(options, command->filter, err);
	if (result == 0 && options->view)
		result = add_filter(options, options->view->filter, err);
	if (result == 0 && options->view)
		result = options_apply_view(options, err);
	if (result)
		return result;
	return options_check_capture(options, report, err);
}

static int options_parse_whole(struct command_line *line, struct yaml_report *report,
			       struct options *options, struct error *err)
{
	const struct agent_subcommand *by_option = find_by_option(line, &options->settings),
				      *command = by_option;
	char **operands = line->words;
	bool captures;
	int result = 0;

	if (!command && line->words[0])
		command = agent_subcommand_find(line->subcommands, *operands);
	if (command && !by_option)
		operands++;
	captures = !command || command->captures;
	if (line->filter.len && !captures)
		return error_set(err, -EINVAL, "%s takes no filter", command->name);
	if (command && command->takes_view)
		result = options_take_view(&options->settings, &line->settings, command->view,
					   &operands, options, err);
	if (result)
		return result;
	if (captures && (operands[0] || line->filter.len))
		result = take_filter(line, operands, err);
	if (result)
		return result;
	if (options_join_settings(&options->settings, &line->settings))
		return error_set(err, -ENOMEM, "out of memory");
	result = options_apply_settings(&options->settings, options, err);
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
