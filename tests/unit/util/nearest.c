/* SPDX-License-Identifier: MIT */
/* The word that was meant. */
#include <string.h>

#include "unit.h"
#include "util/nearest.h"

static const char *find(const char *text)
{
	static const char *const words[] = {"open",    "openat", "proc.name",
					    "fd.name", "x",	 "SIGKILL"};
	struct nearest nearest;

	nearest_init(&nearest, text, strlen(text));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		nearest_offer(&nearest, words[i]);
	return nearest.word;
}

static void test_near(void **state)
{
	assert_string_equal(find("opan"), "open");
	assert_string_equal(find("ope"), "open");
	assert_string_equal(find("opne"), "open");
	assert_string_equal(find("poen"), "open");
	assert_string_equal(find("oopen"), "open");
	assert_string_equal(find("opnat"), "openat");
	assert_string_equal(find("OPEN"), "open");
	assert_string_equal(find("OPNE"), "open");
	assert_string_equal(find("sigkll"), "SIGKILL");
	assert_string_equal(find("Proc.Nam"), "proc.name");
	assert_string_equal(find("proc.nam"), "proc.name");
	assert_string_equal(find("procname"), "proc.name");
	assert_string_equal(find("prco.name"), "proc.name");
}

static void test_far(void **state)
{
	char text[300] = {0};

	assert_null(find("zzzz"));
	assert_null(find("container.id"));
	memset(text, 'x', sizeof(text) - 1);
	assert_null(find(text));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_near),
	cmocka_unit_test(test_far),
};

UNIT_GROUP(tests);
