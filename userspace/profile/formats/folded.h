/* SPDX-License-Identifier: MIT */
/* Folded stacks: a line for each, "comm;outer;inner 12", as flame graph programs read them. */
#ifndef PROFILE_FORMATS_FOLDED_H
#define PROFILE_FORMATS_FOLDED_H

#include "profile/formats/flame.h"

/*
 * Appends the lines of a completed tree, in order of the names, with "_[k]" behind names of the
 * kernel and "_[j]" behind those of JIT compilers. In names ';' is ':', and what controls a
 * terminal or is no UTF-8 is '.'. Of two profiles each line has both numbers, the earlier one
 * first. flame_add_folded() reads it.
 */
void folded_write(const struct flame *flame, struct buf *out);

#endif
