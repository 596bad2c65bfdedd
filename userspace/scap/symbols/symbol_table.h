/* SPDX-License-Identifier: MIT */
/*
 * The symbols of a file, by where they are in it, or of the kernel, by their addresses. Bounded in
 * memory, whatever the file says.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_TABLE_H
#define SCAP_SYMBOLS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SYMBOLS_MAX = 1 << 20, /* of one table; more are left out */
	SYMBOL_SECTION_BYTES_MAX = 64 << 20, /* files with larger ones are not read */
	SYMBOL_TABLE_BYTES_MAX = 64 << 20, /* nor those whose symbols would take more memory */
};

struct symbol_entry {
	uint64_t begin;
	uint32_t bytes; /* 0: up to the next one, but not for long */
	uint32_t name; /* where in the texts */
};

struct symbol_table {
	struct symbol_entry *entries; /* owned; by `begin`, each once */
	size_t count;
	char *texts; /* owned */
	size_t texts_bytes;
	uint64_t own_begin, own_last; /* of the kernel's: its own code, without modules and programs
				       */
};

/*
 * Reads the functions of /proc/kallsyms, or something like it. Returns 0; -EPERM: the kernel hides
 * the addresses; or another -errno.
 */
int symbol_table_read_kernel(int fd, struct symbol_table *table);

/* Whether an address is in the kernel's own code, which stays while it runs. */
bool symbol_table_has_own(const struct symbol_table *table, uint64_t address);

/* The symbol at a place, borrowed; NULL: there is none. */
const char *symbol_table_find(const struct symbol_table *table, uint64_t place);

/* Its memory. */
size_t symbol_table_bytes(const struct symbol_table *table);

void symbol_table_finish(struct symbol_table *table);

#endif
