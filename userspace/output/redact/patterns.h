/* SPDX-License-Identifier: MIT */
/* What secrets look like: a table of words, and where the secret behind each begins and ends. */
#ifndef OUTPUT_REDACT_PATTERNS_H
#define OUTPUT_REDACT_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

/* What secrets look like: a table of words, and how far the secret behind each reaches. */

enum redact_form {
	/* password=X, "password": "X", --password X: up to the end of the value. */
	REDACT_VALUE,
	/* authorization: Bearer X: up to the end of the line. */
	REDACT_HEADER,
	/* AKIAX: the word begins the secret, which has at least `least` characters more. */
	REDACT_TOKEN,
	/* -----BEGIN PRIVATE KEY----- X -----END */
	REDACT_BLOCK,
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
	unsigned int least; /* of REDACT_TOKEN */
	const char *exact; /* REDACT_TOKEN: the word as it must be written; NULL: in any case */
};

extern const struct redact_pattern redact_patterns[];
extern const size_t redact_patterns_count;

/* "password", for metrics and reports. */
const char *redact_kind_name(enum redact_kind kind);

/* Where the secret behind a word begins and ends. */

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
