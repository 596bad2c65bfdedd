/* SPDX-License-Identifier: MIT */
/* The tables of prefixes and of shapes, and the search in a run of letters and digits. */
#include "output/redact/tokens.h"

#include <ctype.h>
#include <string.h>

#include "util/count.h"

/*
 * The numbers are smaller than what makers give today, and say what no other text has. A prefix
 * stays readable: it tells whose secret it was.
 */
const struct net_token tokens[] = {
	{"A3-", TOKEN_WORD, 30, 40},
	{"ABIA", TOKEN_ALNUM, 16, 16},
	{"ABSK", TOKEN_BASE64, 60, 0},
	{"ACCA", TOKEN_ALNUM, 16, 16},
	{"AGE-SECRET-KEY-1", TOKEN_ALNUM, 40, 0},
	{"AIza", TOKEN_WORD, 30, 40},
	{"AKCp", TOKEN_ALNUM, 60, 80},
	{"AKIA", TOKEN_ALNUM, 16, 16},
	{"API-", TOKEN_ALNUM, 26, 26},
	{"AQVN", TOKEN_WORD, 32, 48},
	{"ASIA", TOKEN_ALNUM, 16, 16},
	{"ATATT3", TOKEN_BASE64, 60, 0},
	{"ATBB", TOKEN_ALNUM, 32, 32},
	{"CLOJARS_", TOKEN_ALNUM, 40, 0},
	{"EAAA", TOKEN_WORD, 40, 80},
	{"EAAC", TOKEN_ALNUM, 60, 0},
	{"EAAM", TOKEN_ALNUM, 60, 0},
	{"EZAK", TOKEN_ALNUM, 40, 64},
	{"EZTK", TOKEN_ALNUM, 40, 64},
	{"FLWSECK_TEST-", TOKEN_WORD, 16, 0},
	{"GOCSPX-", TOKEN_WORD, 16, 0},
	{"GR1348941", TOKEN_WORD, 16, 0},
	{"HRKU-AA", TOKEN_WORD, 30, 0},
	{"K10", TOKEN_BASE64, 48, 0},
	{"LTAI", TOKEN_ALNUM, 16, 24},
	{"NRAK-", TOKEN_ALNUM, 20, 0},
	{"NRII-", TOKEN_WORD, 20, 0},
	{"PMAK-", TOKEN_WORD, 40, 0},
	{"SG.", TOKEN_DOTTED, 40, 0},
	{"SK", TOKEN_HEX, 32, 32},
	{"SWMTKN-1-", TOKEN_WORD, 40, 0},
	{"access-production-", TOKEN_WORD, 36, 36},
	{"access-sandbox-", TOKEN_WORD, 36, 36},
	{"api_org_", TOKEN_ALNUM, 30, 0},
	{"bedrock-api-key-", TOKEN_BASE64, 30, 0},
	{"cio", TOKEN_ALNUM, 32, 32},
	{"cmVmd", TOKEN_ALNUM, 59, 59},
	{"dapi", TOKEN_HEX, 32, 32},
	{"dckr_oat_", TOKEN_WORD, 16, 0},
	{"dckr_pat_", TOKEN_WORD, 16, 0},
	{"doo_v1_", TOKEN_HEX, 32, 0},
	{"dop_v1_", TOKEN_HEX, 32, 0},
	{"dor_v1_", TOKEN_HEX, 32, 0},
	{"dp.pt.", TOKEN_ALNUM, 30, 0},
	{"dt0c01.", TOKEN_DOTTED, 60, 0},
	{"duffel_live_", TOKEN_WORD, 30, 0},
	{"duffel_test_", TOKEN_WORD, 30, 0},
	/* JSON Web Tokens: {"alg", {"typ", {"kid" in base64; any other object in three parts. */
	{"eyJ0eXAi", TOKEN_DOTTED, 16, 0},
	{"eyJhbGci", TOKEN_DOTTED, 16, 0},
	{"eyJraWQi", TOKEN_DOTTED, 16, 0},
	{"eyJrIjoi", TOKEN_BASE64, 40, 0},
	{"fio-u-", TOKEN_WORD, 40, 0},
	{"fm1a_", TOKEN_BASE64, 60, 0},
	{"fm1r_", TOKEN_BASE64, 60, 0},
	{"fm2_", TOKEN_BASE64, 60, 0},
	{"fo1_", TOKEN_WORD, 40, 0},
	{"gho_", TOKEN_ALNUM, 20, 0},
	{"ghp_", TOKEN_ALNUM, 20, 0},
	{"ghr_", TOKEN_ALNUM, 20, 0},
	{"ghs_", TOKEN_ALNUM, 20, 0},
	{"ghu_", TOKEN_ALNUM, 20, 0},
	{"github_pat_", TOKEN_WORD, 20, 0},
	{"glagent-", TOKEN_WORD, 20, 0},
	{"glc_", TOKEN_BASE64, 32, 0},
	{"glcbt-", TOKEN_WORD, 20, 0},
	{"gldt-", TOKEN_WORD, 16, 0},
	{"glft-", TOKEN_WORD, 16, 0},
	{"gloas-", TOKEN_WORD, 20, 0},
	{"glpat-", TOKEN_DOTTED, 16, 0},
	{"glptt-", TOKEN_HEX, 20, 0},
	{"glrt-", TOKEN_DOTTED, 16, 0},
	{"glsa_", TOKEN_WORD, 32, 0},
	{"glsoat-", TOKEN_WORD, 16, 0},
	{"hf_", TOKEN_ALNUM, 30, 0},
	{"hvb.", TOKEN_WORD, 60, 0},
	{"hvs.", TOKEN_WORD, 20, 0},
	{"ico-", TOKEN_ALNUM, 32, 32},
	{"key-", TOKEN_HEX, 32, 32},
	{"lin_api_", TOKEN_ALNUM, 30, 0},
	{"npm_", TOKEN_ALNUM, 30, 0},
	{"ntn_", TOKEN_ALNUM, 36, 0},
	{"ops_eyJ", TOKEN_BASE64, 60, 0},
	{"pat.", TOKEN_DOTTED, 60, 0},
	{"pnu_", TOKEN_ALNUM, 30, 0},
	{"pplx-", TOKEN_ALNUM, 30, 0},
	{"pscale_oauth_", TOKEN_DOTTED, 30, 0},
	{"pscale_pw_", TOKEN_DOTTED, 30, 0},
	{"pscale_tkn_", TOKEN_DOTTED, 30, 0},
	{"pul-", TOKEN_HEX, 40, 40},
	{"pypi-AgEIcHlwaS5vcmc", TOKEN_WORD, 20, 0},
	{"pypi-AgENdGVzdC5weXBpLm9yZw", TOKEN_WORD, 20, 0},
	{"rdme_", TOKEN_ALNUM, 40, 0},
	{"rk_live_", TOKEN_ALNUM, 10, 0},
	{"rk_prod_", TOKEN_ALNUM, 10, 0},
	{"rk_test_", TOKEN_ALNUM, 10, 0},
	{"rubygems_", TOKEN_HEX, 40, 0},
	{"sat.", TOKEN_DOTTED, 60, 0},
	{"sgp_", TOKEN_WORD, 40, 0},
	{"sha256~", TOKEN_WORD, 40, 0},
	{"shippo_live_", TOKEN_HEX, 30, 0},
	{"shippo_test_", TOKEN_HEX, 30, 0},
	{"shpat_", TOKEN_HEX, 30, 0},
	{"shpca_", TOKEN_HEX, 30, 0},
	{"shppa_", TOKEN_HEX, 30, 0},
	{"shpss_", TOKEN_HEX, 30, 0},
	{"sk-admin-", TOKEN_WORD, 20, 0},
	{"sk-ant-", TOKEN_WORD, 20, 0},
	{"sk-proj-", TOKEN_WORD, 20, 0},
	{"sk-svcacct-", TOKEN_WORD, 20, 0},
	{"sk-", TOKEN_ALNUM, 32, 0},
	{"sk_live_", TOKEN_ALNUM, 10, 0},
	{"sk_prod_", TOKEN_ALNUM, 10, 0},
	{"sk_test_", TOKEN_ALNUM, 10, 0},
	{"sntrys_", TOKEN_BASE64, 60, 0},
	{"sntryu_", TOKEN_HEX, 40, 0},
	{"sq0atp-", TOKEN_WORD, 20, 0},
	{"sq0csp-", TOKEN_WORD, 30, 0},
	{"sqa_", TOKEN_HEX, 40, 40},
	{"sqp_", TOKEN_HEX, 40, 40},
	{"squ_", TOKEN_HEX, 40, 40},
	{"tfp_", TOKEN_DOTTED, 40, 0},
	{"tk-us-", TOKEN_WORD, 40, 0},
	{"v1.0-", TOKEN_WORD, 140, 0},
	{"xapp-", TOKEN_WORD, 30, 0},
	{"xkeysib-", TOKEN_WORD, 60, 0},
	{"xox", TOKEN_WORD, 18, 0},
	{"ya29.", TOKEN_WORD, 20, 0},
};
const size_t tokens_count = COUNT(tokens);

