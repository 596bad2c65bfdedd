/* SPDX-License-Identifier: MIT */
/*
 * A segment of a path is looked at as a whole, then its parts are: runs of letters and digits. What
 * is in braces, and escaped bytes, stay, so that a route is its own route.
 */
#include "requests/metrics/cluster.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "util/count.h"

/* What texts are made of, by byte. */
enum { DIGIT = 1, LOWER = 2, UPPER = 4, HEX = 8, BASE64 = 16, LETTER = LOWER | UPPER };

static const unsigned char kinds[256] = {
	['0' ... '9'] = DIGIT | HEX,
	['a' ... 'f'] = LOWER | HEX,
	['g' ... 'z'] = LOWER,
	['A' ... 'F'] = UPPER | HEX,
	['G' ... 'Z'] = UPPER,
	['+'] = BASE64,
	['-'] = BASE64,
	['_'] = BASE64,
	['='] = BASE64,
};

static unsigned int kind_of(char c)
{
	return kinds[(unsigned char)c];
}

static bool is_alnum(char c)
{
	return kind_of(c) & (DIGIT | LETTER);
}

/* What is known of the bytes of a text. */
struct census {
	size_t len, digits, changes; /* from a kind to another one */
	unsigned int any, all; /* kinds that a byte has, and that every byte has */
};

static struct census cluster_count(const char *text, size_t len)
{
	struct census census = {.len = len, .all = ~0u};
	unsigned int before = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned int kind = kind_of(text[i]), class = kind & (DIGIT | LETTER);

		census.any |= kind ? kind : ~0u;
		census.all &= kind;
		census.digits += class == DIGIT;
		census.changes += i && class != before;
		before = class;
	}
	return census;
}

/* Where a text becomes what. A zeroed place is a part that stays. */
struct cluster_out {
	char *text;
	size_t len, room;
	bool is_full;
};

static void put(struct cluster_out *out, const char *text, size_t len)
{
	if (out->is_full || len >= out->room - out->len) {
		out->is_full = true;
		return;
	}
	memcpy(out->text + out->len, text, len);
	out->len += len;
}

static void put_word(struct cluster_out *out, const char *word)
{
	put(out, word, strlen(word));
}

static const size_t uuid_dashes[] = {8, 13, 18, 23};

enum { UUID_LEN = 36 };

static bool is_uuid(const char *text, size_t len)
{
	if (len < UUID_LEN || (len > UUID_LEN && is_alnum(text[UUID_LEN])))
		return false;
	for (size_t i = 0, dash = 0; i < UUID_LEN; i++) {
		bool at_dash = dash < COUNT(uuid_dashes) && i == uuid_dashes[dash];

		if (at_dash ? text[i] != '-' : !(kind_of(text[i]) & HEX))
			return false;
		dash += at_dash;
	}
	return true;
}

/* "a@b.c", its @ escaped or not. */
static bool is_email(const char *text, size_t len)
{
	const char *end = text + len, *at = memchr(text, '@', len), *host;
	size_t sign = 1;

	if (!at && memchr(text, '%', len)) {
		at = memmem(text, len, "%40", 3);
		sign = 3;
	}
	if (!at || at == text)
		return false;
	host = at + sign;
	return host < end && memchr(host + 1, '.', (size_t)(end - host) - 1) && end[-1] != '.';
}

/* Random bytes as text: of all kinds, which change often, as they do not in words. */
static bool is_base64(const char *text, size_t len)
{
	struct census census;

	if (len < 16)
		return false;
	census = cluster_count(text, len);
	if (census.any & ~(unsigned int)(DIGIT | LETTER | HEX | BASE64))
		return false;
	if (text[len - 1] == '=')
		return true;
	return (census.any & LOWER) && (census.any & UPPER) && census.digits * 16 >= len &&
	       census.changes * 9 >= len * 4;
}

/* Letters, then three digits or more: user123. Returns how many letters; 0: it is none. */
static size_t numbered(const char *text, const struct census *census)
{
	size_t letters = census->len - census->digits;

	return census->digits >= 3 && census->changes == 1 && !(kind_of(text[0]) & DIGIT) ? letters
											  : 0;
}

/* A run of letters and digits. */
static void put_run(struct cluster_out *out, const char *text, size_t len)
{
	struct census census = cluster_count(text, len);
	size_t letters = numbered(text, &census);

	if (census.digits == len) {
		put_word(out, "{number}");
	} else if ((census.all & HEX) && ((len >= 8 && census.digits) || len >= 16)) {
		put_word(out, "{hash}");
	} else if (letters) {
		put(out, text, letters);
		put_word(out, "{number}");
	} else if ((len >= 6 && census.digits >= 2 && census.changes >= 3) ||
		   (len >= 10 && census.digits >= 2 && census.changes * 2 >= len)) {
		put_word(out, "{id}");
	} else {
		put(out, text, len);
	}
}

/* How many bytes from here stay as they are: something in braces, an escaped byte, a sign. */
static size_t kept(const char *text, size_t len)
{
	const char *brace = *text == '{' ? memchr(text, '}', len) : NULL;

	if (brace)
		return (size_t)(brace + 1 - text);
	if (*text == '%' && len >= 3 && (kind_of(text[1]) & HEX) && (kind_of(text[2]) & HEX))
		return 3;
	return 1;
}

static void put_parts(struct cluster_out *out, const char *text, size_t len)
{
	for (size_t n; len; text += n, len -= n) {
		if (is_uuid(text, len)) {
			n = UUID_LEN;
			put_word(out, "{uuid}");
		} else if (is_alnum(*text)) {
			for (n = 1; n < len && is_alnum(text[n]);)
				n++;
			put_run(out, text, n);
		} else {
			n = kept(text, len);
			put(out, text, n);
		}
	}
}

