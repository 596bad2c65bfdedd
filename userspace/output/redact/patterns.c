/* SPDX-License-Identifier: MIT */
/* The table of secrets. */
#include "output/redact/patterns.h"

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
		[REDACT_PASSWORD] = "password", [REDACT_TOKENS] = "token",
		[REDACT_HEADERS] = "header",	[REDACT_KEYS] = "private_key",
		[REDACT_URLS] = "url_password", [REDACT_OWN] = "own_pattern",
		[REDACT_UNFINISHED] = "unfinished",
	};

	return names[kind];
}
