/* SPDX-License-Identifier: MIT */
/*
 * What secrets look like by the words before them: a table, and where the secret behind each begins
 * and ends. What looks like a secret by itself is in tokens.h, arguments of programs in programs.h.
 */
#ifndef OUTPUT_REDACT_PATTERNS_H
#define OUTPUT_REDACT_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

enum redact_form {
	/* password=X, "password": "X", --password X: up to the end of the value. */
	REDACT_VALUE,
	/* authorization: Bearer X: up to the end of the line. */
	REDACT_HEADER,
	/* $6$X: the word begins the secret, a hash of at least `least` characters more. */
	REDACT_HASH,
	/* -----BEGIN PRIVATE KEY----- X -----END */
	REDACT_BLOCK,
	/* Private-Lines: X: a key of PuTTY, up to its checksum. */
	REDACT_LINES,
	/* identified by 'X' */
	REDACT_QUOTED,
	/* hooks.slack.com/services/X: the rest of a URL. */
	REDACT_PATH,
	/* PASS X: up to the end of the line that begins with it. */
	REDACT_COMMAND,
};

/* What is counted. */
enum redact_kind {
	REDACT_PASSWORD,
	REDACT_TOKENS,
	REDACT_HEADERS,
	REDACT_KEYS,
	REDACT_URLS,
	REDACT_OWN, /* patterns of the user */
	REDACT_UNFINISHED, /* texts hidden whole, as such a pattern was given up */
	REDACT_KINDS,
};

struct redact_pattern {
	const char *word; /* in lower case */
	unsigned int rare; /* the offset of two bytes that are rare in records: searched for */
	enum redact_form form;
	enum redact_kind kind;
	/*
	 * REDACT_VALUE: what may stand before the word in a name, as "api" before "key", blanks
	 * between them; NULL: anything.
	 */
	const char *owners;
	bool alone; /* with owners: the word is also a name, or the last word of one, by itself */
	unsigned int least; /* of REDACT_HASH */
	const char *exact; /* the word as it must be written; NULL: in any case */
};

extern const struct redact_pattern redact_patterns[];
extern const size_t redact_patterns_count;

/* "password", for metrics and reports. */
const char *redact_kind_name(enum redact_kind kind);

/* Whether a name of `len` bytes, which ends with the word of a row of values, is of that row. */
bool redact_has_name(const struct redact_pattern *pattern, const char *name, size_t len);

/* Whether a text begins with a word, which is in lower case, in letters of any case. */
bool redact_is_word(const char *text, const char *word);

/* A number of characters that may be the value of a secret; */
struct redact_extent {
	size_t from, to; /* offsets; to: behind it */
};

/*
 * Looks at a word of the pattern at `at`: text of any kind, or JSON, whose quotes end what is
 * secret. Returns whether there is a secret.
 */
bool extent_find(const struct redact_pattern *pattern, const char *text, size_t len, size_t at,
		 struct redact_extent *secret);

/* The password of USER:PASSWORD@HOST in a URL, or a long TOKEN@HOST, by the place of its '@'. */
bool extent_find_url(const char *text, size_t at, struct redact_extent *secret);

/*
 * Finds the next value of a query from `at` on, which is behind a '?' or after the value before:
 * those of keys that say that they are secret. Moves `at` behind what was looked at. Returns false
 * when there are no more.
 */
bool extent_find_query(const char *text, size_t len, size_t *at, struct redact_extent *secret);

/*
 * The kind of secret that a name of `len` bytes stands for, as "--db-password" or "API_KEY";
 * REDACT_KINDS: of none.
 */
enum redact_kind redact_kind_of_name(const char *name, size_t len);

/*
 * Whether a value is none to hide: a path, a switch, the name of a source such as "env:X", a
 * reference such as "${X}", or hidden already.
 */
bool redact_is_harmless(const char *value, size_t len, enum redact_kind kind);

#endif
