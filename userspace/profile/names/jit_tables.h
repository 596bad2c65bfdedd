/* SPDX-License-Identifier: MIT */
/* The symbols of the code that a JIT compiler made in a process. */
#ifndef PROFILE_NAMES_JIT_TABLES_H
#define PROFILE_NAMES_JIT_TABLES_H

#include "profile/stacks.h"
#include "scap/symbols/symbol_table.h"

enum { JIT_TABLES = 2 }; /* that of a dump, and that of a map */

/*
 * Reads both; what there is not stays empty. proc: a descriptor of /proc, or -1: without dumps. The
 * tables are the caller's to finish.
 */
void jit_tables_read(const struct stack_process *process, int proc,
		     struct symbol_table tables[JIT_TABLES]);

#endif
