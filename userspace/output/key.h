/* SPDX-License-Identifier: MIT */
/*
 * A key of an output, as in --output KIND:TARGET,KEY=VALUE: a row says how its value is read and
 * where it is stored. The rows are also the help.
 */
#ifndef OUTPUT_KEY_H
#define OUTPUT_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* The type of the value, and of the member. */
enum output_value {
	OUTPUT_TEXT, /* const char *, owned; NULL: not given */
	OUTPUT_FILE, /* the same: the path of a file that is read */
	OUTPUT_FILE_WRITTEN, /* the same, of one that is written */
	OUTPUT_LIST, /* struct output_list: the key may be given several times */
	OUTPUT_BYTES, /* uint64_t: "64K" */
	OUTPUT_COUNT, /* uint64_t, 0 included */
	OUTPUT_TIME, /* uint64_t, ns: seconds with a fraction, or with a unit: "250ms", "24h" */
	OUTPUT_FLAG, /* bool: yes or no; the key alone is yes */
	OUTPUT_WORD, /* unsigned int: the index in `words` */
};

struct output_list {
	char **items; /* owned, each, too */
	size_t count;
};

struct output_key {
	const char *name;
	const char *argument; /* of the value, for the help: "BYTES" */
	const char *help;
	enum output_value value;
	size_t offset; /* of the member */
	const char *fallback; /* the value if none is given; NULL: all bits zero */
	const char *const *words; /* of OUTPUT_WORD; ends with NULL */
	bool secret; /* never shown */
};

/* Whether the member is a text, of any type. */
static inline bool output_key_is_text(const struct output_key *key)
{
	return key->value == OUTPUT_TEXT || key->value == OUTPUT_FILE ||
	       key->value == OUTPUT_FILE_WRITTEN;
}

/* The row of that name, or NULL; keys may be NULL. */
const struct output_key *output_key_find(const struct output_key *keys, const char *name);

/*
 * Stores a value in the struct that `base` points to; a list gets one more. Returns 0, -EINVAL with
 * a message that says what is expected, or -ENOMEM.
 */
int output_key_set(const struct output_key *key, const char *value, void *base, struct error *err);

/* Stores the fallbacks of all keys. Returns 0 or -ENOMEM. */
int output_keys_init(const struct output_key *keys, void *base);

/* Releases what the members own. */
void output_keys_finish(const struct output_key *keys, void *base);

#endif
