/* SPDX-License-Identifier: MIT */
/* Where the secret behind a word begins and ends. */
#ifndef OUTPUT_REDACT_EXTENT_H
#define OUTPUT_REDACT_EXTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "output/redact/patterns.h"

struct extent {
	size_t from, to; /* offsets; to: behind it */
};

/*
 * Looks at a word of the pattern at `at`: text of any kind, or JSON, whose quotes end what is
 * secret. Returns whether there is a secret.
 */
bool extent_find(const struct redact_pattern *pattern, const char *text, size_t len, size_t at,
		 struct extent *secret);

/* The password of USER:PASSWORD@HOST in a URL, by the place of its '@'. */
bool extent_find_url(const char *text, size_t at, struct extent *secret);

#endif
