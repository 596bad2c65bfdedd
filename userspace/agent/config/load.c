/* SPDX-License-Identifier: MIT */
/* Reads the command line, then the files, and makes options of both. */
#include "agent/config/load.h"

#include <errno.h>

#include "agent/config/read.h"
#include "agent/options/parse.h"

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
static int load(struct command_line *line, struct yaml_report *report, struct options *options,
		struct error *err)
{
	struct settings files = {0};
	const char *path = config_path(line);
	int code = path ? config_read(path, &files, report) : 0;

	if (code == 0 || code == -EINVAL) {
		int result = options_parse(line, &files, report, options, err);

		code = result ? result : code;
	}
	settings_finish(&files);
	if (code && err && !err->text[0])
		error_set(err, code,
			  code == -EINVAL ? "%s: the configuration has errors"
					  : "%s: out of memory",
			  path);
	return code;
}

int config_load_report(int argc, char **argv, const struct subcommand *subcommands,
		       struct options *options, struct yaml_report *report, struct error *err)
{
	struct command_line line;
	int code = command_line_read(&line, argc, argv, subcommands, err);

	*options = (struct options){.subcommands = subcommands};
	if (code == 0)
		code = load(&line, report, options, err);
	options->argc = argc;
	options->argv = argv;
	command_line_finish(&line);
	return code;
}

int config_load(int argc, char **argv, const struct subcommand *subcommands,
		struct options *options, struct buf *messages, struct error *err)
{
	struct yaml_report report = {0};
	int code = config_load_report(argc, argv, subcommands, options, &report, err);

	yaml_report_render(&report, YAML_WARNING, messages);
	yaml_report_finish(&report);
	return code;
}
