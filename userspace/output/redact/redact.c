/* SPDX-License-Identifier: MIT */
/*
 * Finds the words of the patterns by two rare bytes of each, then looks at what surrounds them;
 * and what looks like a secret by itself in long runs of letters. Patterns of the user are for
 * PCRE2.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "output/redact/redact.h"

#include <errno.h>
#include <jansson.h>
#include <pcre2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "output/redact/patterns.h"
#include "output/redact/programs.h"
#include "output/redact/scan.h"
#include "output/redact/tokens.h"
#include "util/base64.h"
#include "util/buf.h"

enum { ESCAPE_BYTES = 6, PATTERNS_MAX = 48, HEADS = 256 };

struct own_pattern {
	pcre2_code *code;
	pcre2_match_data *match;
};

struct redact {
	struct scan scan;
	uint8_t heads[HEADS]; /* the first pattern of a pair, plus one; 0: there is none */
	uint8_t next[PATTERNS_MAX]; /* likewise, behind each pattern */
	struct own_pattern *own; /* owned */
	size_t own_count;
	enum redact_kind expected; /* what the next part is; REDACT_KINDS: no secret */
	bool expects_base64;
	struct buf bytes; /* owned; of a value in base64 */
	_Atomic uint64_t counts[REDACT_KINDS];
};

static int add_own(struct redact *redact, const char *text, struct error *err)
{
	struct own_pattern *own = &redact->own[redact->own_count];
	PCRE2_UCHAR message[256];
	PCRE2_SIZE offset;
	int r;

	own->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_NEVER_UTF, &r,
				  &offset, NULL);
	if (!own->code) {
		pcre2_get_error_message(r, message, sizeof(message));
		return error_set(err, -EINVAL, "redact-pattern=%s: %s, at character %zu", text,
				 (const char *)message, offset + 1);
	}
	redact->own_count++;
	pcre2_jit_compile(own->code, PCRE2_JIT_COMPLETE);
	own->match = pcre2_match_data_create_from_pattern(own->code, NULL);
	return own->match ? 0 : error_set(err, -ENOMEM, "out of memory");
}

/* The list of the patterns of a pair, and of those of other pairs with the same sum. */
static uint8_t *redact_head(struct redact *redact, const char *pair)
{
	uint16_t number = scan_pair(pair);

	return &redact->heads[(uint8_t)(number + (number >> 8) * 5)];
}

/* The last pattern comes first. */
static void redact_add_pattern(struct redact *redact, size_t i)
{
	const char *pair = redact_patterns[i].word + redact_patterns[i].rare;
	uint8_t *head = redact_head(redact, pair);

	scan_add(&redact->scan, pair);
	redact->next[i] = *head;
	*head = (uint8_t)(i + 1);
}

