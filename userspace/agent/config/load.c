/* SPDX-License-Identifier: MIT */
/* Loads the configuration file, at the start and again while the agent runs. */
#include "agent/config/load.h"

#include <errno.h>

#include "agent/config/read.h"
#include "agent/options/command_line.h"

/* Reads the command line, then the files, and makes options of both. */

/* The file that the command line names, or NULL. */
static const char *config_path(const struct command_line *line)
{
	const struct setting *setting;
	unsigned int place;

	option_find("config", &place);
	setting = settings_find(&line->settings, place);
	return setting ? setting->value : NULL;
}

/* Errors in files do not keep those of the command line from being found. */
static int config_load_whole(struct command_line *line, struct yaml_report *report,
			     struct options *options, struct error *err)
{
	struct settings files = {0};
	const char *path = config_path(line);
	int r = path ? config_read(path, &files, report) : 0;

	if (r == 0 || r == -EINVAL) {
		int result = options_parse(line, &files, report, options, err);

		r = result ? result : r;
	}
	settings_finish(&files);
	if (r && err && !err->text[0])
		error_set(err, r,
			  r == -EINVAL ? "%s: the configuration has errors" : "%s: out of memory",
			  path);
	return r;
}

int config_load_report(int argc, char **argv, const struct agent_subcommand *subcommands,
		       struct options *options, struct yaml_report *report, struct error *err)
{
	struct command_line line;
	int r;

	*options = (struct options){
		.subcommands = subcommands,
		.subcommand = agent_subcommand_of_own_options(subcommands, argc, argv),
		.argc = argc,
		.argv = argv,
	};
	if (options->subcommand)
		return 0;
	r = command_line_read(&line, argc, argv, subcommands, err);
	if (r == 0)
		r = config_load_whole(&line, report, options, err);
	options->argc = argc;
	options->argv = argv;
	command_line_finish(&line);
	return r;
}

int config_load(int argc, char **argv, const struct agent_subcommand *subcommands,
		struct options *options, struct buf *messages, struct error *err)
{
	struct yaml_report report = {0};
	int r = config_load_report(argc, argv, subcommands, options, &report, err);

	yaml_report_render(&report, YAML_WARNING, messages);
	yaml_report_finish(&report);
	return r;
}

/* Options of a reload: new values where a running agent can take them, the old ones elsewhere. */

static void append_differing(const struct options *running, const struct options *fresh,
			     struct buf *restart)
{
	const struct option_row *row;

	for (unsigned int i = 0; (row = option_row(i)); i++) {
		if (row->reloads || settings_are_same(&running->settings, &fresh->settings, i))
			continue;
		buf_printf(restart, "%s%s", restart->len ? ", " : "", option_key(row));
	}
}

/* Adds the settings that a reload changes, or the others, in their order. */
static int add_settings(struct settings *kept, const struct settings *from, bool reloads)
{
	for (size_t i = 0; i < from->count; i++)
		if (option_row(from->list[i].place)->reloads == reloads &&
		    settings_add(kept, &from->list[i]))
			return -ENOMEM;
	return 0;
}

/* The files that settings came from are read no more. */
static void forget_origins(struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		settings->list[i].given = GIVEN_NAME;
		settings->list[i].key = settings->list[i].node = NULL;
	}
}

/* Options of settings of both that fit together, though each does by itself. */
static int load_join(const struct options *running, const struct options *fresh,
		     struct options *renewed, struct buf *messages, struct error *err)
{
	const struct agent_subcommand *command = running->subcommand;
	char *words[] = {command ? (char *)command->name : NULL, NULL};
	struct command_line line = {
		.subcommands = running->subcommands, .words = words, .behind = running->command};
	struct yaml_report report = {0};
	struct settings kept = {0};
	int r = add_settings(&kept, &running->settings, false);

	if (r == 0)
		r = add_settings(&kept, &fresh->settings, true);
	if (r)
		error_set(err, r, "out of memory");
	else
		r = options_parse(&line, &kept, &report, renewed, err);
	forget_origins(&renewed->settings);
	settings_finish(&kept);
	yaml_report_render(&report, YAML_WARNING, messages);
	yaml_report_finish(&report);
	if (r && err && !err->text[0])
		error_set(err, r, "this needs a restart");
	return r;
}

int config_renew(const struct options *running, struct options *renewed, struct buf *messages,
		 struct buf *restart, struct error *err)
{
	struct options fresh;
	int r;

	*renewed = (struct options){.subcommands = running->subcommands};
	/* What is counted has the fields and the filter of the view. */
	if (running->view)
		return error_set(err, -EINVAL, "a view is not read again: this needs a restart");
	r = config_load(running->argc, running->argv, running->subcommands, &fresh, messages, err);
	if (r == 0) {
		append_differing(running, &fresh, restart);
		r = load_join(running, &fresh, renewed, messages, err);
	}
	options_finish(&fresh);
	return r;
}
