/* SPDX-License-Identifier: MIT */
/* Subcommands by name, and words that are probably mistyped ones. */
#include "agent/options/subcommand.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/buf.h"
#include "util/nearest.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz"

const struct subcommand *subcommand_find(const struct subcommand *subcommands, const char *name)
{
	for (; subcommands->name; subcommands++)
		if (strcmp(subcommands->name, name) == 0)
			return subcommands;
	return NULL;
}

static bool is_bare_word(const char *word)
{
	return word[0] && word[strspn(word, LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_")] == '\0';
}

static void append_names(const struct subcommand *subcommands, struct buf *out)
{
	for (const struct subcommand *command = subcommands; command->name; command++)
		buf_printf(out, "%s%s", command == subcommands ? "" : ", ", command->name);
}

int subcommand_check_mistyped(const struct subcommand *subcommands, char **words, struct error *err)
{
	struct nearest nearest;
	struct buf names = {0};

	if (!is_bare_word(words[0]))
		return 0;
	nearest_init(&nearest, words[0], strlen(words[0]));
	for (const struct subcommand *command = subcommands; command->name; command++)
		nearest_offer(&nearest, command->name);
	if (nearest.word)
		return error_set(err, -EINVAL,
				 "'%s' is no command and no filter; did you mean "
				 "'agent %s'?",
				 words[0], nearest.word);
	if (words[1])
		return 0;
	append_names(subcommands, &names);
	buf_append_char(&names, '\0');
	error_set(err, -EINVAL,
		  "'%s' is no command and no filter (commands: %s; a filter is like "
		  "proc.name=cat)",
		  words[0], names.failed ? "" : names.data);
	buf_finish(&names);
	return -EINVAL;
}
