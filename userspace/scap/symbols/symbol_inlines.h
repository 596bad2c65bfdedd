/* SPDX-License-Identifier: MIT */
/*
 * Which functions a compiler has inlined at places of a file, as its debugging information says, or
 * that of the separate file which a package has. Other users may have made these files.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_INLINES_H
#define SCAP_SYMBOLS_SYMBOL_INLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/symbols/dwarf_unit.h"

enum {
	/* Of all sections that are read, compressed and not; files with more are not read. */
	SYMBOL_INLINES_BYTES_MAX = 256 << 20,
	SYMBOL_INLINES_STEPS_MAX = 64 << 20, /* see struct dwarf_sections; about a second */
	SYMBOL_INLINES_MAX = 1 << 20, /* that are found in a file */
	SYMBOL_INLINES_DEEP_MAX = 64, /* at one place; those within are left out */
};

/* A zeroed struct has none. */
struct symbol_inlines {
	/* Owned: of each place where its functions begin in `of_places`, and the end of the last.
	 */
	uint32_t *first;
	uint32_t *of_places; /* owned: functions, the innermost first */
	/* Owned: where their names are in the texts, each function once. */
	uint32_t *functions;
	size_t functions_count;
	char *texts; /* owned */
};

/* What may end it: asked now and then. NULL: nothing. */
struct symbol_inlines_limit {
	bool (*is_over)(void *context);
	void *context;
};

/*
 * Finds what is inlined at places, which are offsets in the file in their order. debug: as in
 * symbol_elf_read(). Names are those that linkers know, if there are such. Returns 0; -ENOENT:
 * there is no debugging information; -EBADMSG: it is damaged, or in files of its own (dwo); -EFBIG,
 * -E2BIG: it is too large, or takes too long; -ENOMEM. What was found before -EBADMSG and -E2BIG is
 * given all the same; finish it in each case.
 */
int symbol_inlines_read(int fd, int debug, const uint64_t *places, size_t count,
			const struct symbol_inlines_limit *limit, struct symbol_inlines *inlines);

/*
 * Finds what is inlined at addresses, which are in their order, as the sections say; `inlines` is
 * zeroed. Returns 0; -EBADMSG; -E2BIG; -ENOMEM; what was found is given as symbol_inlines_read()
 * does.
 */
int symbol_inlines_find(struct dwarf_sections *sections, const uint64_t *addresses, size_t count,
			const struct symbol_inlines_limit *limit, struct symbol_inlines *inlines);

void symbol_inlines_finish(struct symbol_inlines *inlines);

#endif
