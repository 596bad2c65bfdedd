/* SPDX-License-Identifier: MIT */
/*
 * Hides the environment in a description that others made, without changing its length. The text is
 * not parsed as a whole: also what no reader would take must not be copied.
 */
#include <string.h>

#include "sinsp/state/container_json.h"

struct span {
	char *at, *end;
};

static void skip_blanks(struct span *text)
{
	while (text->at < text->end && strchr(" \t\r\n", *text->at) && *text->at)
		text->at++;
}

static bool take(struct span *text, char wanted)
{
	skip_blanks(text);
	if (text->at == text->end || *text->at != wanted)
		return false;
	text->at++;
	return true;
}

/* Skips a string, whose opening quote was taken, with its closing one. Returns what is between. */
static struct span take_string(struct span *text)
{
	struct span string = {text->at, text->end};

	for (; text->at < text->end && *text->at != '"'; text->at++)
		if (*text->at == '\\' && text->at + 1 < text->end)
			text->at++;
	string.end = text->at;
	if (text->at < text->end)
		text->at++;
	return string;
}

/* A key with an escape could be any. */
static bool may_be_env(struct span key)
{
	size_t len = (size_t)(key.end - key.at);

	return (len == 3 && memcmp(key.at, "env", 3) == 0) || memchr(key.at, '\\', len);
}

/* Skips the rest of an array whose opening bracket was taken, up to its closing one. */
static void skip_items(struct span *text)
{
	unsigned int depth = 1;

	while (text->at < text->end) {
		char c = *text->at;

		depth += c == '[';
		if (c == ']' && --depth == 0)
			return;
		text->at++;
		if (c == '"')
			take_string(text);
	}
}

void sinsp_container_json_hide_env(char *text, size_t len)
{
	struct span rest = {text, text + len};

	while (rest.at < rest.end) {
		struct span key;
		char *items;

		if (*rest.at++ != '"')
			continue;
		key = take_string(&rest);
		/* Labels of that name are texts. */
		if (!take(&rest, ':') || !may_be_env(key) || !take(&rest, '['))
			continue;
		items = rest.at;
		skip_items(&rest);
		memset(items, ' ', (size_t)(rest.at - items));
	}
}
