/* SPDX-License-Identifier: MIT */
/* The table of words before secrets; what names say that they are secret, and which values are not.
 */
#include "output/redact/patterns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "util/count.h"

#define VALUE(word, rare, kind, args...)                                                           \
	{                                                                                          \
		word, rare, REDACT_VALUE, kind, args                                               \
	}
#define PASSWORD(word, rare, args...) VALUE(word, rare, REDACT_PASSWORD, ##args)
#define TOKEN(word, rare, args...) VALUE(word, rare, REDACT_TOKENS, ##args)
#define HASH(word)                                                                                 \
	{                                                                                          \
		word, 0, REDACT_HASH, REDACT_PASSWORD, .least = 20, .exact = word                  \
	}
#define ROW(word, rare, form, kind, args...)                                                       \
	{                                                                                          \
		word, rare, REDACT_##form, REDACT_##kind, ##args                                   \
	}

/* What a "pass" is of that is a password, and a "key" that is secret. */
#define PASS_OWNERS " ssh db store key user require my root admin ldap bind smtp mail ftp ks "
#define KEY_OWNERS                                                                                 \
	" access account api app application auth certificate consumer encryption license "        \
	"mailgun master private secret service shared signing storage stripe yandex "

/*
 * A word also stands for longer names that end with it: "password" for DB_PASSWORD. The fewer rare
 * pairs there are in all, and the fewer first bytes of them, the faster is the search: "as", "ok",
 * "cr", "ey" and "au" are of many words.
 */
const struct redact_pattern redact_patterns[] = {
	PASSWORD("password", 1),
	PASSWORD("passwd", 1),
	PASSWORD("passphrase", 1),
	PASSWORD("passcode", 1),
	PASSWORD("pass", 1, .owners = PASS_OWNERS, .alone = true),
	PASSWORD("pwd", 0, .owners = "", .alone = true),
	PASSWORD("psk", 0, .owners = "", .alone = true),
	TOKEN("secret", 2),
	TOKEN("token", 1),
	TOKEN("credential", 0),
	TOKEN("credentials", 0),
	TOKEN("creds", 0, .owners = "", .alone = true),
	TOKEN("key", 1, .owners = KEY_OWNERS),
	TOKEN("auth", 0, .owners = "", .alone = true),
	TOKEN("bearer", 0, .owners = "", .alone = true),
	ROW("authorization", 0, HEADER, HEADERS),
	ROW("cookie", 2, HEADER, HEADERS),
	ROW("auth ", 0, COMMAND, PASSWORD, .exact = "AUTH "),
	ROW("pass ", 1, COMMAND, PASSWORD, .exact = "PASS "),
	ROW("identified by", 5, QUOTED, PASSWORD),
	ROW("hooks.slack.com/services/", 2, PATH, URLS),
	ROW("webhook.office.com/webhookb2/", 5, PATH, URLS),
	ROW("/api/webhooks/", 10, PATH, URLS),
	HASH("$1$"),
	HASH("$5$"),
	HASH("$6$"),
	HASH("$y$"),
	HASH("$2a$"),
	HASH("$2b$"),
	HASH("$2y$"),
	HASH("$apr1$"),
	HASH("$argon2id$"),
	HASH("$production$"),
	ROW("-----begin ", 4, BLOCK, KEYS),
	ROW("private-lines:", 7, LINES, KEYS),
};
const size_t redact_patterns_count = COUNT(redact_patterns);

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

bool redact_is_word(const char *text, const char *word)
{
	for (; *word; text++, word++) {
		char c = *text >= 'A' && *text <= 'Z' ? (char)(*text | 0x20) : *text;

		if (c != *word)
			return false;
	}
	return true;
}

/* Names. */

/* Whether a part of a name begins at `at`: API_KEY and apiKey have a part that is "key". */
static bool patterns_part_begins(const char *name, size_t at)
{
	if (at == 0 || !isalpha((unsigned char)name[at - 1]))
		return true;
	return isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1]);
}

