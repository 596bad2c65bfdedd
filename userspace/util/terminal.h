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

/*
 * Replaces those but ends of lines ("\n") and tabs: for text of our own that quotes others.
 */
void terminal_mask_lines(char *text, size_t len);

/* The width of a terminal in columns, 80 if it is not known; 0: the descriptor is none. */
unsigned int terminal_width(int fd);

/* The height of a terminal in lines, 24 if it is not known; 0: the descriptor is none. */
unsigned int terminal_height(int fd);

/*
 * The columns that a text takes on a terminal; it must have no control characters.
 */
unsigned int terminal_columns(const char *text, size_t len);

/*
 * Cuts the text from `start` on, a line with its newline, to a width in columns, with "…" as the
 * last one; sequences of colours take none. A text of several lines stays.
 */
void terminal_cut(struct buf *text, size_t start, unsigned int width);

/* Prints such text; what is in `text` is masked afterwards. */
void terminal_print(FILE *file, struct buf *text);

#endif
