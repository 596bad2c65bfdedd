/* SPDX-License-Identifier: MIT */
/* Values of settings: checked, joined from files and command line, stored in the options. */
#include "agent/options/apply.h"

#include <errno.h>
#include <stdio.h>

const char *setting_name(const struct setting *setting, char memory[static OPTION_TEXT_MAX])
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

/* Reports a value that `set` rejected. */
static int reject_value(const struct option_row *row, const char *name, const char *shown,
			struct error *err)
{
	if (row->words)
		return words_reject(name, row->words, shown, err);
	return error_set(err, -EINVAL, "%s: expected %s, not '%s'", name, row->accepts, shown);
}

int option_check_value(const struct option_row *row, const char *value, const char *name,
		       const char *shown, struct error *err)
{
	struct options scratch = {0};
	int result = row->set ? row->set(&scratch, value) : 0;

	options_finish(&scratch);
	if (result == -EINVAL)
		return reject_value(row, name, shown, err);
	return result ? error_set(err, result, "out of memory") : 0;
}

/* Whether another setting takes the place of that with index `i`, which a file has. */
static bool is_replaced(const struct settings *settings, size_t i)
{
	const struct setting *setting = &settings->list[i];
	bool is_list = option_row(setting->place)->list != LIST_NONE;

	for (i++; i < settings->count; i++) {
		const struct setting *later = &settings->list[i];

		if (later->place == setting->place && (later->given != GIVEN_KEY || !is_list))
			return true;
	}
	return false;
}

int settings_join(struct settings *files, const struct settings *command_line)
{
	size_t kept = 0;

	for (size_t i = 0; i < command_line->count; i++)
		if (settings_add(files, &command_line->list[i]))
			return -ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		const struct setting *setting = &files->list[i];

		if (setting->off || (setting->given == GIVEN_KEY && is_replaced(files, i)))
			continue;
		files->list[kept++] = *setting;
	}
	files->count = kept;
	return 0;
}

int settings_apply(const struct settings *settings, struct options *options, struct error *err)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->list[i];
		const struct option_row *row = option_row(setting->place);
		char name[OPTION_TEXT_MAX];
		int result = row->set ? row->set(options, setting->value) : 0;

		if (result == -EINVAL)
			return reject_value(row, setting_name(setting, name), setting->value, err);
		if (result)
			return error_set(err, result, "out of memory");
		if (row->subcommand)
			options->subcommand =
				subcommand_find(options->subcommands, row->subcommand);
	}
	return 0;
}