/* A shape is steps: a number of characters of a kind, or characters that stand there. */
struct token_step {
	const char *literal; /* NULL: see the others */
	enum token_chars chars;
	unsigned int least, most;
};

/* PART_LEAST: no prefix and what follows it are shorter, but for signs that end a run. */
enum { STEPS_MAX = 6, SHAPE_LEAST = 34, PART_LEAST = 8 };

#define CHARS(kind, least, most)                                                                   \
	{                                                                                          \
		NULL, TOKEN_##kind, least, most                                                    \
	}
#define LITERAL(text)                                                                              \
	{                                                                                          \
		text, TOKEN_HEX, 0, 0                                                              \
	}

static const struct token_shape {
	const char *first; /* the characters that it may begin with; NULL: any */
	bool first_shown; /* the first step stays readable */
	struct token_step steps[STEPS_MAX + 1]; /* ended by one without characters */
} shapes[] = {
	/* Discord's bots */
	{"MNO",
	 false,
	 {CHARS(WORD, 24, 26), LITERAL("."), CHARS(WORD, 6, 6), LITERAL("."), CHARS(WORD, 27, 40)}},
	/* A JSON Web Token whose header begins with another member. */
	{"e",
	 true,
	 {LITERAL("eyJ"), CHARS(WORD, 10, 4096), LITERAL(".eyJ"), CHARS(WORD, 4, 16384),
	  LITERAL("."), CHARS(WORD, 10, 4096)}},
	/* Airtable */
	{"p", true, {LITERAL("pat"), CHARS(ALNUM, 14, 14), LITERAL("."), CHARS(HEX, 64, 64)}},
	/* Terraform Cloud */
	{NULL, false, {CHARS(ALNUM, 14, 14), LITERAL(".atlasv1."), CHARS(WORD, 50, 90)}},
	/* Clients of Azure */
	{NULL, false, {CHARS(WORD, 3, 3), CHARS(HEX, 1, 1), LITERAL("Q~"), CHARS(DOTTED, 30, 36)}},
	/* Mailchimp */
	{NULL, false, {CHARS(HEX, 32, 32), LITERAL("-us"), CHARS(HEX, 1, 2)}},
	/* MaxMind */
	{NULL, false, {CHARS(ALNUM, 6, 6), LITERAL("_"), CHARS(ALNUM, 29, 29), LITERAL("_mmk")}},
};