int redact_create(const char *const *own, size_t count, struct redact **redact, struct error *err)
{
	struct redact *made = calloc(1, sizeof(*made));
	int r = 0;

	if (made)
		made->own = calloc(count ? count : 1, sizeof(*made->own));
	if (!made || !made->own) {
		redact_destroy(made);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->expected = REDACT_KINDS;
	for (size_t i = redact_patterns_count; i-- > 0;)
		redact_add_pattern(made, i);
	for (size_t i = 0; i < count && r == 0; i++)
		r = add_own(made, own[i], err);
	if (r)
		redact_destroy(made);
	else
		*redact = made;
	return r;
}

void redact_destroy(struct redact *redact)
{
	if (!redact)
		return;
	for (size_t i = 0; i < redact->own_count; i++) {
		pcre2_match_data_free(redact->own[i].match);
		pcre2_code_free(redact->own[i].code);
	}
	free(redact->own);
	buf_finish(&redact->bytes);
	free(redact);
}

/*
 * What a backslash escapes changes with it. A quote that is not escaped ends a text of JSON, so it
 * ends the secret, too. Returns whether anything was hidden that was not before.
 */
static bool redact_hide(char *text, const struct redact_extent *secret)
{
	bool changed = false;

	for (size_t i = secret->from; i < secret->to && text[i] != '"'; i++) {
		if (text[i] == '\\') {
			if (i + 1 == secret->to)
				break;
			if (text[i + 1] != '"') {
				text[i] = text[i + 1] = '*';
				changed = true;
			}
			i++;
		} else if (text[i] != '*') {
			text[i] = '*';
			changed = true;
		}
	}
	return changed;
}

static void hide_and_count(struct redact *redact, char *text, const struct redact_extent *secret,
			   enum redact_kind kind)
{
	if (redact_hide(text, secret))
		atomic_fetch_add_explicit(&redact->counts[kind], 1, memory_order_relaxed);
}

/* Whether the word of the pattern is there, by the place of its rare pair. */
static bool redact_is_at(const struct redact_pattern *pattern, const char *text, size_t len,
			 size_t pair)
{
	return pair >= pattern->rare && strlen(pattern->word) <= len - (pair - pattern->rare) &&
	       redact_is_word(text + pair - pattern->rare, pattern->word);
}

static void try_patterns(struct redact *redact, char *text, size_t len, size_t pair)
{
	struct redact_extent secret;

	for (size_t i = *redact_head(redact, text + pair); i; i = redact->next[i - 1]) {
		const struct redact_pattern *pattern = &redact_patterns[i - 1];

		if (!redact_is_at(pattern, text, len, pair) ||
		    !extent_find(pattern, text, len, pair - pattern->rare, &secret))
			continue;
		hide_and_count(redact, text, &secret, pattern->kind);
		return;
	}
}

static void hide_words(struct redact *redact, char *text, size_t len)
{
	for (size_t at = 0; (at = scan_find(&redact->scan, text, len, at)) + 1 < len; at++)
		try_patterns(redact, text, len, at);
}

static void hide_urls(struct redact *redact, char *text, size_t len)
{
	struct redact_extent secret;
	char *at = text;

	while ((at = memchr(at, '@', len - (size_t)(at - text)))) {
		if (extent_find_url(text, (size_t)(at - text), &secret))
			hide_and_count(redact, text, &secret, REDACT_URLS);
		at++;
	}
}

static void hide_queries(struct redact *redact, char *text, size_t len)
{
	struct redact_extent secret;
	size_t at = 0;

	for (char *mark; (mark = memchr(text + at, '?', len - at));) {
		at = (size_t)(mark - text) + 1;
		while (extent_find_query(text, len, &at, &secret)) {
			hide_and_count(redact, text, &secret, REDACT_TOKENS);
			if (secret.to == len || text[secret.to] != '&')
				break;
		}
	}
}

static void hide_tokens(struct redact *redact, char *text, size_t len)
{
	struct redact_extent run = {0, 0}, secret, companion;

	while ((run.from = scan_run(text, len, run.to, &run.to)) < len) {
		size_t at = run.from;

		while (at < run.to && token_find(text, len, &run, &at, &secret)) {
			if (token_find_companion(text, len, secret.to, &companion))
				hide_and_count(redact, text, &companion, REDACT_TOKENS);
			hide_and_count(redact, text, &secret, REDACT_TOKENS);
		}
	}
}

/* Whether it is a byte of UTF-8 that does not begin a character. */
static bool redact_continues_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Whether a backslash is not escaped itself. */
static bool begins_escape(const char *text, size_t at)
{
	size_t before = at;

	while (before > 0 && text[before - 1] == '\\')
		before--;
	return text[at] == '\\' && (at - before) % 2 == 0;
}

/* Where the escaped character \uXXXX of JSON begins that `at` is within; `at` if it is in none. */
static size_t begin_of_escape(const char *text, size_t at)
{
	for (size_t back = 1; back < ESCAPE_BYTES && back <= at; back++)
		if (begins_escape(text, at - back) && (back == 1 || text[at - back + 1] == 'u'))
			return at - back;
	return at;
}

/* A match of bytes, widened to whole characters. */
static struct redact_extent redact_whole_characters(const char *text, size_t len, size_t from,
						    size_t to)
{
	size_t escape = begin_of_escape(text, to);

	from = begin_of_escape(text, from);
	if (escape < to)
		to = escape + (text[escape + 1] == 'u' ? ESCAPE_BYTES : 2);
	if (to > len)
		to = len;
	while (from > 0 && from < len && redact_continues_character(text[from]))
		from--;
	while (to < len && redact_continues_character(text[to]))
		to++;
	return (struct redact_extent){from, to};
}

/* Returns a number above 0 if there is a match. Where the stack of compiled code is too small it is
 * interpreted. */
static int match(const struct own_pattern *own, const char *text, size_t len, size_t at)
{
	int found = pcre2_match(own->code, (PCRE2_SPTR)text, len, at, 0, own->match, NULL);

	if (found == PCRE2_ERROR_JIT_STACKLIMIT)
		found = pcre2_match(own->code, (PCRE2_SPTR)text, len, at, PCRE2_NO_JIT, own->match,
				    NULL);
	return found;
}

/* Returns whether the expression was tried to the end of the text. */
static bool hide_own(struct redact *redact, const struct own_pattern *own, char *text, size_t len)
{
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(own->match);
	size_t at = 0;
	int found = PCRE2_ERROR_NOMATCH;

	while (at < len && (found = match(own, text, len, at)) > 0) {
		size_t group = found > 1 && places[2] != PCRE2_UNSET ? 2 : 0;
		const struct redact_extent secret =
			redact_whole_characters(text, len, places[group], places[group + 1]);

		hide_and_count(redact, text, &secret, REDACT_OWN);
		at = places[1] > at ? places[1] : at + 1;
	}
	return found > 0 || found == PCRE2_ERROR_NOMATCH;
}

/* A text may begin as JSON does, and be none. */
static bool is_json(const char *text, size_t len)
{
	json_t *value = len && text[0] == '{' ? json_loadb(text, len, 0, NULL) : NULL;
	bool is = value != NULL;

	json_decref(value);
	return is;
}

static size_t end_of_string(const char *json, size_t at)
{
	while (json[at] != '"')
		at += json[at] == '\\' ? 2 : 1;
	return at;
}

static bool redact_is_name(const char *json, size_t len, size_t end)
{
	size_t at = end + 1;

	while (at < len && strchr(" \t\r\n", json[at]))
		at++;
	return at < len && json[at] == ':';
}

/* Names of members and numbers stay, so that the record can be read. */
static void hide_strings(char *json, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		struct redact_extent string = {at + 1, at + 1};

		if (json[at] != '"')
			continue;
		string.to = at = end_of_string(json, at + 1);
		if (!redact_is_name(json, len, at))
			redact_hide(json, &string);
	}
}

