/* SPDX-License-Identifier: MIT */
/* Lists of settings, and the memory of their values. */
#include "agent/options/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void settings_finish(struct settings *settings)
{
	for (size_t i = 0; i < settings->files_count; i++) {
		yaml_file_finish(settings->files[i]);
		free(settings->files[i]);
	}
	free(settings->files);
	free(settings->list);
	arena_finish(&settings->memory);
	*settings = (struct settings){0};
}

int settings_add(struct settings *settings, const struct setting *setting)
{
	struct setting *list = realloc(settings->list, (settings->count + 1) * sizeof(*list));
	struct setting added = *setting;

	if (!list)
		return -ENOMEM;
	settings->list = list;
	if (added.value)
		added.value = arena_text(&settings->memory, added.value, strlen(added.value));
	if (setting->value && !added.value)
		return -ENOMEM;
	list[settings->count++] = added;
	return 0;
}

struct yaml_file *settings_add_file(struct settings *settings)
{
	struct yaml_file **files =
		realloc(settings->files, (settings->files_count + 1) * sizeof(*files));

	if (!files)
		return NULL;
	settings->files = files;
	files[settings->files_count] = calloc(1, sizeof(**files));
	if (!files[settings->files_count])
		return NULL;
	return files[settings->files_count++];
}

const struct setting *settings_find(const struct settings *settings, unsigned int place)
{
	for (size_t i = settings->count; i-- > 0;)
		if (settings->list[i].place == place)
			return &settings->list[i];
	return NULL;
}

/* The next setting of an option from index `i` on, or NULL; `i` is then behind it. */
static const struct setting *next_of(const struct settings *settings, unsigned int place, size_t *i)
{
	while (*i < settings->count) {
		const struct setting *setting = &settings->list[(*i)++];

		if (setting->place == place)
			return setting;
	}
	return NULL;
}

const struct setting *settings_get(const struct settings *settings, unsigned int place, size_t n)
{
	const struct setting *setting;
	size_t i = 0;

	do
		setting = next_of(settings, place, &i);
	while (setting && n-- > 0);
	return setting;
}

static bool is_same_value(const struct setting *a, const struct setting *b)
{
	if (!a->value || !b->value)
		return a->value == b->value;
	return strcmp(a->value, b->value) == 0;
}

bool settings_are_same(const struct settings *a, const struct settings *b, unsigned int place)
{
	const struct setting *of_a, *of_b;
	size_t i = 0, j = 0;

	do {
		of_a = next_of(a, place, &i);
		of_b = next_of(b, place, &j);
	} while (of_a && of_b && is_same_value(of_a, of_b));
	return !of_a && !of_b;
}
