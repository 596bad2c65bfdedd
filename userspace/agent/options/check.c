/* SPDX-License-Identifier: MIT */
/* Applies settings to options; checks what fits together. */
#include "agent/options/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/options/habits.h"
#include "output/target.h"
#include "util/count.h"

/* Values of settings: checked, joined from files and command line, stored in the options. */

const char *option_setting_name(const struct setting *setting, char memory[static OPTION_TEXT_MAX])
{
	const struct option_row *row = option_row(setting->place);

	switch (setting->given) {
	case GIVEN_LETTER:
		snprintf(memory, OPTION_TEXT_MAX, "-%c", row->letter);
		return memory;
	case GIVEN_NAME:
		snprintf(memory, OPTION_TEXT_MAX, "--%s", row->name);
		return memory;
	default:
		return setting->key->text;
	}
}

/* Whether it would be right with a unit behind it; then that is the text. */
static bool check_add_unit(const struct option_row *row, const char *value,
			   char text[static OPTION_TEXT_MAX])
{
	bool found = false;

	if (!*value || value[strspn(value, "0123456789")])
		return false;
	for (const char *unit = "KMG"; *unit && !found; unit++) {
		struct options scratch = {0};

		found = snprintf(text, OPTION_TEXT_MAX, "%s%c", value, *unit) < OPTION_TEXT_MAX &&
			row->set(&scratch, text) == 0;
		options_finish(&scratch);
	}
	return found;
}

/* Reports a value that `set` rejected. */
static int check_reject_value(const struct option_row *row, const char *value, const char *name,
			      const char *shown, struct error *err)
{
	char better[OPTION_TEXT_MAX];

	if (row->words)
		return option_words_reject(name, row->words, row->otherwise, shown, err);
	if (!check_add_unit(row, value, better))
		return error_set(err, -EINVAL, "%s: expected %s, not '%s'", name, row->accepts,
				 shown);
	return error_set(err, -EINVAL, "%s: expected %s, not '%s' (did you mean '%s'?)", name,
			 row->accepts, shown, better);
}

int option_check_value(const struct option_row *row, const char *value, const char *name,
		       const char *shown, struct error *err)
{
	struct options scratch = {0};
	int result = row->set ? row->set(&scratch, value) : 0;

	options_finish(&scratch);
	if (result == -EINVAL)
		return check_reject_value(row, value, name, shown, err);
	return result ? error_set(err, result, "out of memory") : 0;
}

/* Whether another setting takes the place of that with index `i`, which a file has. */
static bool check_is_replaced(const struct settings *settings, size_t i)
{
	const struct setting *setting = &settings->list[i];
	enum option_list list = option_row(setting->place)->list;
	bool is_list = list == LIST_REPEATED || list == LIST_COMMAS;

	for (i++; i < settings->count; i++) {
		const struct setting *later = &settings->list[i];

		if (later->place == setting->place && (later->given != GIVEN_KEY || !is_list))
			return true;
	}
	return false;
}

int options_join_settings(struct settings *files, const struct settings *command_line)
{
	size_t kept = 0;

	for (size_t i = 0; i < command_line->count; i++)
		if (settings_add(files, &command_line->list[i]))
			return -ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		const struct setting *setting = &files->list[i];

		if (setting->off || (setting->given == GIVEN_KEY && check_is_replaced(files, i)))
			continue;
		files->list[kept++] = *setting;
	}
	files->count = kept;
	return 0;
}

int options_apply_settings(const struct settings *settings, struct options *options,
			   struct error *err)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->list[i];
		const struct option_row *row = option_row(setting->place);
		char name[OPTION_TEXT_MAX];
		int result = row->set ? row->set(options, setting->value) : 0;

		if (result == -EINVAL)
			return check_reject_value(row, setting->value,
						  option_setting_name(setting, name),
						  setting->value, err);
		if (result)
			return error_set(err, result, "out of memory");
		if (row->subcommand)
			options->subcommand =
				agent_subcommand_find(options->subcommands, row->subcommand);
	}
	return 0;
}

/* Checks that options fit together: one message for each that does not. */

