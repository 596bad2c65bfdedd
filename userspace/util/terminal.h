/* SPDX-License-Identifier: MIT */
/*
 * Text for terminals. Names, arguments and answers are those of others: they must neither control
 * the terminal nor forge another line. All text that a person reads passes here.
 */
#ifndef UTIL_TERMINAL_H
#define UTIL_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#include "util/buf.h"

/*
 * Replaces each byte of control characters, those of Unicode included (utf8_is_control()), and each
 * byte that is not UTF-8 by a dot. The length does not change.
 */
void terminal_mask(char *text, size_t len);

/* The same, except for ends of lines ("\n") and tabs: for text of our own that quotes others. */
void terminal_mask_lines(char *text, size_t len);

/* Prints such text; what is in `text` is masked afterwards. */
void terminal_print(FILE *file, struct buf *text);

#endif