static void hide_line(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\n')
			text[i] = '*';
}

/* Returns whether all was tried. */
static bool hide_known(struct redact *redact, char *text, size_t len)
{
	unsigned int kinds = scan_kinds(&redact->scan, text, len);
	bool finished = true;

	if (kinds & SCAN_WORDS)
		hide_words(redact, text, len);
	if (kinds & SCAN_MARKS) {
		hide_urls(redact, text, len);
		hide_queries(redact, text, len);
	}
	if (kinds & SCAN_RUNS)
		hide_tokens(redact, text, len);
	for (size_t i = 0; finished && i < redact->own_count; i++)
		finished = hide_own(redact, &redact->own[i], text, len);
	if (!finished)
		atomic_fetch_add_explicit(&redact->counts[REDACT_UNFINISHED], 1,
					  memory_order_relaxed);
	return finished;
}

void redact_expect_base64(struct redact *redact)
{
	redact->expects_base64 = true;
}

/* Hides secrets in the bytes that a text of base64 stands for. Returns whether all was tried. */
static bool hide_in_base64(struct redact *redact, char *text, size_t len)
{
	struct buf *bytes = &redact->bytes;
	size_t count;
	bool finished;

	if (!len)
		return true;
	buf_clear(bytes);
	if (!base64_decode(bytes, text, len))
		return false;
	count = bytes->len;
	finished = hide_known(redact, bytes->data, count);
	/* Before the bytes are an address. */
	if (!buf_reserve(bytes, len))
		return false;
	base64_append(bytes, bytes->data, count);
	memcpy(text, bytes->data + count, len);
	return finished;
}

/*
 * A quotation mark within a text of JSON has a backslash before it, so this is the name of a
 * member; in base64 there is none.
 */
static bool hide_beside_base64(struct redact *redact, char *text, size_t len)
{
	static const char name[] = "_b64\":\"";
	size_t at = 0;
	bool finished = true;

	for (char *found; (found = memmem(text + at, len - at, name, sizeof(name) - 1));) {
		size_t begin = (size_t)(found - text) + sizeof(name) - 1;
		const char *end = memchr(text + begin, '"', len - begin);

		if (!end)
			break;
		finished &= hide_known(redact, text + at, begin - at);
		at = (size_t)(end - text);
		finished &= hide_in_base64(redact, text + begin, at - begin);
	}
	return hide_known(redact, text + at, len - at) && finished;
}

void redact_text(struct redact *redact, char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--; /* ends the record */
	if (redact->expects_base64 ? hide_beside_base64(redact, text, len)
				   : hide_known(redact, text, len))
		return;
	if (is_json(text, len))
		hide_strings(text, len);
	else
		hide_line(text, len);
}

/* What the next argument is after an option of this text. */
static enum redact_kind kind_after(const char *text, size_t len)
{
	return len && text[0] == '-' ? redact_kind_of_name(text, len) : REDACT_KINDS;
}

static void redact_overwrite(void *context, char *secret, size_t len, enum redact_kind kind)
{
	struct redact *redact = context;

	memset(secret, '*', len);
	atomic_fetch_add_explicit(&redact->counts[kind], 1, memory_order_relaxed);
}

void redact_begin_parts(struct redact *redact)
{
	redact->expected = REDACT_KINDS;
}

void redact_part(struct redact *redact, char *text, size_t len)
{
	enum redact_kind expected = redact->expected;

	redact->expected = kind_after(text, len);
	if (expected == REDACT_KINDS || (len && text[0] == '-') ||
	    redact_is_harmless(text, len, expected)) {
		if (!hide_known(redact, text, len))
			memset(text, '*', len);
	} else {
		redact_overwrite(redact, text, len, expected);
	}
}

void redact_arguments(void *redact, const char *program, char *strings, size_t len)
{
	programs_visit_arguments(program, strings, len, redact_overwrite, redact);
}

uint64_t redact_count(const struct redact *redact, enum redact_kind kind)
{
	return atomic_load_explicit(&redact->counts[kind], memory_order_relaxed);
}