/* Whether the first `len` bytes of a name end with one of the words, and perhaps '_' or '-'. */
static bool patterns_ends_with_one(const char *name, size_t len, const char *words)
{
	const char *word = words, *end;

	if (len && (name[len - 1] == '_' || name[len - 1] == '-'))
		len--;
	for (; *word && (end = strchr(word + 1, ' ')); word = end) {
		size_t n = (size_t)(end - word) - 1;

		if (n <= len && strncasecmp(name + len - n, word + 1, n) == 0)
			return true;
	}
	return false;
}

/* Names of what is not secret: the directory that a shell is in, half of a signed URL, a switch. */
static bool patterns_is_exempt(const char *name, size_t len)
{
	while (len && name[0] == '-') {
		name++;
		len--;
	}
	return (len == 3 && memcmp(name, "PWD", 3) == 0) ||
	       (len == 16 && strncasecmp(name, "x-amz-credential", len) == 0) ||
	       (len > 3 && memcmp(name, "no-", 3) == 0);
}

bool redact_has_name(const struct redact_pattern *pattern, const char *name, size_t len)
{
	size_t at = len - strlen(pattern->word);

	if (patterns_is_exempt(name, len))
		return false;
	return !pattern->owners || (pattern->alone && patterns_part_begins(name, at)) ||
	       patterns_ends_with_one(name, at, pattern->owners);
}

enum redact_kind redact_kind_of_name(const char *name, size_t len)
{
	for (size_t i = 0; i < redact_patterns_count; i++) {
		const struct redact_pattern *pattern = &redact_patterns[i];
		size_t word = strlen(pattern->word);

		if (pattern->form == REDACT_VALUE && word <= len &&
		    redact_is_word(name + len - word, pattern->word) &&
		    redact_has_name(pattern, name, len))
			return pattern->kind;
	}
	return REDACT_KINDS;
}

/* Values. */

static bool patterns_is_one_of(const char *value, size_t len, const char *words)
{
	for (const char *word = words, *end; *word && (end = strchr(word + 1, ' ')); word = end)
		if ((size_t)(end - word) - 1 == len && strncasecmp(value, word + 1, len) == 0)
			return true;
	return false;
}

static bool patterns_begins_with_one(const char *value, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) <= len && memcmp(value, *words, strlen(*words)) == 0)
			return true;
	return false;
}

/* Whether a part of a path looks made by chance: long, with letters of both cases and digits. */
static bool patterns_is_random(const char *part, size_t len)
{
	bool upper = false, lower = false, digit = false;

	for (size_t i = 0; i < len; i++) {
		upper |= part[i] >= 'A' && part[i] <= 'Z';
		lower |= part[i] >= 'a' && part[i] <= 'z';
		digit |= part[i] >= '0' && part[i] <= '9';
	}
	return len >= 16 && upper && lower && digit;
}

/* A path of several parts; keys in base64 may begin with a slash, too. */
static bool patterns_is_path(const char *value, size_t len)
{
	static const char *const begins[] = {"./", "../", "~/", NULL};
	size_t part = 0, slashes = 0;

	if (value[0] != '/' && !patterns_begins_with_one(value, len, begins))
		return false;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && value[i] != '/') {
			if (!isalnum((unsigned char)value[i]) && !strchr("._-@~:", value[i]))
				return false;
			continue;
		}
		slashes += i < len;
		if (patterns_is_random(value + part, i - part))
			return false;
		part = i + 1;
	}
	return slashes > 1 || value[0] != '/';
}

static bool patterns_is_number(const char *value, size_t len)
{
	enum { NUMBER_MAX = 6 };
	size_t i = 0;

	while (i < len && isdigit((unsigned char)value[i]))
		i++;
	return i == len && len <= NUMBER_MAX;
}

bool redact_is_harmless(const char *value, size_t len, enum redact_kind kind)
{
	/* The last one is looked at as a block. */
	static const char *const begins[] = {"env:", "file:", "fd:", "id=",	    "${", "$(",
					     "<",    "{{",    "%(",  "-----BEGIN ", NULL};
	size_t stars = 0;

	while (stars < len && value[stars] == '*')
		stars++;
	return stars == len || patterns_begins_with_one(value, len, begins) ||
	       patterns_is_one_of(value, len,
				  " true false yes no on off none null nil stdin files compat ") ||
	       (kind == REDACT_TOKENS && patterns_is_number(value, len)) ||
	       patterns_is_path(value, len);
}
