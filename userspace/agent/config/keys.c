/* SPDX-License-Identifier: MIT */
/* The keys of a file: the long names of options, and `include`. */
#include <errno.h>
#include <string.h>

#include "agent/config/reader.h"
#include "util/nearest.h"

static const struct option_row *find_key(const char *text, unsigned int *place)
{
	const struct option_row *row;

	for (*place = 0; (row = option_row(*place)); ++*place)
		if (strcmp(option_key(row), text) == 0)
			break;
	return row;
}

static const char include_key[] = "include";

/* What names the opposite of another option: no-follow, which is "follow: false". */
static const char opposite[] = "no-";

static int reject_unknown(struct config_reader *reader, const struct yaml_node *key)
{
	const struct option_row *row;
	struct nearest nearest;

	nearest_init(&nearest, key->text, key->len);
	nearest_offer(&nearest, include_key);
	for (unsigned int i = 0; (row = option_row(i)); i++)
		if (!row->not_a_key && !row->subcommand)
			nearest_offer(&nearest, option_key(row));
	if (nearest.word)
		return config_reject(reader, key, "there is no key '%.60s'; did you mean '%s'?",
				     key->text, nearest.word);
	return config_reject(reader, key,
			     "there is no key '%.60s'; keys are the long names of options (agent "
			     "--help=all)",
			     key->text);
}

/* Options that are no keys say why. Returns 0, or -EINVAL with an error. */
static int check_is_key(struct config_reader *reader, const struct option_row *row,
			const struct yaml_node *key)
{
	size_t len = sizeof(opposite) - 1;
	unsigned int place;

	if (row->subcommand)
		return config_reject(reader, key, "'%s' is for the command line: it is a command",
				     key->text);
	if (row->not_a_key)
		return config_reject(reader, key, "'%s' is for the command line: %s", key->text,
				     row->not_a_key);
	if (strncmp(key->text, opposite, len) == 0 && option_find(key->text + len, &place))
		return config_reject(reader, key, "'%s' is written '%s: false'", key->text,
				     key->text + len);
	return 0;
}

static int reject_again(struct config_reader *reader, const struct yaml_node *key,
			const struct yaml_node *first)
{
	unsigned int line, column;

	yaml_file_position(first->file, first->start, &line, &column);
	return config_reject(reader, key, "'%s' is there twice: also in line %u", key->text, line);
}

int config_keys_read(struct config_reader *reader, const struct yaml_node *root,
		     const struct yaml_node **include)
{
	const struct yaml_node *seen[OPTIONS_MAX] = {NULL}, *seen_include = NULL;
	int code = 0;

	for (const struct yaml_link *pair = root->first;
	     pair && code != -ENOMEM && !yaml_report_is_full(reader->report); pair = pair->next) {
		const struct yaml_node *key = pair->key, **first;
		bool is_include = strcmp(key->text, include_key) == 0;
		unsigned int place = 0;
		const struct option_row *row = is_include ? NULL : find_key(key->text, &place);

		first = is_include ? &seen_include : &seen[place];
		if (!row && !is_include)
			code = reject_unknown(reader, key);
		else if (*first)
			code = reject_again(reader, key, *first);
		else if (is_include)
			*include = pair->value;
		else if ((code = check_is_key(reader, row, key)) == 0)
			code = config_value_read(reader, place, pair);
		if (row || is_include)
			*first = key;
	}
	return code == -ENOMEM ? code : 0;
}
