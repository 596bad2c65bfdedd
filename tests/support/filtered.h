/* SPDX-License-Identifier: MIT */
/* What filters answer, and what is wrong with them. */
#ifndef TESTS_FILTERED_H
#define TESTS_FILTERED_H

#include "sinsp/filter/filter.h"

/*
 * Whether an event passes, twice the same; the test fails if the expression is wrong. NULL: an
 * event of which nothing is known, for the fields of fake_fields.h.
 */
bool filtered(const struct state_event *event, const char *text);

/* Fails unless that event passes all expressions, or none of them; the last is NULL. */
void filtered_expect(bool passes, const char *const *texts);

#define TRUE(...) filtered_expect(true, (const char *const[]){__VA_ARGS__, NULL})
#define FALSE(...) filtered_expect(false, (const char *const[]){__VA_ARGS__, NULL})

/* Whether an expression is accepted; if not, it must be with a message. */
bool filtered_accepts(const char *text);

/* Fails unless an expression is wrong, with a message that contains `says`. */
void filtered_expect_error(const char *text, unsigned int column, const char *says);

#endif
