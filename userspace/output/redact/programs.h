/* SPDX-License-Identifier: MIT */
/*
 * Secrets among arguments: by options, by names of variables, and by their place for programs that
 * are known, as in `mysql -pX`. Each argument has its own bounds here, which text has not.
 */
#ifndef OUTPUT_REDACT_PROGRAMS_H
#define OUTPUT_REDACT_PROGRAMS_H

#include <stddef.h>

#include "output/redact/patterns.h"

/* Called for each secret, `len` bytes. */
typedef void redact_arguments_hide(void *context, char *secret, size_t len, enum redact_kind kind);

/*
 * Passes each secret in `len` bytes of strings, each with its NUL, to `hide`, which may overwrite
 * it. program: the name or path of the program that has them; NULL: they are variables of an
 * environment.
 */
void programs_visit_arguments(const char *program, char *strings, size_t len,
			      redact_arguments_hide *hide, void *context);

#endif
