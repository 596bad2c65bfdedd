/* SPDX-License-Identifier: MIT */
/* Symbols in the order in which they are found, of which a table is made; for who reads them. */
#ifndef SCAP_SYMBOLS_SYMBOL_COLLECT_H
#define SCAP_SYMBOLS_SYMBOL_COLLECT_H

#include "scap/symbols/symbol_table.h"
#include "util/buf.h"

struct symbol_candidate {
	struct symbol_entry entry;
	uint32_t rank; /* of two symbols of one place the higher one is shown */
};

/* A zeroed struct is empty. */
struct symbol_collected {
	struct symbol_candidate *list; /* owned */
	size_t count, capacity;
	struct buf texts;
	int error; /* -ENOMEM; -EFBIG */
};

/* Adds a symbol; nothing once there was an error. Of a rank that is equal the first one is shown.
 */
void symbol_collect(struct symbol_collected *all, uint64_t begin, uint64_t bytes, const char *name,
		    uint32_t rank);

/* Makes a table of what was collected, which is used up. Returns 0; -ENOENT: nothing; -errno. */
int symbol_collected_complete(struct symbol_collected *all, struct symbol_table *table);

/* Frees it; its count and error stay. */
void symbol_collected_finish(struct symbol_collected *all);

#endif