static bool token_has_char(enum token_chars chars, char c)
{
	static const char *const others[] = {
		[TOKEN_WORD] = "_-",
		[TOKEN_DOTTED] = "_-.",
		[TOKEN_BASE64] = "_-+/=.:",
	};

	if (chars == TOKEN_HEX)
		return isxdigit((unsigned char)c);
	return isalnum((unsigned char)c) || (c && others[chars] && strchr(others[chars], c));
}

/* How many characters of a kind there are from `at` on, but no more than `limit`. */
static size_t token_count(enum token_chars chars, const char *text, size_t len, size_t at,
			  size_t limit)
{
	size_t n = 0;

	while (at + n < len && n < limit && token_has_char(chars, text[at + n]))
		n++;
	return n;
}

static bool token_has_text(const char *text, size_t len, size_t at, const char *wanted)
{
	size_t n = strlen(wanted);

	return len - at >= n && memcmp(text + at, wanted, n) == 0;
}

static bool token_is_at(const struct net_token *token, const char *text, size_t len, size_t at,
			struct redact_extent *secret)
{
	size_t from = at + strlen(token->prefix), n;

	if (!token_has_text(text, len, at, token->prefix))
		return false;
	n = token_count(token->chars, text, len, from, token->most ? token->most + 1 : len);
	*secret = (struct redact_extent){from, from + n};
	return n >= token->least && (!token->most || n <= token->most);
}

