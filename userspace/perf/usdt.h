/* SPDX-License-Identifier: MIT */
/* Static probes of programs (USDT), which notes in their files name. */
#ifndef PERF_USDT_H
#define PERF_USDT_H

#include "perf/elf_file.h"

/*
 * A place of a probe: its offset in the file, and that of the number that says to the program how
 * many watch it, 0: there is none; and where its arguments are, see usdt_args.h. Returns 0, or what
 * ends the search.
 */
typedef int perf_usdt_visit(void *context, uint64_t offset, uint64_t semaphore, const char *args);

/*
 * Calls a function for each place of a probe: a program may have copies of it. Returns what it
 * returned; -ENOENT for no such probe, with the nearest one in `reason`; or another -errno with a
 * reason.
 */
int perf_usdt_find(const char *path, const char *provider, const char *name, perf_usdt_visit *visit,
		   void *context, char reason[PERF_REASON_BYTES]);

#endif
