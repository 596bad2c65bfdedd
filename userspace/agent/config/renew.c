/* SPDX-License-Identifier: MIT */
/* Options of a reload: new values where a running agent can take them, the old ones elsewhere. */
#include "agent/config/renew.h"

#include <errno.h>

#include "agent/config/load.h"
#include "agent/options/parse.h"

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
static int join(const struct options *running, const struct options *fresh, struct options *renewed,
		struct buf *messages, struct error *err)
{
	char *no_words[] = {NULL};
	struct command_line line = {
		.subcommands = running->subcommands, .words = no_words, .behind = running->command};
	struct yaml_report report = {0};
	struct settings kept = {0};
	int code = add_settings(&kept, &running->settings, false);

	if (code == 0)
		code = add_settings(&kept, &fresh->settings, true);
	if (code)
		error_set(err, code, "out of memory");
	else
		code = options_parse(&line, &kept, &report, renewed, err);
	forget_origins(&renewed->settings);
	settings_finish(&kept);
	yaml_report_render(&report, YAML_WARNING, messages);
	yaml_report_finish(&report);
	if (code && err && !err->text[0])
		error_set(err, code, "this needs a restart");
	return code;
}

int config_renew(const struct options *running, struct options *renewed, struct buf *messages,
		 struct buf *restart, struct error *err)
{
	struct options fresh;
	int code = config_load(running->argc, running->argv, running->subcommands, &fresh, messages,
			       err);

	*renewed = (struct options){.subcommands = running->subcommands};
	if (code == 0) {
		append_differing(running, &fresh, restart);
		code = join(running, &fresh, renewed, messages, err);
	}
	options_finish(&fresh);
	return code;
}
