/* SPDX-License-Identifier: MIT */
/* How many columns of a terminal a character takes, whatever the locale is. */
#ifndef UTIL_WIDTH_H
#define UTIL_WIDTH_H

#include <stdint.h>

/*
 * 0 for combining and format characters, 2 for wide ones (CJK, most emoji), 1 for others. Control
 * characters have no width; do not ask for theirs.
 */
unsigned int width_of(uint32_t code_point);

#endif
