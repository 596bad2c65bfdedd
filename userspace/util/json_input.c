/* SPDX-License-Identifier: MIT */
/* Counts values and depth before the parser sees the text. */
#include "util/json_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* At least the count of values: characters that stand between them. */
static size_t json_input_count_values(const char *text, size_t len)
{
	bool in_text = false;
	size_t count = 1;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			in_text = !in_text;
		else if (in_text)
			i += text[i] == '\\';
		else
			count += text[i] == ',' || text[i] == ':' || text[i] == '[' ||
				 text[i] == '{';
	}
	return count;
}

/* Of a parser's message, which ends in what it found: "... near 'words'". */
static size_t text_len_without_words(const char *message)
{
	const char *near = strstr(message, " near ");

	return near ? (size_t)(near - message) : strlen(message);
}

int json_input_parse(const char *text, size_t len, size_t values_max, const char *what,
		     json_t **value, struct error *err)
{
	json_error_t wrong;

	if (json_input_count_values(text, len) > values_max)
		return error_set(err, -EBADMSG, "%s: more than %zu JSON values", what, values_max);
	*value = json_loadb(text, len, JSON_ALLOW_NUL, &wrong);
	if (*value)
		return 0;
	/* Without the words that stand there: the file may be none that others may read. */
	return error_set(err, -EBADMSG, "%s: line %d: %.*s", what, wrong.line,
			 (int)text_len_without_words(wrong.text), wrong.text);
}

json_t *json_input_object(const char *text)
{
	json_t *value;

	if (!text || json_input_parse(text, strlen(text), JSON_INPUT_VALUES_MAX, "", &value, NULL))
		return NULL;
	if (json_is_object(value))
		return value;
	json_decref(value);
	return NULL;
}

const json_t *json_input_get(const json_t *object, const char *const *path)
{
	while (object && *path)
		object = json_object_get(object, *path++);
	return object;
}

/*
 * A scanner that copies JSON byte by byte and leaves out what is too large, without building a
 * tree.
 */

struct json_thin *json_thin_create(unsigned int free_levels, size_t max)
{
	struct json_thin *thin = calloc(1, sizeof(*thin));

	if (thin) {
		thin->max = max;
		thin->free_levels = free_levels;
	}
	return thin;
}

void json_thin_destroy(struct json_thin *thin)
{
	if (thin)
		buf_finish(&thin->out);
	free(thin);
}

static struct json_thin_level *last_level(struct json_thin *thin)
{
	return thin->depth ? &thin->levels[thin->depth - 1] : NULL;
}

static void json_thin_put(struct json_thin *thin, char c)
{
	if (!thin->skips)
		buf_append_char(&thin->out, c);
}

/* Leaves out the item that has begun. */
static void json_thin_skip(struct json_thin *thin)
{
	struct json_thin_level *level = last_level(thin);

	if (thin->skips || !level)
		return;
	thin->out.len = level->item;
	thin->left_out++;
	thin->skips = true;
	thin->skipped = 0;
}

static void end_item(struct json_thin *thin)
{
	struct json_thin_level *level = last_level(thin);

	if (!thin->skips && level && thin->depth > thin->free_levels &&
	    (thin->out.len - level->begin > JSON_THIN_LIST_BYTES ||
	     level->items >= JSON_THIN_ITEMS))
		json_thin_skip(thin);
	if (!thin->skips && level)
		level->items++;
	thin->skips = false;
}

static void take_comma(struct json_thin *thin)
{
	struct json_thin_level *level = last_level(thin);

	if (thin->skipped)
		return;
	end_item(thin);
	if (level)
		level->item = thin->out.len;
	/* Those before it may have been left out. */
	if (!level || thin->out.len > level->begin)
		json_thin_put(thin, ',');
}

static void take_begin(struct json_thin *thin, char c)
{
	if (thin->depth == JSON_THIN_LEVELS)
		json_thin_skip(thin);
	if (thin->skips) {
		thin->skipped++;
		return;
	}
	json_thin_put(thin, c);
	thin->levels[thin->depth++] =
		(struct json_thin_level){.begin = thin->out.len, .item = thin->out.len};
}

static void json_thin_take_end(struct json_thin *thin, char c)
{
	if (thin->skipped) {
		thin->skipped--;
		return;
	}
	end_item(thin);
	thin->depth -= thin->depth > 0;
	json_thin_put(thin, c);
}

/* Blanks are needed only where they end a number or a word. */
static bool is_needless(const struct json_thin *thin, char c)
{
	static const char before[] = ",:[]{}\" ";

	return strchr(" \t\r\n", c) &&
	       (thin->out.len == 0 || strchr(before, thin->out.data[thin->out.len - 1]));
}

static void take_outside(struct json_thin *thin, char c)
{
	switch (c) {
	case '"':
		thin->in_text = true;
		thin->key_has_nul = false;
		thin->text_bytes = 0;
		json_thin_put(thin, c);
		break;
	case ':':
		if (thin->key_has_nul)
			json_thin_skip(thin);
		json_thin_put(thin, c);
		break;
	case ',':
		take_comma(thin);
		break;
	case '{':
	case '[':
		take_begin(thin, c);
		break;
	case '}':
	case ']':
		json_thin_take_end(thin, c);
		break;
	default:
		if (c == '\0' || !is_needless(thin, c))
			json_thin_put(thin, c);
	}
}

static void take_in_text(struct json_thin *thin, char c)
{
	static const char nul[] = "\\u0000";

	if (c == '\\' && !thin->escaped)
		thin->nul = 1;
	else
		thin->nul = thin->nul && c == nul[thin->nul] ? thin->nul + 1 : 0;
	if (thin->nul == sizeof(nul) - 1) {
		thin->key_has_nul = true;
		thin->nul = 0;
	}
	if (c == '"' && !thin->escaped)
		thin->in_text = false;
	thin->escaped = c == '\\' && !thin->escaped;
	json_thin_put(thin, c);
	if (++thin->text_bytes > JSON_THIN_TEXT_BYTES)
		json_thin_skip(thin);
}

int json_thin_add(struct json_thin *thin, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (thin->in_text)
			take_in_text(thin, bytes[i]);
		else
			take_outside(thin, bytes[i]);
		if (thin->out.len > thin->max)
			return -EFBIG;
	}
	return thin->out.failed ? -ENOMEM : 0;
}
