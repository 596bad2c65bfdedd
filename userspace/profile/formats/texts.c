/* SPDX-License-Identifier: MIT */
/* A hash table with a secret key, as other users choose the texts. */
#include "profile/formats/texts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { TEXTS_MIN = 256, TABLE_MIN = 1024 };

static const uint32_t place_free = UINT32_MAX;

void texts_finish(struct texts *texts)
{
	free(texts->places);
	free(texts->table);
	buf_finish(&texts->bytes);
	*texts = (struct texts){0};
}

static uint32_t *find_text(const struct texts *texts, const char *text, size_t len)
{
	size_t mask = texts->table_count - 1, i = hash_sip(&texts->key, text, len) & mask;

	for (; texts->table[i] != place_free; i = (i + 1) & mask) {
		const char *other = texts_at(texts, texts->table[i]);

		if (strncmp(other, text, len) == 0 && other[len] == '\0')
			break;
	}
	return &texts->table[i];
}

static int make_table(struct texts *texts, size_t count)
{
	uint32_t *table = malloc(count * sizeof(*table));

	if (!table)
		return -ENOMEM;
	memset(table, 0xff, count * sizeof(*table));
	free(texts->table);
	texts->table = table;
	texts->table_count = count;
	for (size_t i = 0; i < texts->count; i++) {
		const char *text = texts_at(texts, (uint32_t)i);

		*find_text(texts, text, strlen(text)) = (uint32_t)i;
	}
	return 0;
}

int texts_init(struct texts *texts)
{
	*texts = (struct texts){0};
	(void)!getrandom(&texts->key, sizeof(texts->key), GRND_NONBLOCK);
	return make_table(texts, TABLE_MIN);
}

static int reserve_text(struct texts *texts, size_t len)
{
	size_t more = texts->capacity ? 2 * texts->capacity : TEXTS_MIN;
	uint32_t *places;

	if (texts->bytes.len + len >= TEXTS_BYTES_MAX)
		return -E2BIG;
	if (texts->count == texts->capacity) {
		places = reallocarray(texts->places, more, sizeof(*places));
		if (!places)
			return -ENOMEM;
		texts->places = places;
		texts->capacity = more;
	}
	return buf_reserve(&texts->bytes, len + 1) ? 0 : -ENOMEM;
}

int texts_add(struct texts *texts, const char *text, size_t len, uint32_t *number)
{
	uint32_t *place;
	int r;

	if (2 * texts->count >= texts->table_count &&
	    make_table(texts, 2 * texts->table_count) != 0)
		return -ENOMEM;
	place = find_text(texts, text, len);
	if (*place == place_free) {
		r = reserve_text(texts, len);
		if (r)
			return r;
		texts->places[texts->count] = (uint32_t)texts->bytes.len;
		buf_append(&texts->bytes, text, len);
		buf_append_char(&texts->bytes, '\0');
		*place = (uint32_t)texts->count++;
	}
	*number = *place;
	return 0;
}
