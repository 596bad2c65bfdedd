/* SPDX-License-Identifier: MIT */
/*
 * The symbols of ELF files: of the file itself, of the compressed one within it (mini-debuginfo),
 * or of the separate one that a package has. Other users may have made these files.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_ELF_H
#define SCAP_SYMBOLS_SYMBOL_ELF_H

#include "scap/symbols/symbol_table.h"

enum { SYMBOL_BUILD_ID_BYTES = 32 }; /* those that are longer are not read */

struct symbol_build_id {
	uint8_t bytes[SYMBOL_BUILD_ID_BYTES];
	uint8_t count; /* 0: the file has none */
};

/*
 * Reads .symtab; of a file without, that of its separate file, or .dynsym and what .gnu_debugdata
 * has. debug: a folder like /usr/lib/debug/.build-id, or -1; it must be root's, as its files are
 * believed. Descriptors stay the caller's. Places are offsets in the file. Returns 0; -ENOENT: it
 * has no symbols, or is no ELF file; -EBADMSG: it is damaged; -EFBIG: they are too large; -ENOMEM.
 */
int symbol_elf_read(int fd, int debug, struct symbol_table *table);

/* As symbol_elf_read(), of an image in memory, as the vDSO, without further files. */
int symbol_elf_read_memory(const void *image, size_t bytes, struct symbol_table *table);

/* Reads the build id of a file. Returns 0, also if it has none, or -EBADMSG. */
int symbol_elf_build_id(int fd, struct symbol_build_id *id);

/*
 * Opens the separate file of a file, which has its build id; debug: as in symbol_elf_read().
 * Returns a descriptor; -ENOENT: there is none; another -errno.
 */
int symbol_elf_open_separate(int fd, int debug);

#endif
