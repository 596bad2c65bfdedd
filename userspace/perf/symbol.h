/* SPDX-License-Identifier: MIT */
/* Symbols of ELF files. */
#ifndef PERF_SYMBOL_H
#define PERF_SYMBOL_H

#include "perf/elf_file.h"

/*
 * Finds the offset in a file of what a symbol names: of functions first. Returns 0; -ENOENT for no
 * such symbol, with the nearest one in `reason`; or another -errno with a reason.
 */
int perf_symbol_find(const char *path, const char *symbol, uint64_t *offset,
		     char reason[PERF_REASON_BYTES]);

#endif