/* "v1.41", which few routes differ by. */
static bool is_version(const char *text, size_t len)
{
	size_t n = 1;

	while (n < len && (text[n] == '.' || (kind_of(text[n]) & DIGIT)))
		n++;
	return len > 1 && len <= 8 && (*text == 'v' || *text == 'V') && n == len;
}

static void put_segment(struct cluster_out *out, const char *text, size_t len)
{
	if (is_version(text, len))
		put(out, text, len);
	else if (is_email(text, len))
		put_word(out, "{email}");
	else if (is_uuid(text, len) && len == UUID_LEN)
		put_word(out, "{uuid}");
	else if (is_base64(text, len))
		put_word(out, "{base64}");
	else
		put_parts(out, text, len);
}

/* Behind the scheme and the host of a URL. */
static const char *path_of(const char *target)
{
	const char *host = *target == '/' ? NULL : strstr(target, "://");

	return host ? host + 3 + strcspn(host + 3, "/?#") : target;
}

/* What does not fit, and what is too deep, is an asterisk. */
static void end_early(struct cluster_out *out, size_t whole)
{
	out->len = whole;
	out->is_full = false;
	out->room += 2;
	put_word(out, "/*");
	out->is_full = true;
}

size_t cluster_route(const char *target, char route[CLUSTER_ROUTE_BYTES])
{
	struct cluster_out out = {route, .room = CLUSTER_ROUTE_BYTES - 2};
	const char *path = path_of(target);
	size_t segments = 0;

	while (*path == '/' && !out.is_full) {
		size_t whole = out.len, len = strcspn(path + 1, "/?#");

		/* Already cut. */
		if (len == 1 && path[1] == '*' && path[2] == '\0')
			segments--;
		put(&out, "/", 1);
		put_segment(&out, path + 1, len);
		path += 1 + len;
		if (out.is_full || ++segments > CLUSTER_SEGMENTS_MAX)
			end_early(&out, whole);
	}
	route[out.len] = '\0';
	return out.len;
}

size_t cluster_name(const char *host, char name[CLUSTER_ROUTE_BYTES])
{
	struct cluster_out out = {name, .room = CLUSTER_ROUTE_BYTES};

	put_parts(&out, host, strlen(host));
	name[out.len] = '\0';
	return out.len;
}

/* Statements. */

static bool is_name_byte(char c)
{
	return is_alnum(c) || c == '_' || c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

/* The bytes of a word or of a name, whose parts may be quoted; 0: there is none here. */
static size_t name_len(const char *text)
{
	size_t len = 0;

	for (;;) {
		size_t quoted;

		if (is_name_byte(text[len])) {
			len++;
			continue;
		}
		if (text[len] != '"' && text[len] != '`')
			return len;
		quoted = strcspn(text + len + 1, text[len] == '"' ? "\"" : "`");
		if (!text[len + 1 + quoted])
			return len;
		len += quoted + 2;
	}
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

/* Of each verb, the word behind which its table stands; "": behind the verb. */
static const struct {
	const char *verb, *before;
} verbs[] = {
	{"SELECT", "FROM"},  {"INSERT", "INTO"},   {"UPDATE", ""},	{"DELETE", "FROM"},
	{"REPLACE", "INTO"}, {"MERGE", "INTO"},	   {"COPY", ""},	{"TRUNCATE", ""},
	{"CREATE", "TABLE"}, {"ALTER", "TABLE"},   {"DROP", "TABLE"},	{"WITH", "FROM"},
	{"LOCK", "TABLE"},   {"ANALYZE", "TABLE"}, {"EXPLAIN", "FROM"}, {"DECLARE", "FROM"},
};

/* Words that may stand in front of the table. */
static const char *const fillers[] = {"ONLY",	"TABLE", "IF",		 "NOT",
				      "EXISTS", "INTO",	 "LOW_PRIORITY", "IGNORE"};

static bool is_filler(const char *text, size_t len)
{
	for (size_t i = 0; i < COUNT(fillers); i++)
		if (is_word(text, len, fillers[i]))
			return true;
	return false;
}

static const char *word_before(const char *verb)
{
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (strcasecmp(verb, verbs[i].verb) == 0)
			return verbs[i].before;
	return NULL;
}

/* A name without its quotes. */
static size_t put_table(const char *name, size_t len, char table[CLUSTER_TABLE_BYTES])
{
	struct cluster_out out = {table, .room = CLUSTER_TABLE_BYTES};
	char plain[CLUSTER_TABLE_BYTES];
	size_t n = 0;

	for (size_t i = 0; i < len && n < sizeof(plain) - 1; i++)
		if (name[i] != '"' && name[i] != '`')
			plain[n++] = name[i];
	put_parts(&out, plain, n);
	table[out.len] = '\0';
	return out.len;
}

size_t cluster_table(const char *verb, const char *statement, char table[CLUSTER_TABLE_BYTES])
{
	const char *before = word_before(verb);
	bool is_next = false, is_begun = false;

	table[0] = '\0';
	if (!before)
		return 0;
	for (size_t len; *statement; statement += len ? len : 1) {
		len = name_len(statement);
		if (len == 0) {
			/* A statement in parentheses has its own. */
			is_next &= *statement == ' ';
			continue;
		}
		if (is_next && !is_filler(statement, len))
			return put_table(statement, len, table);
		if (is_next)
			continue;
		is_next = *before ? is_word(statement, len, before) : !is_begun;
		is_begun = true;
	}
	return 0;
}
