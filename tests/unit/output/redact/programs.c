/* SPDX-License-Identifier: MIT */
/* Secrets among arguments, each a string of its own. */
#include "output/redact/programs.h"

#include <string.h>

#include "unit.h"

enum { TEXT_MAX = 512 };

static void overwrite(void *context, char *secret, size_t len, enum redact_kind kind)
{
	memset(secret, '*', len);
	++*(unsigned int *)context;
}

/* Arguments are separated by bars here. */
static void check(const char *program, const char *arguments, const char *expected)
{
	size_t len = strlen(arguments) + 1;
	unsigned int count = 0;
	char text[TEXT_MAX];

	memcpy(text, arguments, len);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '|')
			text[i] = '\0';
	programs_visit_arguments(program, text, len, overwrite, &count);
	for (size_t i = 0; i + 1 < len; i++)
		if (text[i] == '\0')
			text[i] = '|';
	assert_string_equal(text, expected);
	assert_int_equal(count > 0, strcmp(arguments, expected) != 0);
}

static void test_bounds(void **state)
{
	check("x", "--password|two words|-v", "--password|*********|-v");
	check("x", "--password=two words|-v", "--password=*********|-v");
	check("x", "-e|DB_PASS=a, b|img", "-e|DB_PASS=****|img");
	check("curl", "-H|Authorization: Bearer a b|http://h",
	      "-H|Authorization: Bearer ***|http://h");
	check("curl", "-H|X-Api-Key: a b|http://h", "-H|X-Api-Key: ***|http://h");
	check(NULL, "DB_PASSWORD=a b|HOME=/root|PWD=/x", "DB_PASSWORD=***|HOME=/root|PWD=/x");
	check("x", "--password|\xc3\xa9 b|c", "--password|****|c");
	check("x", "--password", "--password");
	check("x", "--password||c", "--password||c");
}

static void test_places(void **state)
{
	check("/usr/bin/mysql", "-u|root|-phunter2|db", "-u|root|-p*******|db");
	check("mysql", "-u|root|-p|db", "-u|root|-p|db");
	check("sudo", "-u|x|mysql|-pa b", "-u|x|mysql|-p***");
	check("sshpass", "-p|a b|ssh|-p|2222|h", "-p|***|ssh|-p|2222|h");
	check("sshpass", "-pab|ssh|-p|2222|h", "-p**|ssh|-p|2222|h");
	check("curl", "-u|me:a b|https://h", "-u|me:***|https://h");
	check("curl", "-sSu|me:ab|https://h", "-sSu|me:**|https://h");
	check("curl", "-u|me|https://h:1/", "-u|me|https://h:1/");
	check("docker", "login|-u|me|-p|ab|r", "login|-u|me|-p|**|r");
	check("docker", "run|-p|8080:80|img", "run|-p|8080:80|img");
	check("sqlplus", "scott/tiger@db", "scott/*****@db");
	check("htpasswd", "-cb|f|me|zip", "-cb|f|me|***");
	check("htpasswd", "f|me|ab", "f|me|ab");
	check("openssl", "rsa|-passin|pass:ab", "rsa|-passin|pass:**");
	check("openssl", "rsa|-passin|env:AB", "rsa|-passin|env:AB");
	check("lftp", "-u|me,ab|h", "-u|me,**|h");
	check("smbclient", "-U|me%ab|//h/s", "-U|me%**|//h/s");
	check("wpa_passphrase", "home|ab", "home|**");
}

/* A shell has its command in one argument. */
static void test_words_of_an_argument(void **state)
{
	check("sh", "-c|mysql -pab db; ls -pab", "-c|mysql -p** db; ls -pab");
	check("sh", "-c|sshpass -p 'ab' ssh h", "-c|sshpass -p '**' ssh h");
}

static void test_what_stays(void **state)
{
	static const char *const cases[] = {
		"--no-password|db",	  "--token|--flag",    "-v|/etc/passwd:/x|img",
		"--password|--verbose|x", "--token-file|/a/b", "--password=/run/secrets/db",
		"--password|true",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check("x", cases[i], cases[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bounds),
	cmocka_unit_test(test_places),
	cmocka_unit_test(test_words_of_an_argument),
	cmocka_unit_test(test_what_stays),
};

UNIT_GROUP(tests);
