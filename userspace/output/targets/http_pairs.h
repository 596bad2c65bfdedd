/* SPDX-License-Identifier: MIT */
/* Lists of "NAME=VALUE", as labels and attributes are given. */
#ifndef OUTPUT_TARGETS_HTTP_PAIRS_H
#define OUTPUT_TARGETS_HTTP_PAIRS_H

#include <stddef.h>

#include "output/key.h"
#include "util/error.h"

struct http_pair {
	const char *name; /* borrowed; without an end */
	size_t name_len;
	const char *value;
};

/* Takes an item apart; without "=" its value is "". */
struct http_pair http_pair_of(const char *item);

/* Rejects an item without a name or "=". Returns 0, or -EINVAL with a message about that key. */
int http_pairs_check(const struct output_list *list, const char *key, struct error *err);

#endif