static bool token_shape_is_at(const struct token_shape *shape, const char *text, size_t len,
			      size_t at, struct redact_extent *secret)
{
	const struct token_step *step = shape->steps;
	size_t to = at, n;

	if (shape->first && !strchr(shape->first, text[at]))
		return false;
	secret->from = at;
	for (; step->literal || step->most; step++) {
		n = step->literal ? strlen(step->literal)
				  : token_count(step->chars, text, len, to, step->most);
		if (step->literal ? !token_has_text(text, len, to, step->literal) : n < step->least)
			return false;
		to += n;
		if (step == shape->steps && shape->first_shown)
			secret->from = to;
	}
	secret->to = to;
	return true;
}

/* The first row whose prefix begins with the byte. */
static size_t token_first_row(char byte)
{
	size_t low = 0, high = tokens_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tokens[middle].prefix[0] < byte)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool token_find_at(const char *text, size_t len, size_t at, struct redact_extent *secret)
{
	for (size_t i = token_first_row(text[at]);
	     i < tokens_count && tokens[i].prefix[0] == text[at]; i++)
		/* Most rows differ in the second byte, which is compared at once. */
		if (tokens[i].prefix[1] == text[at + 1] &&
		    token_is_at(&tokens[i], text, len, at, secret))
			return true;
	return false;
}

static bool token_find_shape(const char *text, size_t len, size_t at,
			     const struct redact_extent *run, struct redact_extent *secret)
{
	if (run->to - at < SHAPE_LEAST)
		return false;
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (token_shape_is_at(&shapes[i], text, len, at, secret))
			return true;
	return false;
}

/* Telegram's bots, 123456:A..., and applications of Facebook, 123456789012345|...: the number
 * stays. */
static bool token_follows_number(const char *text, const struct redact_extent *run)
{
	static const struct {
		char separator, first;
		size_t digits_least, len;
	} forms[] = {{':', 'A', 5, 35}, {'|', 0, 15, 27}};
	size_t digits = 0;

	for (size_t i = 0; i < COUNT(forms); i++) {
		if (run->from == 0 || text[run->from - 1] != forms[i].separator ||
		    run->to - run->from != forms[i].len ||
		    (forms[i].first && text[run->from] != forms[i].first))
			continue;
		while (digits + 1 < run->from &&
		       isdigit((unsigned char)text[run->from - 2 - digits]))
			digits++;
		return digits >= forms[i].digits_least && digits <= 16;
	}
	return false;
}

/* A letter that a backslash escapes is no part of what follows. */
static size_t token_skip_escape(const char *text, const struct redact_extent *run)
{
	size_t from = run->from, before = from;

	while (before > 0 && text[before - 1] == '\\')
		before--;
	if ((from - before) % 2) /* of two the first escapes the second */
		from += text[from] == 'u' ? 5 : 1;
	return from < run->to ? from : run->to;
}

/* Where the next part of a run begins, behind a dot; the end of the run if there is none. */
static size_t token_next_part(const char *text, const struct redact_extent *run, size_t at)
{
	const char *dot = at < run->to ? memchr(text + at, '.', run->to - at) : NULL;

	return dot ? (size_t)(dot - text) + 1 : run->to;
}

bool token_find(const char *text, size_t len, const struct redact_extent *run, size_t *at,
		struct redact_extent *secret)
{
	size_t first = run->to, from = *at;

	if (from == run->from && token_follows_number(text, run)) {
		*secret = *run;
		*at = run->to;
		return true;
	}
	if (from == run->from)
		from = first = token_skip_escape(text, run);
	for (size_t i = from; i < run->to; i = token_next_part(text, run, i)) {
		if (run->to - i < PART_LEAST)
			continue;
		if (!token_find_at(text, len, i, secret) &&
		    !(i == first && token_find_shape(text, len, i, run, secret)))
			continue;
		*at = token_next_part(text, run, secret->to - 1);
		return true;
	}
	return false;
}

bool token_find_companion(const char *text, size_t len, size_t at, struct redact_extent *secret)
{
	enum { ID_LEN = 20, SECRET_LEN = 40 };
	size_t from = at;

	if (at < ID_LEN || (!token_has_text(text, len, at - ID_LEN, "AKIA") &&
			    !token_has_text(text, len, at - ID_LEN, "ASIA")))
		return false;
	while (from < len && from - at < 3 && strchr(" \t:,;|", text[from]))
		from++;
	*secret = (struct redact_extent){
		from, from + token_count(TOKEN_BASE64, text, len, from, SECRET_LEN + 1)};
	return from > at && secret->to - secret->from == SECRET_LEN;
}
