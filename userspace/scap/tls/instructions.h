/* SPDX-License-Identifier: MIT */
/*
 * Machine code of a function: how long each of its instructions is, and which of them return. Only
 * as much as compilers make of ordinary code is known; a function with anything else has none.
 */
#ifndef SCAP_TLS_INSTRUCTIONS_H
#define SCAP_TLS_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the returns of a function, `code` to its end, in the code of this machine. offsets: at
 * least `max`. Returns how many, or -errno: -ENOTSUP: it has an instruction that is not known, or
 * that goes beyond its end; -E2BIG: it has more.
 */
int tls_returns_find(const uint8_t *code, size_t bytes, uint32_t *offsets, int max);

/* Of x86-64: the length of the instruction at `code`; 0: it is not known, or longer than `left`. */
size_t tls_instruction_bytes(const uint8_t *code, size_t left);

#endif
