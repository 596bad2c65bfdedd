/* SPDX-License-Identifier: MIT */
/* Symbols that were read, kept as long as there is room: those that were not used longest go. */
#ifndef PROFILE_NAMES_KEPT_TABLES_H
#define PROFILE_NAMES_KEPT_TABLES_H

#include "profile/stacks.h"
#include "scap/symbols/symbol_table.h"

struct kept_table;

/* A zeroed struct has none. */
struct kept_tables {
	struct kept_table *kept; /* owned */
	size_t kept_count, bytes;
	uint64_t uses; /* so far: by which it is known which one was used last */
	struct symbol_table kernel, vdso;
	uint64_t kernel_read_ns; /* monotonic clock */
	bool vdso_was_read;
};

/* Another set begins: tables that were returned may go. */
void kept_tables_begin(struct kept_tables *tables);

/*
 * The symbols of a file, by its offsets. Which file it is, its device, inode and time of change
 * say. debug: as in symbol_elf_read(). Valid until the next call that reads a file. Returns 0;
 * -EBADF: it is not open; -ENOENT: it has none; another -errno.
 */
int kept_tables_get_file(struct kept_tables *tables, const struct stack_file *file, int debug,
			 const struct symbol_table **table);

/* Addresses that are asked for: from the first one to the last one. */
struct kept_addresses {
	uint64_t first, last;
};

/* The kernel's, by addresses; kernel: a descriptor of its kallsyms. Returns 0 or -errno. */
int kept_tables_get_kernel(struct kept_tables *tables, int kernel,
			   const struct kept_addresses *addresses,
			   const struct symbol_table **table);

/* Those of the vDSO, by its offsets. Returns 0, or -ENOENT: there is none. */
int kept_tables_get_vdso(struct kept_tables *tables, const struct symbol_table **table);

void kept_tables_finish(struct kept_tables *tables);

#endif
