/* SPDX-License-Identifier: MIT */
/*
 * Hides secrets in records: each byte of a secret becomes '*', so that lengths stay and JSON stays
 * valid. What filters see is not changed.
 */
#ifndef OUTPUT_REDACT_REDACT_H
#define OUTPUT_REDACT_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/redact/patterns.h"
#include "util/error.h"

struct redact;

/*
 * own: regular expressions (PCRE2), `count` of them, for what else is secret: their first group, or
 * all of the match. Returns 0, -EINVAL with a message that names the expression, or -ENOMEM.
 */
int redact_create(const char *const *own, size_t count, struct redact **redact, struct error *err);
void redact_destroy(struct redact *redact); /* accepts NULL */

/*
 * From now on redact_text() gets records of JSON with members NAME_b64, whose values are bytes in
 * base64: secrets in these bytes are hidden, and no text of base64 is taken for one.
 */
void redact_expect_base64(struct redact *redact);

/*
 * Hides the secrets of a record. One thread at a time. Where an expression is given up (PCRE2
 * limits what a match may cost) all of the record is hidden, of JSON its strings but the names of
 * members.
 */
void redact_text(struct redact *redact, char *text, size_t len);

/* Begins a record of several texts: what the one before ended with means nothing for it. */
void redact_begin_parts(struct redact *redact);

/*
 * Hides secrets in one of the texts that a record consists of, one after the other: after an option
 * such as --password the next one is a secret. Where an expression is given up all of it is hidden.
 * An empty text ends what belongs together.
 */
void redact_part(struct redact *redact, char *text, size_t len);

/*
 * Hides secrets in arguments: `len` bytes of strings, each with its NUL, of which each has its own
 * bounds. program: the name or path of the program that has them; NULL: they are variables of an
 * environment. What a text of them is hidden by later still is: see redact_text(). Any thread.
 */
void redact_arguments(void *redact, const char *program, char *strings, size_t len);

/* How many secrets of a kind were hidden; from any thread. */
uint64_t redact_count(const struct redact *redact, enum redact_kind kind);

#endif
