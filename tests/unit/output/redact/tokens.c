/* SPDX-License-Identifier: MIT */
/* The table of prefixes: its order, and each row with as many characters as it needs and one less.
 */
#include "output/redact/tokens.h"

#include <string.h>

#include "output/redact/scan.h"
#include "unit.h"

enum { TEXT_MAX = 256 };

static bool is_found(const char *text, struct redact_extent *secret)
{
	struct redact_extent run;
	size_t len = strlen(text), at;

	run.from = at = scan_run(text, len, 0, &run.to);
	return run.from < len && token_find(text, len, &run, &at, secret);
}

/* A token of a row with so many characters behind its prefix. */
static void make_token(const struct net_token *token, unsigned int n, char *text)
{
	size_t prefix = strlen(token->prefix);

	memcpy(text, token->prefix, prefix);
	for (unsigned int i = 0; i < n; i++)
		text[prefix + i] = "0a1b2c3d4e5f"[i % 12];
	text[prefix + n] = '\0';
}

static void test_rows(void **state)
{
	char text[TEXT_MAX];
	struct redact_extent secret;

	for (size_t i = 0; i < tokens_count; i++) {
		const struct net_token *token = &tokens[i];

		assert_true(i == 0 || tokens[i - 1].prefix[0] <= token->prefix[0]);
		assert_true(!token->most || token->most >= token->least);
		make_token(token, token->least, text);
		if (!is_found(text, &secret))
			fail_msg("%s is not found", text);
		assert_int_equal(secret.from, strlen(token->prefix));
		assert_int_equal(secret.to, strlen(text));
		make_token(token, token->least - 1, text);
		assert_false(is_found(text, &secret));
		if (!token->most)
			continue;
		make_token(token, token->most + 1, text);
		assert_false(is_found(text, &secret));
	}
}

static void test_places(void **state)
{
	static const struct {
		const char *text;
		size_t from;
	} cases[] = {
		{"ghp_0123456789abcdefghij", 4},
		{"args=-x.ghp_0123456789abcdefghij.", 12},
		{"\\nghp_0123456789abcdefghij", 6},
		{"DOMAIN\\\\ghp_0123456789abcdefghij", 12},
		{"\\u000aghp_0123456789abcdefghij", 10},
		{"xghp_0123456789abcdefghij", 0},
		{"ghp_0123456789", 0},
		{"123456789:Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 10},
		{"1:Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
		{"eyJ0aaaaaaaaaaaa.eyJaaaaaaaa.aaaaaaaaaaaaa", 15},
	};
	struct redact_extent secret;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool found = is_found(cases[i].text, &secret);

		if (found != (cases[i].from > 0))
			fail_msg("%s", cases[i].text);
	}
}

static void test_companion(void **state)
{
	static const char text[] = "AKIA0123456789ABCDEF:aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd";
	struct redact_extent secret;

	assert_true(token_find_companion(text, sizeof(text) - 1, 20, &secret));
	assert_int_equal(secret.from, 21);
	assert_int_equal(secret.to, 61);
	assert_false(token_find_companion(text, sizeof(text) - 2, 20, &secret));
	assert_false(token_find_companion(text, sizeof(text) - 1, 19, &secret));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows),
	cmocka_unit_test(test_places),
	cmocka_unit_test(test_companion),
};

UNIT_GROUP(tests);
