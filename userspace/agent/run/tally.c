/* SPDX-License-Identifier: MIT */
/*
 * A hash table with open addressing. Names are untrusted: whatever they are, an event examines at
 * most PROBES_MAX rows.
 */
#include "agent/run/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum { PROBES_MAX = 32 };

int tally_init(struct tally *tally, size_t size)
{
	*tally = (struct tally){.rows = calloc(size, sizeof(tally->rows[0])), .size = size};
	return tally->rows ? 0 : -ENOMEM;
}

void tally_finish(struct tally *tally)
{
	free(tally->rows);
	*tally = (struct tally){0};
}

static void set_name(struct tally_row *row, const char *name, size_t len)
{
	row->len = (uint16_t)(len < TALLY_NAME_BYTES ? len : TALLY_NAME_BYTES);
	memcpy(row->name, name, row->len);
}

static bool has_name(const struct tally_row *row, const char *name, size_t len)
{
	size_t kept = len < TALLY_NAME_BYTES ? len : TALLY_NAME_BYTES;

	return row->len == kept && memcmp(row->name, name, kept) == 0;
}

/*
 * The row of a key, or a free one for it; NULL: none within reach. name: NULL if it is no part of
 * the key.
 */
static struct tally_row *find(const struct tally *tally, uint32_t hash, int64_t number,
			      const char *name, size_t len)
{
	for (size_t i = 0; i < PROBES_MAX; i++) {
		struct tally_row *row = &tally->rows[(hash + i) & (tally->size - 1)];

		if (row->count.events == 0)
			return row;
		if (row->hash == hash && row->number == number &&
		    (!name || has_name(row, name, len)))
			return row;
	}
	return NULL;
}

static void count(struct tally *tally, struct tally_row *row, uint32_t hash, int64_t number,
		  bool failed)
{
	if (row->count.events == 0)
		tally->used++;
	row->hash = hash;
	row->number = number;
	tally_add(&row->count, failed);
}

void tally_count_number(struct tally *tally, int64_t number, const char *name, size_t len,
			bool failed)
{
	uint32_t hash = hash_bytes(&number, sizeof(number));
	struct tally_row *row = find(tally, hash, number, NULL, 0);

	if (!row) {
		tally_add(&tally->rest, failed);
		return;
	}
	count(tally, row, hash, number, failed);
	set_name(row, name, len);
}

void tally_count_name(struct tally *tally, int64_t number, const char *name, size_t len,
		      bool failed)
{
	uint32_t hash = hash_bytes(name, len) ^ (uint32_t)number;
	struct tally_row *row = find(tally, hash, number, name, len);

	if (!row) {
		tally_add(&tally->rest, failed);
		return;
	}
	if (row->count.events == 0)
		set_name(row, name, len);
	count(tally, row, hash, number, failed);
}
