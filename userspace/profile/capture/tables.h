/* SPDX-License-Identifier: MIT */
/*
 * The unwind tables that the programs in the kernel read: rows, and rules that all files share, in
 * memory of maps that is written without a call. What does not fit is said by the page.
 */
#ifndef PROFILE_CAPTURE_TABLES_H
#define PROFILE_CAPTURE_TABLES_H

#include "profile/capture/unwind.h"

/* What a file has taken. No file may have all: others would have no tables. */
struct tables_share {
	uint32_t rows, rules, pages;
};

enum {
	TABLES_ROWS_OF_FILE = PROFILE_CHUNKS * PROFILE_CHUNK_ROWS / 3,
	TABLES_ROWS_FILLED =
		PROFILE_CHUNKS * PROFILE_CHUNK_ROWS / 2, /* with pages that none wanted */
	TABLES_RULES_OF_FILE = PROFILE_RULES / 16,
	TABLES_PAGES_OF_FILE = PROFILE_PAGES / 4, /* a gibibyte of code, also without rows */
};

struct tables {
	int pages_map; /* borrowed */
	struct profile_chunk *chunks; /* memory of the maps */
	struct profile_rule *rules;
	uint32_t rows_count, rules_count;
	uint32_t *places; /* owned: of rules by hash; 0: free */
	uint64_t full; /* pages for which there was no room */
};

/* Descriptors of the maps stay the caller's. Returns 0 or -errno. */
int tables_open(struct tables *tables, int chunks_map, int rules_map, int pages_map);
void tables_close(struct tables *tables); /* accepts a zeroed struct */

/*
 * Loads the rows of a page; none: the file has no table there. Returns 0; -ENOSPC: there is no
 * room, or the file has had its share, which the page says then; or what the kernel says.
 */
int tables_load(struct tables *tables, const struct profile_page_key *key,
		const struct unwind_rows *rows, struct tables_share *share);

/* Loads a page without rows; is_full: as there is no room for them. Returns 0 or -errno. */
int tables_load_none(struct tables *tables, const struct profile_page_key *key, bool is_full);

#endif
