/* SPDX-License-Identifier: MIT */
/*
 * Where the secret behind a word begins and ends: a finder for each form of pattern. Texts are of
 * other processes, which may repeat a word as often as they like: what a finder looks at is
 * bounded, or hidden, so that no other word stands in it and it is looked at once.
 */
#include "output/redact/patterns.h"

#include <ctype.h>
#include <string.h>

#include "util/count.h"

enum {
	BLOCK_TITLE_MAX = 40,
	DIGEST_MAX = 1024,
	URL_MAX = 512,
	URL_TOKEN_LEAST = 20,
	URL_PATH_LEAST = 16,
	LOGIN_MAX = 80, /* how far before a password "login" stands in a file .netrc */
	NAME_MAX_BYTES = 128,
	HARMLESS_MAX = 512, /* a longer value is hidden, whatever it looks like */
	COMMAND_MAX = 512, /* likewise a line */
	KEY_MAX = 1 << 16, /* of a key in a block: up to its end */
	ATS_MAX = 8, /* in a password of a URL */
	NUMBER_MAX = 18, /* 0x and 64 bits */
};

static bool extent_is_blank(char c)
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

static size_t extent_skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len && extent_is_blank(text[at]))
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

/*
 * What is between the texts of a list in JSON, and in that of OpenTelemetry; but the name of the
 * next member is no text of a list.
 */
static size_t skip_to_next_text(const char *text, size_t len, size_t at, struct quotes *quotes)
{
	static const char *const separators[] = {"\",\"", "\"},{\"stringValue\":\""};
	size_t end;

	for (size_t i = 0; i < COUNT(separators); i++) {
		size_t n = strlen(separators[i]);

		if (len - at <= n || memcmp(text + at, separators[i], n) != 0)
			continue;
		*quotes = (struct quotes){'"', 0};
		end = find_closing_quote(text, len, at + n, quotes);
		return end + 1 < len && text[end] == '"' && text[end + 1] == ':' ? at : at + n;
	}
	return at;
}

