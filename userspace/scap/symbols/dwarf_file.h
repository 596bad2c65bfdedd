/* SPDX-License-Identifier: MIT */
/* The sections of an ELF file that have debugging information, which are bounded together. */
#ifndef SCAP_SYMBOLS_DWARF_FILE_H
#define SCAP_SYMBOLS_DWARF_FILE_H

#include <gelf.h>

#include "scap/symbols/dwarf_unit.h"

struct dwarf_file {
	Elf *elf; /* owned: what the sections are borrowed of */
	struct dwarf_sections sections; /* without steps */
};

/*
 * Reads them, compressed ones as they were before; fd stays the caller's, and open as long as the
 * file. Returns 0; -ENOENT: it has none, or is no ELF file of this machine's kind; -EFBIG: they
 * have more than `max` bytes; -EBADMSG. Close it in the first case.
 */
int dwarf_file_open(int fd, size_t max, struct dwarf_file *file);
void dwarf_file_close(struct dwarf_file *file);

#endif
