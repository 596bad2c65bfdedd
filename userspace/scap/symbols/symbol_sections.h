/* SPDX-License-Identifier: MIT */
/*
 * Sections of ELF files by their names, for what reads files that other users made: libelf would
 * take memory as their headers say, and search names to their end each time.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_SECTIONS_H
#define SCAP_SYMBOLS_SYMBOL_SECTIONS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

enum { SYMBOL_SECTION_NAMES_MAX = 1 << 20 }; /* bytes; files with more have no sections */

/* Names of symbols or sections: borrowed of the ELF file; the last byte is a NUL. */
struct symbol_names {
	const char *texts;
	size_t bytes;
};

/* Whether its content may be read into memory: not if it is large, or compressed. */
bool symbol_section_is_readable(const GElf_Shdr *header);

/* Reads a section of names; NULL: there is none. Returns 0; -EBADMSG; -EFBIG: more than `max`. */
int symbol_names_read(Elf_Scn *section, size_t max, struct symbol_names *names);

/* Reads the names of the sections. Returns as symbol_names_read(). */
int symbol_names_read_sections(Elf *elf, struct symbol_names *names);

/* The name that a header has, borrowed; NULL: none. */
const char *symbol_section_name(const struct symbol_names *names, const GElf_Shdr *header);

/* The first section of that name, and its header; NULL: none. */
Elf_Scn *symbol_section_find(Elf *elf, const char *name, GElf_Shdr *header);

#endif