/* Where a text stands within `max` bytes; NULL: nowhere. */
static const char *find_within(const char *text, size_t len, size_t from, size_t max,
			       const char *wanted)
{
	size_t rest = len - from < max ? len - from : max;

	return memmem(text + from, rest, wanted, strlen(wanted));
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
static bool extent_may_begin(const char *text, size_t len, bool is_key, size_t to)
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
	static const char attribute[] = " value="; /* of XML, after one that names the key */
	struct quotes closing;
	size_t behind = skip_quote(text, len, at, &closing),
	       to = extent_skip_blanks(text, len, behind);

	*quotes = (struct quotes){0};
	if (behind > at && len - behind > sizeof(attribute) &&
	    memcmp(text + behind, attribute, sizeof(attribute) - 1) == 0)
		to = behind + sizeof(attribute) - 2;
	if (to == len || (text[to] != '=' && text[to] != ':'))
		return at;
	to = skip_quote(text, len, extent_skip_blanks(text, len, to + 1), quotes);
	return extent_may_begin(text, len, closing.character == '"' && behind == at + 1, to) ? to
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

static bool find_end_of_value(const char *text, size_t len, const struct quotes *quotes,
			      struct redact_extent *secret)
{
	secret->to = quotes->character ? find_closing_quote(text, len, secret->from, quotes)
				       : find_end_of_word(text, len, secret->from);
	return secret->to > secret->from;
}

/* Whether asterisks stand from `from` up to `to`, or a blank or dot: what knew its end hid it. */
static bool is_hidden(const char *text, size_t from, size_t to)
{
	size_t at = from;

	while (at < to && text[at] == '*')
		at++;
	return at > from && (at == to || text[at] == ' ' || text[at] == '.');
}

/* Whether a value, whose end is known, is none to hide. */
static bool extent_is_harmless(const char *text, const struct redact_extent *secret,
			       enum redact_kind kind)
{
	return secret->to - secret->from <= HARMLESS_MAX &&
	       (is_hidden(text, secret->from, secret->to) ||
		redact_is_harmless(text + secret->from, secret->to - secret->from, kind));
}

/* The name that the word is the end of; a letter that a backslash escapes is no part of it. */
static size_t begin_of_name(const char *text, size_t at)
{
	size_t begin = at;

	while (begin > 0 && at - begin < NAME_MAX_BYTES && is_of_name(text[begin - 1]))
		begin--;
	if (begin < at && is_escaped(text, begin))
		begin += text[begin] == 'u' && at - begin >= 5 ? 5 : 1;
	return begin;
}

/*
 * Where the argument begins that follows an option, in text or in a list; `behind`: there is none,
 * as of a switch before another option.
 */
static size_t find_argument(const char *text, size_t len, size_t behind, struct quotes *quotes)
{
	size_t from = skip_to_next_text(text, len, behind, quotes), quoted;

	if (from == behind && behind < len && text[behind] == '.') {
		from++;
	} else if (from == behind) {
		from = extent_skip_blanks(text, len, behind);
		quoted = from > behind ? skip_quote(text, len, from, quotes) : from;
		if (quoted > from && !extent_may_begin(text, len, false, quoted))
			return behind;
		from = quoted;
	}
	return from < len && text[from] == '-' ? behind : from;
}

/* password 'X' of SQL; login X password Y of a file .netrc. */
static size_t find_in_language(const char *text, size_t len, size_t at, size_t behind,
			       struct quotes *quotes)
{
	static const char login[] = "login ";
	size_t from = extent_skip_blanks(text, len, behind);
	size_t before = at > LOGIN_MAX ? at - LOGIN_MAX : 0;

	if (from == behind || from == len)
		return behind;
	if (text[from] == '\'') {
		*quotes = (struct quotes){'\'', 0};
		return from + 1;
	}
	return memmem(text + before, at - before, login, sizeof(login) - 1) ? from : behind;
}

/* "/etc/passwd:/x": the end of a path, not a name. */
static bool is_end_of_path(const char *text, size_t len, size_t begin, size_t behind)
{
	return begin > 0 && text[begin - 1] == '/' && behind < len && text[behind] == ':';
}

static bool find_after_word(const struct redact_pattern *pattern, const char *text, size_t len,
			    size_t at, struct redact_extent *secret)
{
	size_t behind = at + strlen(pattern->word), begin = begin_of_name(text, at);
	struct quotes quotes;

	secret->from = find_value(text, len, behind, &quotes);
	if (secret->from == behind && text[begin] == '-')
		secret->from = find_argument(text, len, behind, &quotes);
	else if (secret->from == behind && pattern->kind == REDACT_PASSWORD)
		secret->from = find_in_language(text, len, at, behind, &quotes);
	return secret->from > behind && redact_has_name(pattern, text + begin, behind - begin) &&
	       !is_end_of_path(text, len, begin, behind) &&
	       find_end_of_value(text, len, &quotes, secret) &&
	       !extent_is_harmless(text, secret, pattern->kind);
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

/* Digest username="u", response="X": what answers the question of the server is secret. */
static bool find_digest(const char *text, size_t len, size_t from, struct redact_extent *secret)
{
	static const char name[] = "response=";
	const char *found = find_within(text, len, from, DIGEST_MAX, name);
	struct quotes quotes;

	if (!found)
		return false;
	secret->from = skip_quote(text, len, (size_t)(found - text) + sizeof(name) - 1, &quotes);
	for (secret->to = secret->from;
	     secret->to < len && isxdigit((unsigned char)text[secret->to]);)
		secret->to++;
	return secret->to > secret->from;
}

/* The parameter of lookup_dcookie(2), as events have it: 0x1f. */
static bool is_hex_number(const char *text, size_t len, size_t from)
{
	size_t at = from + 2;

	if (len - from < 3 || memcmp(text + from, "0x", 2) != 0)
		return false;
	while (at < len && at - from < NUMBER_MAX && isxdigit((unsigned char)text[at]))
		at++;
	return at == len || ends_value(text[at]);
}

/* The scheme, as "Bearer", stays. */
static bool find_header(const struct redact_pattern *pattern, const char *text, size_t len,
			size_t at, struct redact_extent *secret)
{
	size_t behind = at + strlen(pattern->word), scheme;
	struct quotes quotes;
	size_t from = find_value(text, len, behind, &quotes);

	if (from == behind)
		return false;
	if (len - from > strlen("digest ") && redact_is_word(text + from, "digest "))
		return find_digest(text, len, from, secret);
	for (scheme = from; scheme < len && isalpha((unsigned char)text[scheme]);)
		scheme++;
	if (scheme > from && scheme < len && extent_is_blank(text[scheme]))
		from = extent_skip_blanks(text, len, scheme);
	if (is_hidden(text, from, len) || is_hex_number(text, len, from))
		return false;
	*secret = (struct redact_extent){from, find_end_of_line(text, len, from)};
	return secret->to > from;
}

static bool is_of_hash(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("./$=,+-", c));
}

static bool find_hash(const struct redact_pattern *pattern, const char *text, size_t len, size_t at,
		      struct redact_extent *secret)
{
	size_t from = at + strlen(pattern->word), to = from;

	while (to < len && is_of_hash(text[to]))
		to++;
	*secret = (struct redact_extent){from, to};
	return to - from >= pattern->least;
}

static bool find_block(const struct redact_pattern *pattern, const char *text, size_t len,
		       size_t at, struct redact_extent *secret)
{
	static const char *const titles[] = {"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"};
	size_t from = at + strlen(pattern->word);
	const char *found = NULL, *last;
	size_t i = 0;

	while (!found && i < COUNT(titles))
		found = find_within(text, len, from, BLOCK_TITLE_MAX, titles[i++]);
	if (!found)
		return false;
	secret->from = (size_t)(found - text) + strlen(titles[i - 1]);
	last = find_within(text, len, secret->from, KEY_MAX, "-----END");
	secret->to = last ? (size_t)(last - text) : len;
	return secret->to > secret->from;
}

/* Behind the number of lines. */
static bool find_lines(const struct redact_pattern *pattern, const char *text, size_t len,
		       size_t at, struct redact_extent *secret)
{
	size_t from = extent_skip_blanks(text, len, at + strlen(pattern->word));
	const char *last;

	while (from < len && isdigit((unsigned char)text[from]))
		from++;
	last = find_within(text, len, from, KEY_MAX, "Private-MAC");
	*secret = (struct redact_extent){from, last ? (size_t)(last - text) : len};
	return secret->to > secret->from;
}

static bool find_quoted(const struct redact_pattern *pattern, const char *text, size_t len,
			size_t at, struct redact_extent *secret)
{
	size_t behind = at + strlen(pattern->word), from = extent_skip_blanks(text, len, behind);
	struct quotes quotes;

	secret->from = skip_quote(text, len, from, &quotes);
	return from > behind && secret->from > from &&
	       extent_may_begin(text, len, false, secret->from) &&
	       find_end_of_value(text, len, &quotes, secret);
}

/* An id that is a number stays. */
static bool find_path(const struct redact_pattern *pattern, const char *text, size_t len, size_t at,
		      struct redact_extent *secret)
{
	size_t from = at + strlen(pattern->word), to = from;

	while (to < len && isdigit((unsigned char)text[to]))
		to++;
	if (to > from && to < len && text[to] == '/')
		from = to + 1;
	for (to = from; to < len && !ends_value(text[to]);)
		to++;
	*secret = (struct redact_extent){from, to};
	return to - from >= URL_PATH_LEAST;
}

/* Whether a line of data begins there: behind a quote, the name of a parameter, or a newline. */
static bool is_begin_of_line(const char *text, size_t at)
{
	if (at == 0 || strchr("\"'=\n", text[at - 1]))
		return true;
	return text[at - 1] == 'n' && is_escaped(text, at - 1);
}

/* AUTH PLAIN X: how the password is given stays. */
static size_t skip_mechanism(const char *text, size_t len, size_t at)
{
	static const char *const names[] = {"PLAIN ", "LOGIN ", "XOAUTH2 ", "OAUTHBEARER "};

	for (size_t i = 0; i < COUNT(names); i++)
		if (len - at > strlen(names[i]) &&
		    memcmp(text + at, names[i], strlen(names[i])) == 0)
			return at + strlen(names[i]);
	return at;
}

/* Such protocols end lines with "\r\n", unlike lines of text. */
static bool find_command(const struct redact_pattern *pattern, const char *text, size_t len,
			 size_t at, struct redact_extent *secret)
{
	size_t word = strlen(pattern->word);

	if (memcmp(text + at, pattern->exact, word) != 0 || !is_begin_of_line(text, at))
		return false;
	secret->from = skip_mechanism(text, len, at + word);
	secret->to = find_end_of_line(text, len, secret->from);
	return secret->to > secret->from &&
	       (secret->to - secret->from > COMMAND_MAX || secret->to == len ||
		text[secret->to] == '\r' || text[secret->to] == '"' ||
		(text[secret->to] == '\\' && secret->to + 1 < len && text[secret->to + 1] == 'r'));
}

bool extent_find(const struct redact_pattern *pattern, const char *text, size_t len, size_t at,
		 struct redact_extent *secret)
{
	typedef bool finder(const struct redact_pattern *pattern, const char *text, size_t len,
			    size_t at, struct redact_extent *secret);
	static finder *const finders[] = {
		[REDACT_VALUE] = find_after_word, [REDACT_HEADER] = find_header,
		[REDACT_HASH] = find_hash,	  [REDACT_BLOCK] = find_block,
		[REDACT_LINES] = find_lines,	  [REDACT_QUOTED] = find_quoted,
		[REDACT_PATH] = find_path,	  [REDACT_COMMAND] = find_command,
	};

	return finders[pattern->form](pattern, text, len, at, secret);
}

/* Whether "://" ends there. */
static bool is_scheme_end(const char *text, size_t at)
{
	return at >= 2 && memcmp(text + at - 2, "://", 3) == 0;
}

/* What ends the part of a URL that names the user. */
static bool ends_user(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'<>/\\", c);
}

bool extent_find_url(const char *text, size_t at, struct redact_extent *secret)
{
	size_t least = at > URL_MAX ? at - URL_MAX : 0, colon = 0, from = at, ats = 0;
	bool is_word = true;

	/* Back to the first colon behind "://". */
	while (from > least && !ends_user(text[from - 1])) {
		from--;
		if (text[from] == ':')
			colon = from;
		else if (!is_of_name(text[from]))
			is_word = false;
		if (text[from] == '@' && ++ats > ATS_MAX)
			return false;
	}
	if (from == 0 || !is_scheme_end(text, from - 1))
		return false;
	*secret = (struct redact_extent){colon ? colon + 1 : from, at};
	return colon ? at > colon + 1 : is_word && at - from >= URL_TOKEN_LEAST;
}

/* Some are no names of secrets elsewhere. */
static bool is_secret_key(const char *key, size_t len)
{
	static const char *const keys[] = {"key", "sig", "code", "session", "jwt"};
	static const char ending[] = "signature";

	for (size_t i = 0; i < COUNT(keys); i++)
		if (strlen(keys[i]) == len && redact_is_word(key, keys[i]))
			return true;
	return redact_kind_of_name(key, len) != REDACT_KINDS ||
	       (len >= sizeof(ending) - 1 &&
		redact_is_word(key + len - (sizeof(ending) - 1), ending));
}

static bool ends_value_of_query(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'<>\\&#", c);
}

bool extent_find_query(const char *text, size_t len, size_t *at, struct redact_extent *secret)
{
	size_t key, to = *at;
	bool found = false;

	do {
		key = to;
		while (to < len && (is_of_name(text[to]) || text[to] == '.'))
			to++;
		if (to == key || to == len || text[to] != '=')
			break;
		secret->from = secret->to = to + 1;
		while (secret->to < len && text[secret->to] != '?' &&
		       !ends_value_of_query(text[secret->to]))
			secret->to++;
		found = is_secret_key(text + key, to - key) &&
			!extent_is_harmless(text, secret, REDACT_TOKENS);
		/* A '?' ends what is looked at, and not what is hidden. */
		while (found && secret->to < len && !ends_value_of_query(text[secret->to]))
			secret->to++;
		to = secret->to + (secret->to < len);
	} while (!found && to < len && strchr("&?", text[to - 1]));
	*at = to;
	return found;
}
