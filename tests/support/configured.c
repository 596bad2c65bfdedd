/* SPDX-License-Identifier: MIT */
#include "configured.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/commands/subcommands.h"
#include "agent/config/load.h"

void configured_create(struct configured *configured)
{
	*configured = (struct configured){0};
	tree_create(&configured->tree);
}

static void release(struct configured *configured)
{
	options_finish(&configured->options);
	buf_finish(&configured->messages);
	configured->err = (struct error){""};
}

void configured_destroy(struct configured *configured)
{
	release(configured);
	tree_destroy(&configured->tree);
}

/* Keeps the first line of each message, without the path of the tree. */
static void strip(struct configured *configured, const struct buf *messages)
{
	size_t root = strlen(configured->tree.path) + 1;
	struct buf *out = &configured->messages;

	for (size_t i = 0; i < messages->len;) {
		const char *line = messages->data + i, *end = strchr(line, '\n');

		if (strncmp(line, configured->tree.path, root - 1) == 0)
			buf_append(out, line + root, (size_t)(end + 1 - line) - root);
		i = (size_t)(end + 1 - messages->data);
	}
	buf_append_char(out, '\0');
}

void configured_load(struct configured *configured, const char *text, const char *words)
{
	char **argv = configured->argv;
	struct buf messages = {0};
	int argc = 0;

	release(configured);
	tree_write(&configured->tree, "agent.yaml", text);
	tree_path(&configured->tree, "agent.yaml", configured->path);
	argv[argc++] = "agent";
	argv[argc++] = "-c";
	argv[argc++] = configured->path;
	snprintf(configured->words, sizeof(configured->words), "%s", words ? words : "");
	for (char *word = strtok(configured->words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_true(argc < CONFIGURED_WORDS_MAX);
	argv[argc] = NULL;
	configured->code = config_load(argc, argv, subcommands, &configured->options, &messages,
				       &configured->err);
	buf_append_char(&messages, '\0');
	messages.len--;
	strip(configured, &messages);
	buf_finish(&messages);
}

void configured_right(struct configured *configured, const char *text, const char *words)
{
	configured_load(configured, text, words);
	if (configured->code)
		fail_msg("%s: %s\n%s", text, configured->err.text, configured->messages.data);
}

void configured_rejected(struct configured *configured, const char *text, const char *messages)
{
	configured_load(configured, text, NULL);
	assert_string_equal(configured->messages.data, messages);
	assert_int_equal(configured->code, -EINVAL);
	assert_non_null(strstr(configured->err.text, "the configuration has errors"));
}
