/* SPDX-License-Identifier: MIT */
/* The table of secrets, and a finder for each form of pattern. */
#include "output/redact/patterns.h"

#include <ctype.h>
#include <string.h>

/* The table of secrets. */

#define PASSWORD(word, rare)                                                                       \
	{                                                                                          \
		word, rare, REDACT_VALUE, REDACT_PASSWORD                                          \
	}
#define VALUE(word, rare)                                                                          \
	{                                                                                          \
		word, rare, REDACT_VALUE, REDACT_TOKENS                                            \
	}
#define HEADER(word, rare)                                                                         \
	{                                                                                          \
		word, rare, REDACT_HEADER, REDACT_HEADERS                                          \
	}
#define TOKEN(word, rare, exact, least)                                                            \
	{                                                                                          \
		word, rare, REDACT_TOKEN, REDACT_TOKENS, least, exact                              \
	}

/*
 * A word also stands for longer names that end with it: "password" for DB_PASSWORD. The fewer rare
 * pairs there are in all, the faster is the search: many words share "ey", "ok" and "cr".
 */
const struct redact_pattern redact_patterns[] = {
	PASSWORD("password", 3),
	PASSWORD("passwd", 3),
	PASSWORD("passphrase", 3),
	PASSWORD("passcode", 3),
	PASSWORD("mysql_pwd", 6),
	VALUE("secret", 2),
	VALUE("token", 1),
	VALUE("api_key", 5),
	VALUE("api-key", 5),
	VALUE("apikey", 4),
	VALUE("access_key", 8),
	VALUE("access-key", 8),
	VALUE("accesskey", 7),
	VALUE("secret_key", 8),
	VALUE("secret-key", 8),
	VALUE("private_key", 9),
	VALUE("private-key", 9),
	VALUE("credential", 0),
	VALUE("credentials", 0),
	HEADER("authorization", 6),
	HEADER("cookie", 2),
	TOKEN("akia", 2, "AKIA", 16),
	TOKEN("asia", 2, "ASIA", 16),
	TOKEN("ghp_", 0, "ghp_", 20),
	TOKEN("gho_", 0, "gho_", 20),
	TOKEN("ghu_", 0, "ghu_", 20),
	TOKEN("ghs_", 0, "ghs_", 20),
	TOKEN("ghr_", 0, "ghr_", 20),
	TOKEN("github_pat_", 3, "github_pat_", 20),
	TOKEN("glpat-", 0, "glpat-", 16),
	TOKEN("xoxb-", 0, "xoxb-", 16),
	TOKEN("xoxp-", 0, "xoxp-", 16),
	TOKEN("sk_live_", 1, "sk_live_", 16),
	/* A JSON Web Token: {"alg" or {"typ" in base64. */
	TOKEN("eyjhbgci", 0, "eyJhbGci", 16),
	TOKEN("eyj0exai", 0, "eyJ0eXAi", 16),
	{"-----begin ", 4, REDACT_BLOCK, REDACT_KEYS},
};
const size_t redact_patterns_count = sizeof(redact_patterns) / sizeof(redact_patterns[0]);

const char *redact_kind_name(enum redact_kind kind)
{
	static const char *const names[REDACT_KINDS] = {
		[REDACT_PASSWORD] = "password",	    [REDACT_TOKENS] = "token",
		[REDACT_HEADERS] = "header",	    [REDACT_KEYS] = "private_key",
		[REDACT_URLS] = "url_password",	    [REDACT_OWN] = "own_pattern",
		[REDACT_UNFINISHED] = "unfinished",
	};

	return names[kind];
}

/* A finder for each form of pattern. */

enum { BLOCK_TITLE_MAX = 40, URL_MAX = 512 };

static bool patterns_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Of names such as db_password or --db-password. */
static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* What ends a value without quotes. */
static bool ends_value(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'\\&;,)}]<>|", c);
}

static size_t patterns_skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len && patterns_is_blank(text[at]))
		at++;
	return at;
}

/* What a value is in. */
struct quotes {
	char character; /* 0: in none */
	size_t escapes; /* backslashes before it, as in JSON within JSON */
};

