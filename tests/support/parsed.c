/* SPDX-License-Identifier: MIT */
#include "parsed.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/config/load.h"

enum { ARGS_MAX = 24 };

int parse_line(const char *line, struct options *options, struct error *err)
{
	static char text[1024], *argv[ARGS_MAX];
	struct buf messages = {0};
	int argc = 0, code;

	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	argv[argc++] = "agent";
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_true(argc < ARGS_MAX);
	argv[argc] = NULL;
	code = config_load(argc, argv, subcommands, options, &messages, err);
	if (messages.len)
		fail_msg("%.*s", (int)messages.len, messages.data);
	return code;
}

void parse_right(const char *line, struct options *options)
{
	struct error err = {""};

	if (parse_line(line, options, &err))
		fail_msg("'%s' is rejected: %s", line, err.text);
}

void expect_rejected(const char *line, const char *message)
{
	struct options options;
	struct error err = {""};
	int code = parse_line(line, &options, &err);

	if (message)
		assert_string_equal(err.text, message);
	if (code != -EINVAL || !err.text[0])
		fail_msg("'%s': %d, %s", line, code, err.text);
	options_finish(&options);
}
