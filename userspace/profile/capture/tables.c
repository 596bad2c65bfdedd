/* SPDX-License-Identifier: MIT */
/* Rows are written before the page that has them, which an update of its map makes known. */
#include "profile/capture/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

enum {
	ROWS_MAX = PROFILE_CHUNKS * PROFILE_CHUNK_ROWS,
	PLACES = 2 * PROFILE_RULES,
	RULES_BYTES = PROFILE_RULES * sizeof(struct profile_rule),
	CHUNKS_BYTES = PROFILE_CHUNKS * sizeof(struct profile_chunk),
};

int tables_open(struct tables *tables, int chunks_map, int rules_map, int pages_map)
{
	*tables = (struct tables){.pages_map = pages_map, .rules_count = 1};
	tables->chunks =
		mmap(NULL, CHUNKS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, chunks_map, 0);
	tables->rules = mmap(NULL, RULES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, rules_map, 0);
	tables->places = calloc(PLACES, sizeof(*tables->places));
	if (tables->chunks != MAP_FAILED && tables->rules != MAP_FAILED && tables->places) {
		/* That of no row. */
		tables->rules[0] = (struct profile_rule){.is_fixed = PROFILE_RULE_BAD};
		return 0;
	}
	tables_close(tables);
	return -ENOMEM;
}

void tables_close(struct tables *tables)
{
	if (tables->chunks && tables->chunks != MAP_FAILED)
		munmap(tables->chunks, CHUNKS_BYTES);
	if (tables->rules && tables->rules != MAP_FAILED)
		munmap(tables->rules, RULES_BYTES);
	free(tables->places);
	*tables = (struct tables){0};
}

static uint32_t rule_place(const struct profile_rule *rule)
{
	uint64_t words[2];

	memcpy(words, rule, sizeof(words));
	words[0] = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
	return (uint32_t)(words[0] >> 32) % PLACES;
}

/* The index of a rule, which is added if it is new. Returns 0 if there is no room. */
static uint32_t rule_index(struct tables *tables, const struct profile_rule *rule)
{
	uint32_t place = rule_place(rule);

	for (; tables->places[place]; place = (place + 1) % PLACES)
		if (memcmp(&tables->rules[tables->places[place]], rule, sizeof(*rule)) == 0)
			return tables->places[place];
	if (tables->rules_count == PROFILE_RULES)
		return 0;
	tables->rules[tables->rules_count] = *rule;
	tables->places[place] = tables->rules_count;
	return tables->rules_count++;
}

/* Returns whether there was room; what was written is not used then. */
static bool write_rows(struct tables *tables, const struct unwind_rows *rows,
		       struct tables_share *share)
{
	uint32_t rules_before = tables->rules_count;

	if (rows->count > ROWS_MAX - tables->rows_count ||
	    rows->count > TABLES_ROWS_OF_FILE - share->rows)
		return false;
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t at = tables->rows_count + (uint32_t)i;
		uint32_t rule = rule_index(tables, &rows->list[i].rule);

		if (!rule ||
		    share->rules + tables->rules_count - rules_before > TABLES_RULES_OF_FILE) {
			share->rules += tables->rules_count - rules_before;
			return false;
		}
		tables->chunks[at / PROFILE_CHUNK_ROWS].rows[at % PROFILE_CHUNK_ROWS] =
			(uint32_t)rows->list[i].at << 16 | rule;
	}
	share->pages++;
	share->rows += (uint32_t)rows->count;
	share->rules += tables->rules_count - rules_before;
	return true;
}

int tables_load(struct tables *tables, const struct profile_page_key *key,
		const struct unwind_rows *rows, struct tables_share *share)
{
	struct profile_page page = {.first = tables->rows_count,
				    .count = (uint32_t)rows->count,
				    .state = PROFILE_PAGE_LOADED};
	bool is_written = write_rows(tables, rows, share);

	if (is_written)
		tables->rows_count += page.count;
	else
		page = (struct profile_page){.state = PROFILE_PAGE_FULL};
	tables->full += !is_written;
	if (bpf_map_update_elem(tables->pages_map, key, &page, BPF_ANY))
		return -errno;
	return is_written ? 0 : -ENOSPC;
}

int tables_load_none(struct tables *tables, const struct profile_page_key *key, bool is_full)
{
	const struct profile_page page = {.state = is_full ? PROFILE_PAGE_FULL
							   : PROFILE_PAGE_LOADED};

	return bpf_map_update_elem(tables->pages_map, key, &page, BPF_ANY) ? -errno : 0;
}