/* Skips a quote, also one that is escaped. */
static size_t skip_quote(const char *text, size_t len, size_t at, struct quotes *quotes)
{
	size_t to = at;

	*quotes = (struct quotes){0};
	while (to < len && text[to] == '\\')
		to++;
	if (to == len || !is_quote(text[to]))
		return at;
	*quotes = (struct quotes){text[to], to - at};
	return to + 1;
}

/* Whether the word is the end of an option: --db-password, -token. */
static bool is_option(const char *text, size_t at)
{
	while (at > 0 && is_of_name(text[at - 1]))
		at--;
	return text[at] == '-';
}

/*
 * Skips what stands between an option and its value: a blank, the dot that a NUL is in text, or
 * what is between the texts of a list in JSON, and in that of OpenTelemetry.
 */
static size_t skip_between_arguments(const char *text, size_t len, size_t at)
{
	static const char *const separators[] = {".", "\",\"", "\"},{\"stringValue\":\""};

	if (at < len && patterns_is_blank(text[at]))
		return patterns_skip_blanks(text, len, at);
	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++) {
		size_t n = strlen(separators[i]);

		if (len - at > n && memcmp(text + at, separators[i], n) == 0)
			return at + n;
	}
	return at;
}

/* Of two backslashes the first escapes the second. */
static bool is_escaped(const char *text, size_t at)
{
	size_t before = at;

	while (before > 0 && text[before - 1] == '\\')
		before--;
	return (at - before) % 2;
}

/*
 * Whether a value may begin at `to`, behind a name and what follows it. Of JSON only a text may be
 * changed: after a key itself not a number or an object, and no quote that ends a text begins one.
 */
static bool patterns_may_begin(const char *text, size_t len, bool is_key, size_t to)
{
	bool quoted = text[to - 1] == '"' && !is_escaped(text, to - 1);

	if (is_key)
		return quoted;
	return !quoted || (to < len && !strchr(",}]:\n", text[to]));
}

/*
 * Where the value begins after a name that ends at `at`, and '=' or ':'; `at` if there is none.
 */
static size_t find_value(const char *text, size_t len, size_t at, struct quotes *quotes)
{
	struct quotes closing;
	size_t behind = skip_quote(text, len, at, &closing),
	       to = patterns_skip_blanks(text, len, behind);

	*quotes = (struct quotes){0};
	if (to == len || (text[to] != '=' && text[to] != ':'))
		return at;
	to = skip_quote(text, len, patterns_skip_blanks(text, len, to + 1), quotes);
	return patterns_may_begin(text, len, closing.character == '"' && behind == at + 1, to) ? to
											       : at;
}

/* A backslash in JSON is two of them; before anything else it ends the value. */
static size_t find_end_of_word(const char *text, size_t len, size_t at)
{
	while (at < len) {
		if (len - at > 1 && text[at] == '\\' && text[at + 1] == '\\')
			at += 2;
		else if (ends_value(text[at]))
			break;
		else
			at++;
	}
	return at;
}

/*
 * Whether a quote with so many backslashes before it ends a text whose quotes have `escapes` of
 * them: a quote and a backslash within the text are escaped, and each of these escapes, too.
 */
static bool closes(size_t backslashes, size_t escapes)
{
	return backslashes <= escapes || (backslashes - escapes) % (2 * (escapes + 1)) == 0;
}

static size_t find_closing_quote(const char *text, size_t len, size_t at,
				 const struct quotes *quotes)
{
	size_t backslashes = 0;

	for (; at < len && (unsigned char)text[at] >= ' '; at++) {
		if (text[at] == '\\') {
			backslashes++;
			continue;
		}
		if (text[at] == quotes->character &&
		    (quotes->character == '\'' || closes(backslashes, quotes->escapes)))
			return at - (backslashes < quotes->escapes ? backslashes : quotes->escapes);
		backslashes = 0;
	}
	return at;
}

static bool find_end_of_value(const char *text, size_t len, const struct quotes *quotes,
			      struct extent *secret)
{
	secret->to = quotes->character ? find_closing_quote(text, len, secret->from, quotes)
				       : find_end_of_word(text, len, secret->from);
	return secret->to > secret->from;
}

