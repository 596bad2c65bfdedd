/* SPDX-License-Identifier: MIT */
/* The functions that take most, as a table for a terminal. */
#ifndef PROFILE_FORMATS_TOP_H
#define PROFILE_FORMATS_TOP_H

#include "profile/formats/flame.h"

/*
 * Appends a table of the functions of a completed tree: what each took by itself, and together with
 * what it called, once for each stack; those that took most by themselves first. Of two profiles it
 * has those of the later one, and how much more or less of all each takes by itself now; those that
 * changed most first. rows: at most so many; width: in columns, to which lines are cut, or 0. Names
 * have no bytes that control a terminal. Returns 0 or -ENOMEM.
 */
int top_write(const struct flame *flame, size_t rows, unsigned int width, struct buf *out);

#endif
