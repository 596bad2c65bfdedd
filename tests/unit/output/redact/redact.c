/* SPDX-License-Identifier: MIT */
/* What is hidden in records, what is not, and what is counted. */
#include "output/redact/redact.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "util/count.h"

enum { TEXT_MAX = 512 };

static void check_with(struct redact *redact, const char *text, const char *expected)
{
	char copy[TEXT_MAX];

	snprintf(copy, sizeof(copy), "%s", text);
	redact_text(redact, copy, strlen(copy));
	assert_string_equal(copy, expected);
}

static void check(const char *text, const char *expected)
{
	struct redact *redact = NULL;

	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	check_with(redact, text, expected);
	redact_destroy(redact);
}

static void test_values(void **state)
{
	static const char *const cases[][2] = {
		{"mysql --password=hunter2 -u x", "mysql --password=******* -u x"},
		{"mysql --password hunter2 -u x", "mysql --password ******* -u x"},
		{"args=-x.--password.hunter2. tid=5", "args=-x.--password.******** tid=5"},
		{"[{\"stringValue\":\"--token\"},{\"stringValue\":\"ab\"}]",
		 "[{\"stringValue\":\"--token\"},{\"stringValue\":\"**\"}]"},
		{"DB_PASSWORD=a,b", "DB_PASSWORD=*,b"},
		{"curl -d user=a&passwd=b&c=d", "curl -d user=a&passwd=*&c=d"},
		{"{\"token\": \"abc\", \"x\": 1}", "{\"token\": \"***\", \"x\": 1}"},
		{"{\"a\":\"{\\\"token\\\":\\\"abc\\\"}\"}",
		 "{\"a\":\"{\\\"token\\\":\\\"***\\\"}\"}"},
		{"{\"token\":\"a\\nb\\\"c\\\\\",\"x\":1}", "{\"token\":\"****\\\"***\",\"x\":1}"},
		{"{\"a\":\"{\\\"token\\\":\\\"a\\\\\\\"b\\\\nc\\\",\\\"x\\\":1}\"}",
		 "{\"a\":\"{\\\"token\\\":\\\"***\\\"*****\\\",\\\"x\\\":1}\"}"},
		{"{\"a\":\"token=a\\\\b c\"}", "{\"a\":\"token=**** c\"}"},
		{"secret: 'a b' c", "secret: '***' c"},
		{"[\"--api-key\",\"abc\",\"x\"]", "[\"--api-key\",\"***\",\"x\"]"},
		{"AWS_SECRET_ACCESS_KEY=abc/def+g=", "AWS_SECRET_ACCESS_KEY=**********"},
		{"Token=abc;next", "Token=***;next"},
		{"password=a\\nb", "password=*\\nb"},
		{"password", "password"},
		{"{\"token\":5,\"secret\":null}", "{\"token\":5,\"secret\":null}"},
		{"[\"password='a\",\"b'\"]", "[\"password='*\",\"b'\"]"},
		{"password=", "password="},
		{"password= ", "password= "},
		{"--password", "--password"},
		{"[\"--password\",\"two words\",\"x\"]", "[\"--password\",\"*********\",\"x\"]"},
		{"x --password \"two words\" y", "x --password \"*********\" y"},
		{"{\"a\":\"x --password \\\"a b\\\" y\"}",
		 "{\"a\":\"x --password \\\"***\\\" y\"}"},
		{"{\"a\":\"x --password \",\"b\":1}", "{\"a\":\"x --password \",\"b\":1}"},
		/* The name of the next member is no argument. */
		{"{\"a\":\"x --password\",\"b\":1}", "{\"a\":\"x --password\",\"b\":1}"},
		{"{\"a\":\"x --password\",\"b\":\"c\"}",
		 "{\"a\":\"x --password\",\"b\":\"c\"}"},
		{"x --db-pass ab --pass=cd", "x --db-pass ** --pass=**"},
		{"Server=s;Uid=u;Pwd=ab;", "Server=s;Uid=u;Pwd=**;"},
		{"AccountName=a;AccountKey=b+/c==;E=x", "AccountName=a;AccountKey=******;E=x"},
		{"SharedAccessKeyName=n;SharedAccessKey=ab=",
		 "SharedAccessKeyName=n;SharedAccessKey=***"},
		{"{\"a\":\"b\\npass=cd\"}", "{\"a\":\"b\\npass=**\"}"},
		{"userPass=ab x", "userPass=** x"},
		{"CREATE USER u IDENTIFIED BY 'ab'", "CREATE USER u IDENTIFIED BY '**'"},
		{"ALTER USER u WITH PASSWORD 'ab'", "ALTER USER u WITH PASSWORD '**'"},
		{"machine h login u password ab", "machine h login u password **"},
		{"AWS_SECRET_ACCESS_KEY=/aB1cD2eF3gH4iJ5kL6m/x",
		 "AWS_SECRET_ACCESS_KEY=**********************"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(cases[i][0], cases[i][1]);
}

/* Names of files, of variables and of our own fields are no secrets. */
static void test_what_stays(void **state)
{
	static const char *const cases[] = {
		"/var/run/secrets/kubernetes.io/serviceaccount/token",
		"open /etc/passwd O_RDONLY",
		"PWD=/root OLDPWD=/tmp",
		"password_file=/x token-path=/y",
		"tokens are tokens, a secret is a secret",
		"{\"evt.type\":\"openat\",\"fd.name\":\"/etc/passwd\",\"proc.name\":\"passwd\"}",
		"AKIA",
		"xAKIAABCDEFGHIJKLMNOP1",
		"akiaabcdefghijklmnop",
		"user@host:/path",
		"git clone https://host/a@b",
		"mail to a@b.c",
		"docker run -v /etc/passwd:/x img",
		"psql --no-password -h h",
		"prog --token --flag",
		"login --password-file /a/b --password-stdin r",
		"--from-file=password=/run/p",
		"--password=/run/secrets/db",
		"--password ${PASSWORD}",
		"passwd:         files systemd",
		"PasswordAuthentication=no password_min_length=12",
		"--bypass x compass=y",
		"public_key=abc PublicKey = abc key=value",
		"lookup_dcookie cookie=0x7f00112233445566 buffer=x",
		"{\"evt.arg.cookie\":\"0x7f00112233445566\"}",
		"https://h:8443/a@b",
		"https://h/s?q=token+ring&page=2",
		"POST /oauth/token HTTP/1.1",
		"WWW-Authenticate: Bearer realm=\"r\"",
		"PASS all tests\\n",
		"npm_config_registry_of_the_house=x",
		"sk-learn-is-a-name-of-something",
		"/lib/x86_64-linux-gnu/libcrypto.so.3.0.11",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(cases[i], cases[i]);
}

/* Looks like a token. */
#define DATA_IN_BASE64 "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB/"

/* The second value is of "\xff --password=hunter2". What is no base64 is not known: all is hidden. */
static void test_base64(void **state)
{
	static const char *const cases[][2] = {
		{"{\"d_b64\":\"" DATA_IN_BASE64 "\"}\n", "{\"d_b64\":\"" DATA_IN_BASE64 "\"}\n"},
		{"{\"n_b64\":\"/yAtLXBhc3N3b3JkPWh1bnRlcjI=\",\"x\":\"password=a\"}",
		 "{\"n_b64\":\"/yAtLXBhc3N3b3JkPSoqKioqKio=\",\"x\":\"password=*\"}"},
		{"{\"n_b64\":\"\",\"x\":1}", "{\"n_b64\":\"\",\"x\":1}"},
		{"{\"n_b64\":\"ab\",\"x\":\"y\"}", "{\"n_b64\":\"**\",\"x\":\"*\"}"},
	};
	struct redact *redact = NULL;

	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	redact_expect_base64(redact);
	for (size_t i = 0; i < COUNT(cases); i++)
		check_with(redact, cases[i][0], cases[i][1]);
	redact_destroy(redact);
}

static void test_other_forms(void **state)
{
	static const char *const cases[][2] = {
		{"GET / HTTP/1.1\\r\\nAuthorization: Bearer a.b.c\\r\\nHost: x",
		 "GET / HTTP/1.1\\r\\nAuthorization: Bearer *****\\r\\nHost: x"},
		{"authorization: abc", "authorization: ***"},
		{"Set-Cookie: id=1; Path=/\r\nA: b", "Set-Cookie: ************\r\nA: b"},
		{"{\"h\":\"Cookie: a=\\\"b\\\"\",\"i\":1}",
		 "{\"h\":\"Cookie: **\\\"b\\\"\",\"i\":1}"},
		{"key AKIAABCDEFGHIJKLMNOP.", "key AKIA****************."},
		{"ghp_0123456789abcdefghij x", "ghp_******************** x"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln x", "eyJhbGci************************** x"},
		{"-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----",
		 "-----BEGIN RSA PRIVATE KEY-----********-----END RSA PRIVATE KEY-----"},
		{"-----BEGIN PRIVATE KEY-----MIIE", "-----BEGIN PRIVATE KEY-----****"},
		{"-----BEGIN CERTIFICATE-----MIIE", "-----BEGIN CERTIFICATE-----MIIE"},
		{"git clone https://me:s3cret@host/x", "git clone https://me:******@host/x"},
		{"postgres://u:p:q@h/db", "postgres://u:***@h/db"},
		{"amqp://me@host", "amqp://me@host"},
		{"https://aaaaaaaaaabbbbbbbbbb@h/x", "https://********************@h/x"},
		{"https://u:a&b;c@h", "https://u:*****@h"},
		{"https://h/a?b=c&sig=ab%3D&d=e", "https://h/a?b=c&sig=*****&d=e"},
		{"https://h/?X-Amz-Credential=x&X-Amz-Signature=ab",
		 "https://h/?X-Amz-Credential=x&X-Amz-Signature=**"},
		{"https://h/?key=a1&code=b2&session=c3#x",
		 "https://h/?key=**&code=**&session=**#x"},
		{"https://hooks.slack.com/services/T1/B2/aaaaaaaaaaaaaaaa x",
		 "https://hooks.slack.com/services/********************** x"},
		{"https://h/api/webhooks/12/aaaaaaaaaaaaaaaa",
		 "https://h/api/webhooks/12/****************"},
		{"id AKIAABCDEFGHIJKLMNOP:aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd x",
		 "id AKIA****************:**************************************** x"},
		{"u:$6$salt$aaaaaaaaaaaaaaaaaaaa:19000", "u:$6$*************************:19000"},
		{"Authorization: Digest username=\"u\", response=\"ab12\"",
		 "Authorization: Digest username=\"u\", response=\"****\""},
		{"{\"data\":\"PASS ab cd\\r\\n\"}", "{\"data\":\"PASS *****\\r\\n\"}"},
		{"{\"data\":\"AUTH PLAIN abcd\\r\\n\"}", "{\"data\":\"AUTH PLAIN ****\\r\\n\"}"},
		{"Private-Lines: 1\nabcd\nPrivate-MAC: x", "Private-Lines: 1******Private-MAC: x"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(cases[i][0], cases[i][1]);
}

static void test_own_patterns(void **state)
{
	const char *const own[] = {"badge ([0-9]+)", "X[a-z]+"};
	const char *const wrong[] = {"a(b"};
	struct redact *redact = NULL;
	struct error err;

	assert_int_equal(redact_create(own, 2, &redact, NULL), 0);
	check_with(redact, "badge 123, badge 45 Xab", "badge ***, badge ** ***");
	assert_int_equal(redact_count(redact, REDACT_OWN), 3);
	redact_destroy(redact);
	redact = NULL;
	assert_int_equal(redact_create(wrong, 1, &redact, &err), -EINVAL);
	assert_non_null(strstr(err.text, "redact-pattern=a(b: "));
	assert_null(redact);
}

/* Compiled code has a small stack, which must not let a secret through. */
static void test_own_pattern_that_needs_much_stack(void **state)
{
	const char *const own[] = {"key=((?:a|b)*)z"};
	struct redact *redact = NULL;
	static char text[60000];

	memset(text, 'a', sizeof(text));
	memcpy(text, "key=", 4);
	text[sizeof(text) - 1] = 'z';
	assert_int_equal(redact_create(own, 1, &redact, NULL), 0);
	redact_text(redact, text, sizeof(text));
	assert_int_equal(redact_count(redact, REDACT_OWN), 1);
	assert_memory_equal(text + 4, "****", 4);
	redact_destroy(redact);
}

/* No limit of PCRE2 lets a secret through: what was not tried to its end is hidden. */
static void test_own_pattern_that_is_given_up(void **state)
{
	static const char xs[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	const char *const own[] = {"badge ([0-9]+)", "(?:x+x+)+y"};
	char text[TEXT_MAX], expected[TEXT_MAX];
	struct redact *redact = NULL;

	assert_int_equal(redact_create(own, 2, &redact, NULL), 0);
	snprintf(text, sizeof(text), "{\"a\":\"%s\\\"\\u0041\",\"b\" : [5,\"y\"]}\n", xs);
	snprintf(expected, sizeof(expected), "{\"a\":\"%s\\\"******\",\"b\" : [5,\"*\"]}\n", xs);
	for (char *x = expected; (x = strchr(x, 'x'));)
		*x = '*';
	check_with(redact, text, expected);
	assert_int_equal(redact_count(redact, REDACT_UNFINISHED), 1);
	snprintf(text, sizeof(text), "{%s \"y\n", xs);
	memset(expected, '*', strlen(text));
	snprintf(expected + strlen(text) - 1, 2, "\n");
	check_with(redact, text, expected);
	snprintf(text, sizeof(text), "{\"%s\": \"y\"}", xs);
	memset(expected, '*', strlen(text));
	redact_begin_parts(redact);
	redact_part(redact, text, strlen(text));
	assert_memory_equal(text, expected, strlen(text));
	assert_int_equal(redact_count(redact, REDACT_UNFINISHED), 3);
	check_with(redact, "badge 12 xxxy", "badge ** ****");
	assert_int_equal(redact_count(redact, REDACT_UNFINISHED), 3);
	redact_destroy(redact);
}

static void test_counts(void **state)
{
	struct redact *redact = NULL;

	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	check_with(redact, "password=a token=b passwd=c", "password=* token=* passwd=*");
	/* What is hidden already counts once. */
	check_with(redact, "password=*", "password=*");
	assert_int_equal(redact_count(redact, REDACT_PASSWORD), 2);
	assert_int_equal(redact_count(redact, REDACT_TOKENS), 1);
	assert_int_equal(redact_count(redact, REDACT_URLS), 0);
	redact_destroy(redact);
}

static void check_parts(const char *first, const char *second, const char *expected)
{
	struct redact *redact = NULL;
	char parts[2][TEXT_MAX];

	snprintf(parts[0], TEXT_MAX, "%s", first);
	snprintf(parts[1], TEXT_MAX, "%s", second);
	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	redact_part(redact, parts[0], strlen(parts[0]));
	redact_part(redact, parts[1], strlen(parts[1]));
	assert_string_equal(parts[0], first);
	assert_string_equal(parts[1], expected);
	redact_destroy(redact);
}

/* An option at the end of a record has no value in the next one. */
static void redact_parts_of_two_records(void)
{
	char parts[2][TEXT_MAX] = {"--password", "openat"};
	struct redact *redact = NULL;

	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	redact_begin_parts(redact);
	redact_part(redact, parts[0], strlen(parts[0]));
	redact_begin_parts(redact);
	redact_part(redact, parts[1], strlen(parts[1]));
	assert_string_equal(parts[1], "openat");
	redact_destroy(redact);
}

static void test_parts(void **state)
{
	check_parts("--db-password", "hunter2", "*******");
	check_parts("-token", "a b", "***");
	check_parts("-token", "a\"b\\", "****");
	check_parts("password", "hunter2", "hunter2");
	check_parts("--password", "--token", "--token");
	check_parts("--password=", "hunter2", "hunter2");
	check_parts("--user", "token=a", "token=*");
	redact_parts_of_two_records();
}

/* What follows an empty part belongs to something else. */
static void test_parts_apart(void **state)
{
	char option[] = "--password", name[] = "process.pid";
	struct redact *redact;

	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	redact_part(redact, option, strlen(option));
	redact_part(redact, name, 0);
	redact_part(redact, name, strlen(name));
	assert_string_equal(name, "process.pid");
	assert_int_equal(redact_count(redact, REDACT_PASSWORD), 0);
	redact_destroy(redact);
}

/* Valid JSON stays valid, of the same length. */
static void test_random_json(void **state)
{
	static const char *const words[] = {"password",
					    "=",
					    ":",
					    "\\\"",
					    "\\\\",
					    "\\n",
					    "token",
					    " ",
					    "x",
					    "--",
					    "Cookie: ",
					    "://",
					    "@",
					    "\\u0041",
					    ",",
					    "-----BEGIN PRIVATE KEY-----",
					    "'",
					    "\",\"",
					    "AKIA0123456789abcdef",
					    "\u00e9",
					    "secret: '"};
	const char *const own[] = {"x.{3}", "(.)secret"};
	struct redact *redact = NULL;
	unsigned int seed = 1;

	assert_int_equal(redact_create(own, 2, &redact, NULL), 0);
	for (int round = 0; round < UNIT_ROUNDS(50000); round++) {
		char text[TEXT_MAX] = "{\"a\":[\"";
		json_t *json;
		size_t len;

		for (int i = 0; i < 10; i++)
			strcat(text, words[(unsigned int)rand_r(&seed) %
					   (sizeof(words) / sizeof(words[0]))]);
		strcat(text, "\"],\"token\":5,\"secret\":[1],\"x\":\"-----END'\"}");
		len = strlen(text);
		redact_text(redact, text, len);
		assert_int_equal(strlen(text), len);
		json = json_loadb(text, len, 0, NULL);
		if (!json)
			fail_msg("%s", text);
		json_decref(json);
	}
	redact_destroy(redact);
}

/* What ends a record stays, whatever was cut off before it. */
static void test_ends_of_records(void **state)
{
	check("-----BEGIN PRIVATE KEY-----MIIE\n", "-----BEGIN PRIVATE KEY-----****\n");
	check("Private-Lines: 8 AB\n", "Private-Lines: 8***\n");
	check("token=abc\n", "token=***\n");
}

/* A '?' within a value may begin another query. */
static void test_queries(void **state)
{
	check("http://h/?a=b&token=cd&e=f", "http://h/?a=b&token=**&e=f");
	check("?next=http://h/?token=ab&c=d", "?next=http://h/?token=**&c=d");
	check("?key=a?b&sig=c", "?key=***&sig=*");
	check("?key=env:X?sig=c", "?key=env:X?sig=*");
	check("?a?token=b", "?a?token=*");
	check("?a=b?", "?a=b?");
}

/*
 * Half a megabyte of bytes that repeat what is looked at takes moments. It would take minutes if
 * each looked at all that follows it, or that comes before.
 */
static void test_repeated(void **state)
{
	static const char *const repeated[] = {
		"?a=",
		"?a=&b=c",
		"?key=env:",
		"key",
		"password",
		"apikey=env:",
		"password:./",
		"apikey=*.",
		"key='",
		"=PASS ",
		"cookie:digest ",
		"cookie:*.",
		"cookie:a ",
		"@",
		"a:@",
		"://a@",
		"$6$",
		"ghp_.",
		"SG.",
		"eyJ.eyJ.",
		"\\ghp_",
		"--key\",\"",
		"-----BEGIN \"",
		"-----BEGIN PRIVATE KEY-----\"",
		"private-lines: 1\"",
		"password 'a'",
		"login password ",
		"identified by '",
		"hooks.slack.com/services/",
	};
	enum { REPEATED_BYTES = UNIT_ROUNDS(1 << 19) };
	char *text = malloc(REPEATED_BYTES);
	struct redact *redact = NULL;

	assert_non_null(text);
	assert_int_equal(redact_create(NULL, 0, &redact, NULL), 0);
	for (size_t i = 0; i < COUNT(repeated); i++) {
		const size_t n = strlen(repeated[i]);

		for (size_t at = 0; at < REPEATED_BYTES; at++)
			text[at] = repeated[i][at % n];
		redact_text(redact, text, REPEATED_BYTES);
	}
	redact_destroy(redact);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_what_stays),
	cmocka_unit_test(test_base64),
	cmocka_unit_test(test_other_forms),
	cmocka_unit_test(test_own_patterns),
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_parts_apart),
	cmocka_unit_test(test_own_pattern_that_needs_much_stack),
	cmocka_unit_test(test_own_pattern_that_is_given_up),
	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_random_json),
	cmocka_unit_test(test_ends_of_records),
	cmocka_unit_test(test_queries),
	cmocka_unit_test(test_repeated),
};

UNIT_GROUP(tests);