static bool find_after_word(const struct redact_pattern *pattern, const char *text, size_t len,
			    size_t at, struct extent *secret)
{
	size_t behind = at + strlen(pattern->word);
	struct quotes quotes;

	secret->from = find_value(text, len, behind, &quotes);
	if (secret->from == behind && is_option(text, at))
		secret->from = skip_between_arguments(text, len, behind);
	return secret->from > behind && find_end_of_value(text, len, &quotes, secret);
}

/* The end of a line, of a value in JSON, or of all. */
static size_t find_end_of_line(const char *text, size_t len, size_t at)
{
	for (; at < len && (unsigned char)text[at] >= ' ' && text[at] != '"'; at++) {
		if (text[at] != '\\' || at + 1 == len)
			continue;
		if (strchr("rn\"", text[at + 1]))
			break;
		at++;
	}
	return at;
}

/* The scheme, as "Bearer", stays. */
static bool find_header(const struct redact_pattern *pattern, const char *text, size_t len,
			size_t at, struct extent *secret)
{
	size_t behind = at + strlen(pattern->word), scheme;
	struct quotes quotes;
	size_t from = find_value(text, len, behind, &quotes);

	if (from == behind)
		return false;
	secret->to = find_end_of_line(text, len, from);
	for (scheme = from; scheme < secret->to && isalpha((unsigned char)text[scheme]);)
		scheme++;
	if (scheme > from && scheme < secret->to && patterns_is_blank(text[scheme]))
		from = patterns_skip_blanks(text, secret->to, scheme);
	secret->from = from;
	return secret->to > from;
}

static bool find_token(const struct redact_pattern *pattern, const char *text, size_t len,
		       size_t at, struct extent *secret)
{
	size_t word = strlen(pattern->word), to = at + word;

	if (memcmp(text + at, pattern->exact, word) || (at > 0 && is_of_name(text[at - 1])))
		return false;
	while (to < len && (is_of_name(text[to]) || text[to] == '.'))
		to++;
	*secret = (struct extent){at + word, to};
	return to - at - word >= pattern->least;
}

static bool find_block(const struct redact_pattern *pattern, const char *text, size_t len,
		       size_t at, struct extent *secret)
{
	static const char title[] = "PRIVATE KEY-----", end[] = "-----END";
	size_t from = at + strlen(pattern->word);
	size_t rest = len - from < BLOCK_TITLE_MAX ? len - from : BLOCK_TITLE_MAX;
	const char *found = memmem(text + from, rest, title, sizeof(title) - 1);
	const char *last;

	if (!found)
		return false;
	secret->from = (size_t)(found - text) + sizeof(title) - 1;
	last = memmem(text + secret->from, len - secret->from, end, sizeof(end) - 1);
	secret->to = last ? (size_t)(last - text) : len;
	return secret->to > secret->from;
}

bool extent_find(const struct redact_pattern *pattern, const char *text, size_t len, size_t at,
		 struct extent *secret)
{
	typedef bool finder(const struct redact_pattern *pattern, const char *text, size_t len,
			    size_t at, struct extent *secret);
	static finder *const finders[] = {
		[REDACT_VALUE] = find_after_word,
		[REDACT_HEADER] = find_header,
		[REDACT_TOKEN] = find_token,
		[REDACT_BLOCK] = find_block,
	};

	return finders[pattern->form](pattern, text, len, at, secret);
}

/* Whether "://" ends there. */
static bool is_scheme_end(const char *text, size_t at)
{
	return at >= 2 && memcmp(text + at - 2, "://", 3) == 0;
}

bool extent_find_url(const char *text, size_t at, struct extent *secret)
{
	size_t least = at > URL_MAX ? at - URL_MAX : 0, colon = 0, from = at;

	/* Back to the first colon behind "://". */
	while (from > least && !ends_value(text[from - 1]) && !is_scheme_end(text, from - 1))
		if (text[--from] == ':')
			colon = from;
	if (from == 0 || !is_scheme_end(text, from - 1) || colon == 0 || colon + 1 == at)
		return false;
	*secret = (struct extent){colon + 1, at};
	return true;
}
