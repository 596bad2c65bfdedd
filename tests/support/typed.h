/* SPDX-License-Identifier: MIT */
/* Options of a command, as somebody types them behind its name. */
#ifndef TYPED_TEST_H
#define TYPED_TEST_H

#include "agent/tools/own_options.h"

/* As own_options_read(), of words with blanks between them; they are valid until the next call. */
int typed_read(const struct own_options *own, const char *words, void *options, struct error *err);

#endif