struct check {
	const struct options *options;
	struct yaml_report *report; /* about settings of files */
	struct error *err; /* the first about the command line */
	int result;
};

static unsigned int about_of(const struct setting *setting)
{
	return option_row(setting->place)->about;
}

/* The first setting that is about any of these, or NULL. */
static const struct setting *find_about(const struct options *options, unsigned int about)
{
	const struct settings *settings = &options->settings;

	for (size_t i = 0; i < settings->count; i++)
		if (about_of(&settings->list[i]) & about)
			return &settings->list[i];
	return NULL;
}

/* Where a file has a setting: its key, or the element of a list. NULL: the command line has it. */
static const struct yaml_node *check_place_of(const struct setting *setting)
{
	return option_row(setting->place)->list == LIST_REPEATED ? setting->node : setting->key;
}

/* Rejects a setting, or what the command line has without one (NULL). */
__attribute__((format(printf, 3, 4))) static void
reject(struct check *check, const struct setting *setting, const char *format, ...)
{
	const struct yaml_node *at = setting ? check_place_of(setting) : NULL;
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (at)
		yaml_report_add(check->report, YAML_ERROR, at->file, at->start, "%s", text);
	else if (check->err && !check->err->text[0])
		error_set(check->err, -EINVAL, "%s", text);
	check->result = -EINVAL;
}

static bool check_is_taken(const struct option_row *row, const struct agent_subcommand *command)
{
	return command->captures ? option_is_about_captures(row) : row->about & command->takes;
}

int options_check_subcommand(const struct options *options, const struct agent_subcommand *command,
			     struct error *err)
{
	const struct settings *settings = &options->settings;
	char name[OPTION_TEXT_MAX];

	for (size_t i = 0; i < settings->count; i++)
		if (!check_is_taken(option_row(settings->list[i].place), command))
			return error_set(err, -EINVAL, "%s does not take %s", command->name,
					 option_setting_name(&settings->list[i], name));
	return 0;
}

static bool has_splits(const struct options *options)
{
	return options->limits.bytes || options->limits.ns || options->limits.events;
}

static bool takes_metrics(const struct options *options)
{
	for (size_t i = 0; i < options->outputs_count; i++)
		if (options->outputs[i]->kind->takes_metrics)
			return true;
	return false;
}

/* Rejects options whose subject is missing. */
static void check_about(struct check *check)
{
	const struct options *options = check->options;
	const struct {
		unsigned int about;
		bool there;
		const char *why, *why_key; /* by the names on the command line; by those in files */
	} reasons[] = {
		{LIVE, !options->read, "means nothing with -r: it is about events that happen now",
		 "means nothing with read: it is about events that happen now"},
		{INPUT, options->read, "goes with -r", "goes with read"},
		{OUTPUT, options->write, "goes with -w", "goes with write"},
		{VIEWS, options->view, "goes with a view: agent view NAME",
		 "goes with a view, which is named on the command line"},
		{SPLIT, has_splits(options) || options->view, "goes with -C, -G or -e",
		 "goes with file-size, seconds or events"},
		{RULES, options->rules_count, "goes with --rules", "goes with rules"},
		{PAGES, options->http[0] || takes_metrics(options),
		 "goes with --http or --output otlp-metrics:",
		 "goes with http or an output otlp-metrics:"},
		{SERVED, options->http[0], "goes with --http", "goes with http"},
		{METRICS, options->request_metrics || options->tcp_metrics,
		 "goes with --request-metrics or --tcp-metrics",
		 "goes with request-metrics or tcp-metrics"},
		{SERIES,
		 options->request_metrics || options->tcp_metrics || options->counters_count,
		 "goes with --request-metrics, --tcp-metrics or --container-counters",
		 "goes with request-metrics, tcp-metrics or container-counters"},
		{PROCESSES, options->pids_count || options->command,
		 "goes with --pid or with -- COMMAND", "goes with pid"},
	};
	char name[OPTION_TEXT_MAX];

	for (size_t i = 0; i < COUNT(reasons); i++) {
		const struct setting *found =
			reasons[i].there ? NULL : find_about(options, reasons[i].about);
		const struct habit *habit;
		const char *shown;
		bool hint;

		if (!found)
			continue;
		shown = option_setting_name(found, name);
		habit = found->key ? NULL : habit_find(shown, NULL, true);
		hint = habit && habit->does == HABIT_HINT;
		reject(check, found, "%s %s%s%s", shown,
		       found->key ? reasons[i].why_key : reasons[i].why, hint ? "; " : "",
		       hint ? habit->text : "");
	}
}

