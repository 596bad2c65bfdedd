/* SPDX-License-Identifier: MIT */
/* One reader for each type of value. */
#include "output/key.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/buf.h"
#include "util/count.h"
#include "util/value.h"

typedef int read_value(const struct output_key *key, const char *text, void *member);

static int key_read_text(const struct output_key *key, const char *text, void *member)
{
	char **owned = member, *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*owned);
	*owned = copy;
	return 0;
}

static int key_read_list(const struct output_key *key, const char *text, void *member)
{
	struct output_list *list = member;
	char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	list->items = items;
	items[list->count] = strdup(text);
	if (!items[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

static int read_bytes(const struct output_key *key, const char *text, void *member)
{
	return value_read_bytes(text, UINT32_MAX, member);
}

static int key_read_count(const struct output_key *key, const char *text, void *member)
{
	return value_read_u64(text, member);
}

static int key_read_time(const struct output_key *key, const char *text, void *member)
{
	return value_read_time(text, member);
}

static int key_read_flag(const struct output_key *key, const char *text, void *member)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (size_t i = 0; i < COUNT(words); i++) {
		if (strcmp(text, words[i]))
			continue;
		*(bool *)member = i % 2;
		return 0;
	}
	return -EINVAL;
}

static int read_word(const struct output_key *key, const char *text, void *member)
{
	for (unsigned int i = 0; key->words[i]; i++) {
		if (strcmp(text, key->words[i]))
			continue;
		*(unsigned int *)member = i;
		return 0;
	}
	return -EINVAL;
}

static const struct {
	read_value *read;
	const char *expected;
} types[] = {
	[OUTPUT_TEXT] = {key_read_text, NULL},
	[OUTPUT_FILE] = {key_read_text, NULL},
	[OUTPUT_FILE_WRITTEN] = {key_read_text, NULL},
	[OUTPUT_LIST] = {key_read_list, NULL},
	[OUTPUT_BYTES] = {read_bytes, "a number of bytes such as 64K, 8M or 1G"},
	[OUTPUT_COUNT] = {key_read_count, "a number"},
	[OUTPUT_TIME] = {key_read_time, "a time such as 5, 250ms, 10m or 24h"},
	[OUTPUT_FLAG] = {key_read_flag, "yes or no"},
	[OUTPUT_WORD] = {read_word, NULL},
};

const struct output_key *output_key_find(const struct output_key *keys, const char *name)
{
	for (; keys && keys->name; keys++)
		if (strcmp(keys->name, name) == 0)
			return keys;
	return NULL;
}

static int key_reject(const struct output_key *key, const char *value, struct error *err)
{
	const char *shown = key->secret ? "the value" : value;
	struct buf words = {0};
	int r;

	if (key->value != OUTPUT_WORD)
		return error_set(err, -EINVAL, "%s: '%s' is not %s", key->name, shown,
				 types[key->value].expected);
	for (size_t i = 0; key->words[i]; i++)
		buf_printf(&words, "%s%s", i ? (key->words[i + 1] ? ", " : " or ") : "",
			   key->words[i]);
	r = error_set(err, -EINVAL, "%s: '%s' is not %.*s", key->name, shown, (int)words.len,
		      words.data ? words.data : "");
	buf_finish(&words);
	return r;
}

int output_key_set(const struct output_key *key, const char *value, void *base, struct error *err)
{
	int r = types[key->value].read(key, value, (char *)base + key->offset);

	if (r == -EINVAL)
		return key_reject(key, value, err);
	return r ? error_set(err, r, "out of memory") : 0;
}

int output_keys_init(const struct output_key *keys, void *base)
{
	int r = 0;

	for (; keys && keys->name && r == 0; keys++)
		if (keys->fallback)
			r = output_key_set(keys, keys->fallback, base, NULL);
	return r;
}

void output_keys_finish(const struct output_key *keys, void *base)
{
	for (; keys && keys->name; keys++) {
		void *member = (char *)base + keys->offset;
		struct output_list *list = member;

		if (output_key_is_text(keys))
			free(*(char **)member);
		if (keys->value != OUTPUT_LIST)
			continue;
		for (size_t i = 0; i < list->count; i++)
			free(list->items[i]);
		free(list->items);
	}
}
