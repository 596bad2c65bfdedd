/* SPDX-License-Identifier: MIT */
/* The list of CPUs that are online. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/rings/cpus.h"
#include "unit.h"

enum { CPUS = 6 };

static char path[] = "/tmp/lanner-cpus-XXXXXX";

/* Reads a list; `online` gets a letter for each CPU. */
static int read_text(const char *text, char online[CPUS + 1])
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	bool set[CPUS];
	int r;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	memset(set, true, sizeof(set));
	r = scap_cpus_read(path, CPUS, set);
	for (int i = 0; i < CPUS; i++)
		online[i] = set[i] ? 'x' : '.';
	online[CPUS] = '\0';
	return r;
}

static void test_lists(void **state)
{
	static const char *const cases[][2] = {
		{"0\n", "x....."},	{"0-1\n", "xx...."},
		{"1,3-4\n", ".x.xx."},	{"0-2,5\n", "xxx..x"},
		{"4-1000\n", "....xx"}, {"7,9-18446744073709551615\n", "......"},
	};
	char online[CPUS + 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(read_text(cases[i][0], online), 0);
		assert_string_equal(online, cases[i][1]);
	}
}

static void test_corrupt_lists(void **state)
{
	static const char *const cases[] = {
		"",	"\n",	"x\n",	  "0",	    "0-\n",
		"0,\n", "-1\n", "0-1x\n", "0\n1\n", "99999999999999999999\n",
	};
	char online[CPUS + 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(read_text(cases[i], online), -EBADMSG);
}

static void test_missing(void **state)
{
	bool online[CPUS];

	assert_int_equal(scap_cpus_read("/tmp/there is no such file", CPUS, online), -ENOENT);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lists),
	cmocka_unit_test(test_corrupt_lists),
	cmocka_unit_test(test_missing),
};

UNIT_GROUP(tests, .setup = make_file, .teardown = remove_file);