/* The first file would be ignored silently. */
static void check_read(struct check *check)
{
	const struct settings *settings = &check->options->settings;
	const struct setting *first, *second;
	unsigned int place;

	option_find("read", &place);
	first = settings_get(settings, place, 0);
	second = settings_get(settings, place, 1);
	if (second)
		reject(check, second, "-r %s and -r %s: one file at a time", first->value,
		       second->value);
}

static void check_started_command(struct check *check)
{
	const struct options *options = check->options;

	if (options->command && options->read)
		reject(check, NULL,
		       "-- %s: a command cannot be started with -r: events come from "
		       "the file",
		       options->command[0]);
	if (options->command && options->explain)
		reject(check, NULL, "-- %s: --explain starts no command", options->command[0]);
}

/* Rejects the second of two options that exclude each other. */
static void check_one_of(struct check *check, unsigned int about)
{
	const struct settings *settings = &check->options->settings;
	const struct setting *first = find_about(check->options, about);
	char name[OPTION_TEXT_MAX], other[OPTION_TEXT_MAX];

	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->list[i];

		if (!(about_of(setting) & about) || setting->place == first->place)
			continue;
		reject(check, setting, "%s and %s: one of them", option_setting_name(first, name),
		       option_setting_name(setting, other));
		return;
	}
}

/* What is written to standard output leaves no place for lines. */
static void check_write_to_stdout(struct check *check, const struct setting *write)
{
	const struct options *options = check->options;

	if (has_splits(options))
		reject(check, write,
		       "-w -: standard output is one file; -C, -G and -e need a name");
	if (!options->format || !options->format->silent)
		reject(check, write,
		       "-w - takes standard output: nothing can be printed there (-o "
		       "none)");
	if (!options->explain && isatty(STDOUT_FILENO))
		reject(check, write,
		       "-w -: standard output is a terminal; direct it to a file or "
		       "into a pipe");
}

/* What would need all events as they come, or another file at other times. */
static void check_flight_recorder(struct check *check)
{
	const struct options *options = check->options;
	const struct setting *setting;
	unsigned int place;

	option_find("flight-recorder", &place);
	setting = settings_find(&options->settings, place);
	if (has_splits(options))
		reject(check, setting,
		       "--flight-recorder: each time another file is written; not with -C, -G or "
		       "-e");
	if (strcmp(options->write, "-") == 0)
		reject(check, setting, "--flight-recorder: -w needs the name of a file");
	if ((options->rules_count && !options->on_rules_count) || options->outputs_count ||
	    options->request_metrics || options->tcp_metrics)
		reject(check, setting,
		       "--flight-recorder: events are read when they are asked for; not with "
		       "--rules without --on-rule, --output, --request-metrics or --tcp-metrics");
	if (options_have_samples(options))
		reject(check, setting,
		       "--flight-recorder: samples have ring buffers of their own, which keep the "
		       "oldest and not the last ones; not with --sample, --tracepoint or --probe: "
		       "run another agent for these, with -w");
	if (options->takeover)
		reject(check, setting,
		       "--flight-recorder: what it keeps cannot be taken over by another agent");
}

static void check_write(struct check *check)
{
	const struct options *options = check->options;
	unsigned int place;

	if (options_record_flight(options))
		check_flight_recorder(check);
	option_find("on-crash", &place);
	if (options->flight_on_crash && !options_record_flight(options))
		reject(check, settings_find(&options->settings, place),
		       "--on-crash goes with --flight-recorder");
	option_find("on-rule", &place);
	if (options->on_rules_count && !options_record_flight(options))
		reject(check, settings_find(&options->settings, place),
		       "--on-rule goes with --flight-recorder");

	if (options->writer.native && options->writer.form_2022) {
		option_find("native", &place);
		reject(check, settings_find(&options->settings, place),
		       "--native is for Lanner alone, --scap-compat for others: one of them");
	}
	check_one_of(check, COMPRESSES);
	option_find("write", &place);
	if (strcmp(options->write, "-") == 0)
		check_write_to_stdout(check, settings_find(&options->settings, place));
}

