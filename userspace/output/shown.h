/* SPDX-License-Identifier: MIT */
/* Targets as messages, pages and reports show them: without what may be a secret. */
#ifndef OUTPUT_SHOWN_H
#define OUTPUT_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

/* Appends KIND:TARGET, of `len` bytes; asterisks stand for a user and for the query of a URL. */
void output_append_shown(const char *to, size_t len, struct buf *text);

/* Whether there is a user in a target, or what looks like one: an '@' before the query. */
bool output_has_user(const char *target);

#endif
