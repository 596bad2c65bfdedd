/* SPDX-License-Identifier: MIT */
/*
 * Programs of Go: where functions are by the table that their runtime has, which stripped programs
 * have as well, and whether they call functions as the driver expects it.
 */
#ifndef SCAP_TLS_GO_H
#define SCAP_TLS_GO_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function, by addresses. */
struct tls_go_function {
	const char *name;
	uint64_t address, bytes; /* address 0: it was not found */
};

/* Whether a program was made by Go 1.18 or later. *left: how many bytes of it may be read still. */
bool tls_go_is_program(Elf *elf, uint64_t *left);

/* Finds functions; those that the table does not have keep what they are. */
void tls_go_find(Elf *elf, struct tls_go_function *functions, size_t count, uint64_t *left);

/*
 * Where the arguments of a function are in their registers still, and a probe costs least. code:
 * how it begins. Returns how far behind its begin that is, or -ENOENT: it does not begin as Go has
 * it.
 */
int tls_go_entry(const uint8_t *code, size_t bytes);

/*
 * A section by its name, as it is in the file. NULL: it has none, or that is too large, compressed,
 * or damaged.
 */
Elf_Data *tls_section_find(Elf *elf, const char *name, uint64_t *left);

/*
 * The bytes of a section. *left: how many may be read still. NULL: it is too large, compressed, or
 * damaged.
 */
Elf_Data *tls_section_read(Elf_Scn *section, GElf_Shdr *header, uint64_t *left);

/* Whether names end within a section, as its last byte is a NUL. */
bool tls_section_is_names(const Elf_Data *data);

#endif