/* What an output of its own decides is not for all of them. */
static void check_format_of_outputs(struct check *check)
{
	const char *format = check->options->format->name;
	const struct setting *setting;
	unsigned int place;

	option_find("format", &place);
	setting = settings_find(&check->options->settings, place);
	if (setting && setting->key)
		reject(check, setting,
		       "format is for standard output; with outputs each has its "
		       "own: {to: KIND:TARGET, format: %s}",
		       format);
	else
		reject(check, NULL,
		       "-o %s goes to standard output; with --output each output has "
		       "its format: --output KIND:TARGET,format=%s",
		       format, format);
}

/* Whether two outputs are one, or disturb each other. */
static bool is_twice(const struct output_config *a, const struct output_config *b)
{
	return output_config_equals(a, b) ||
	       (a->kind == b->kind && a->kind->is_alone && strcmp(a->target, b->target) == 0);
}

static void check_outputs(struct check *check)
{
	const struct options *options = check->options;
	unsigned int place;

	option_find("output", &place);
	if (options->outputs_count && options->format)
		check_format_of_outputs(check);
	for (size_t i = 0; i < options->outputs_count; i++)
		for (size_t j = 0; j < i; j++)
			if (is_twice(options->outputs[i], options->outputs[j]))
				reject(check, settings_get(&options->settings, place, i),
				       "--output %s: given twice", options->outputs[i]->text);
}

/* A command is the child of one agent. */
static void check_takeover(struct check *check)
{
	const struct options *options = check->options;
	const struct setting *setting;
	unsigned int place;

	option_find("take-over", &place);
	setting = settings_find(&options->settings, place);
	if (!options->pid_file)
		reject(check, setting,
		       "take-over needs --pid-file: the other agent is found by it");
	if (options->command)
		reject(check, setting,
		       "take-over and a command: its events are of one agent alone");
}

/* A view takes the place of lines and outputs of events. */
static void check_view(struct check *check)
{
	const struct options *options = check->options;
	const struct output_format *format = options->format;
	unsigned int place;

	option_find("format", &place);
	if (format && format != &format_text && format != &format_json && format != &format_csv &&
	    !format->silent)
		reject(check, settings_find(&options->settings, place),
		       "-o %s: a view is printed as text, json or csv", format->name);
	option_find("rules", &place);
	if (options->rules_count)
		reject(check, settings_find(&options->settings, place),
		       "--rules: a view counts events, not matches of rules");
	option_find("output", &place);
	if (options->outputs_count)
		reject(check, settings_find(&options->settings, place),
		       "--output: a view prints its rows on standard output");
	option_find("limit", &place);
	if (options->limits.files && has_splits(options))
		reject(check, settings_find(&options->settings, place),
		       "-W: rows of the view, or files of -w? Without -C, -G and -e it is rows");
	option_find("summary", &place);
	if (options->summary)
		reject(check, settings_find(&options->settings, place),
		       "-S: a view has tables of its own");
}

int options_check_capture(struct options *options, struct yaml_report *report, struct error *err)
{
	struct check check = {.options = options, .report = report, .err = err};
	unsigned int place;

	check.result = options_read_outputs(options, err);
	check_outputs(&check);
	/* Recorded events are not printed, unless an option or a view requests it. */
	if (options->write && !options->view &&
	    (options->on_rules_count ? !options->format && !options->print
				     : !find_about(options, PRINTS)))
		options->format = &format_none;
	if (options->view)
		check_view(&check);
	else if (options->format && !output_format_has_events(options->format)) {
		option_find("format", &place);
		reject(&check, settings_find(&options->settings, place),
		       "-o %s: for lists (agent fields, agent events), not for events",
		       options->format->name);
	}
	check_read(&check);
	check_started_command(&check);
	check_about(&check);
	if (options->write)
		check_write(&check);
	if (options->takeover)
		check_takeover(&check);
	return check.result;
}
