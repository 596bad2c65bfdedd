/* SPDX-License-Identifier: MIT */
/*
 * Names of addresses of the kernel, asked of it: it writes 120,000 symbols for who reads
 * /proc/kallsyms, where a profile has some hundred addresses. Linux 5.14 and later.
 */
#ifndef PROFILE_CAPTURE_KERNEL_NAMES_H
#define PROFILE_CAPTURE_KERNEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "scap/symbols/symbol_table.h"

/*
 * Makes a table of the symbols at these addresses, each of one byte there. Those without a symbol
 * are not in it. Needs CAP_BPF and CAP_PERFMON. Returns 0; -ENOENT: none has a symbol; -ENOTSUP,
 * -EPERM or another -errno: the kernel cannot be asked, or not by who calls.
 */
int kernel_names_read(const uint64_t *addresses, size_t count, struct symbol_table *table);

#endif
