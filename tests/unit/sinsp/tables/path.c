/* SPDX-License-Identifier: MIT */
/* Joining and normalising paths. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sinsp/tables/path.h"

static void joins(void **state)
{
	static const struct {
		const char *base, *path, *joined;
	} cases[] = {
		{"/home/u/", "file", "/home/u/file"},
		{"/home/u", "file", "/home/u/file"},
		{"/", "file", "/file"},
		{"/home/u/", "a/b/c", "/home/u/a/b/c"},
		{"/home/u/", "./a//./b/", "/home/u/a/b"},
		{"/home/u/", ".", "/home/u"},
		{"/home/u/", "..", "/home"},
		{"/home/u/", "../x", "/home/x"},
		{"/home/u/", "../../../../x", "/x"},
		{"/home/u/", "../../..", "/"},
		{"/home/u/", "a/../b", "/home/u/b"},
		{"/home/u/", "...", "/home/u/..."},
		{"/home/u/", ".hidden/..x", "/home/u/.hidden/..x"},
		{"/home/u/", "/etc/passwd", "/etc/passwd"},
		{"/home/u/", "/", "/"},
		{"/home/u/", "//a///b//", "/a/b"},
		{"/home/u/", "/a/./../../b", "/b"},
		{"/home/u/", "", ""},
		{"", "a/../b", "b"},
		{"", "../../b", "b"},
		{"", "a/b/", "a/b"},
		{"", "..", ""},
		{"<UNKNOWN>", "name", "<UNKNOWN>name"},
		{"<UNKNOWN>", "a/b", "<UNKNOWN>a/b"},
		{"<UNKNOWN>", "/a", "/a"},
	};
	char joined[SINSP_PATH_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = sinsp_path_join(cases[i].base, strlen(cases[i].base), cases[i].path,
					     strlen(cases[i].path), joined);

		assert_string_equal(joined, cases[i].joined);
		assert_int_equal(len, strlen(joined));
	}
}

static void collapses(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},	   {"/", "/"},		 {"///", "/"},
		{"a", "a"},	   {"a/../b", "a/../b"}, {"a//b///", "a/b/"},
		{"//./a", "/./a"},
	};
	static char huge[2 * SINSP_PATH_MAX];
	char out[SINSP_PATH_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(sinsp_path_collapse(cases[i][0], out), strlen(cases[i][1]));
		assert_string_equal(out, cases[i][1]);
	}
	memset(huge, 'x', sizeof(huge) - 1);
	assert_int_equal(sinsp_path_collapse(huge, out), SINSP_PATH_MAX - 1);
	assert_int_equal(strlen(out), SINSP_PATH_MAX - 1);
}

static void rejects_what_is_too_long(void **state)
{
	enum { FITS = SINSP_PATH_MAX - 4 }; /* behind "/b/", with the NUL */
	char path[2 * SINSP_PATH_MAX], joined[SINSP_PATH_MAX];

	memset(path, 'x', sizeof(path));
	assert_int_equal(sinsp_path_join("/b/", 3, path, FITS, joined), SINSP_PATH_MAX - 1);
	assert_int_equal(sinsp_path_join("/b", 2, path, FITS, joined), SINSP_PATH_MAX - 1);
	assert_int_equal(joined[SINSP_PATH_MAX - 2], 'x');
	sinsp_path_join("/b/", 3, path, FITS + 1, joined);
	assert_string_equal(joined, "/DIR_TOO_LONG/FILENAME_TOO_LONG");
	sinsp_path_join("/b", 2, path, FITS + 1, joined);
	assert_string_equal(joined, "/DIR_TOO_LONG/FILENAME_TOO_LONG");
	sinsp_path_join("", 0, path, sizeof(path), joined);
	assert_string_equal(joined, "/DIR_TOO_LONG/FILENAME_TOO_LONG");
	sinsp_path_join(path, sizeof(path), "/short", 6, joined);
	assert_string_equal(joined, "/short");
}

static void names_what_is_last(void **state)
{
	assert_string_equal(sinsp_path_name("/usr/bin/runc"), "runc");
	assert_string_equal(sinsp_path_name("runc"), "runc");
	assert_string_equal(sinsp_path_name("/a/"), "");
	assert_string_equal(sinsp_path_name(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins),
		cmocka_unit_test(collapses),
		cmocka_unit_test(rejects_what_is_too_long),
		cmocka_unit_test(names_what_is_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
