/* SPDX-License-Identifier: MIT */
/*
 * The sections of an ELF file that have debugging information, which are bounded together; and
 * those of the file that some have in common.
 */
#ifndef SCAP_SYMBOLS_DWARF_FILE_H
#define SCAP_SYMBOLS_DWARF_FILE_H

#include <gelf.h>

#include "scap/symbols/dwarf_unit.h"

struct dwarf_file {
	Elf *elf; /* owned: what the sections are borrowed of */
	struct dwarf_sections sections; /* without steps, and what is shared */
	int fd; /* owned: of a shared one; else -1 */
};

/*
 * Reads them, compressed ones as they were before; fd stays the caller's, and open as long as the
 * file. Returns 0; -ENOENT: it has none, or is no ELF file of this machine's kind; -EFBIG: they
 * have more than `max` bytes; -EBADMSG. Close it in the first case.
 */
int dwarf_file_open(int fd, size_t max, struct dwarf_file *file);

/*
 * Opens what a file shares with others, as dwz(1) divides them; debug: a folder like
 * /usr/lib/debug/.build-id, beside which the folder .dwz is: the file must come from there. Returns
 * as dwarf_file_open(); -ENOENT: it shares nothing, or that is not there.
 */
int dwarf_file_open_shared(const struct dwarf_file *file, int debug, size_t max,
			   struct dwarf_file *shared);
void dwarf_file_close(struct dwarf_file *file);

#endif
