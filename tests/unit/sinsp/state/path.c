/* SPDX-License-Identifier: MIT */
/* Joining and normalising paths. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sinsp/state/path.h"
#include "unit.h"

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
	char joined[STATE_PATH_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = state_path_join(cases[i].base, strlen(cases[i].base), cases[i].path,
					     strlen(cases[i].path), joined);

		assert_string_equal(joined, cases[i].joined);
		assert_int_equal(len, strlen(joined));
	}
}

/* Paths are looked at sixteen bytes at a time: what has to be removed may be at any place. */
static void removes_at_every_place(void **state)
{
	static const struct {
		const char *path, *joined;
	} parts[] = {{"//", "/"},    {"/./", "/"},   {"/../", "/"},
		     {"/.h", "/.h"}, {"/h.", "/h."}, {"/", "/"}};
	static const char name[] = "0123456789012345678901234567890123456789";
	char path[128], joined[STATE_PATH_MAX], expected[128];

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		bool up = strcmp(parts[i].path, "/../") == 0;

		for (int before = 1; before < 40; before++) {
			for (int after = 1; after < 40; after++) {
				snprintf(path, sizeof(path), "/%.*s%s%.*s", before, name,
					 parts[i].path, after, name);
				snprintf(expected, sizeof(expected), "%s%.*s%s%.*s", up ? "" : "/",
					 up ? 0 : before, name, parts[i].joined, after, name);
				/* What the memory had before must not matter. */
				memset(joined, '/', sizeof(joined));
				assert_int_equal(
					state_path_join("/base/", 6, path, strlen(path), joined),
					strlen(expected));
				assert_string_equal(joined, expected);
			}
		}
	}
}

static void ends_of_all_lengths(void **state)
{
	static const char *const ends[] = {"/", "//", "/.", "/./"};
	char path[64], joined[STATE_PATH_MAX];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		for (int len = 1; len < 40; len++) {
			snprintf(path, sizeof(path), "/%0*d%s", len, 0, ends[i]);
			assert_int_equal(state_path_join("", 0, path, strlen(path), joined),
					 len + 1);
			assert_int_equal(strlen(joined), len + 1);
		}
	}
}

static void collapses(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},	   {"/", "/"},		 {"///", "/"},
		{"a", "a"},	   {"a/../b", "a/../b"}, {"a//b///", "a/b/"},
		{"//./a", "/./a"},
	};
	static char huge[2 * STATE_PATH_MAX];
	char out[STATE_PATH_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(state_path_collapse(cases[i][0], out), strlen(cases[i][1]));
		assert_string_equal(out, cases[i][1]);
	}
	memset(huge, 'x', sizeof(huge) - 1);
	assert_int_equal(state_path_collapse(huge, out), STATE_PATH_MAX - 1);
	assert_int_equal(strlen(out), STATE_PATH_MAX - 1);
}

static void rejects_what_is_too_long(void **state)
{
	enum { FITS = STATE_PATH_MAX - 4 }; /* behind "/b/", with the NUL */
	char path[2 * STATE_PATH_MAX], joined[STATE_PATH_MAX];

	memset(path, 'x', sizeof(path));
	assert_int_equal(state_path_join("/b/", 3, path, FITS, joined), STATE_PATH_MAX - 1);
	assert_int_equal(state_path_join("/b", 2, path, FITS, joined), STATE_PATH_MAX - 1);
	assert_int_equal(joined[STATE_PATH_MAX - 2], 'x');
	state_path_join("/b/", 3, path, FITS + 1, joined);
	assert_string_equal(joined, "/DIR_TOO_LONG/FILENAME_TOO_LONG");
	state_path_join("/b", 2, path, FITS + 1, joined);
	assert_string_equal(joined, "/DIR_TOO_LONG/FILENAME_TOO_LONG");
	state_path_join("", 0, path, sizeof(path), joined);
	assert_string_equal(joined, "/DIR_TOO_LONG/FILENAME_TOO_LONG");
	state_path_join(path, sizeof(path), "/short", 6, joined);
	assert_string_equal(joined, "/short");
}

static void names_what_is_last(void **state)
{
	assert_string_equal(state_path_name("/usr/bin/runc"), "runc");
	assert_string_equal(state_path_name("runc"), "runc");
	assert_string_equal(state_path_name("/a/"), "");
	assert_string_equal(state_path_name(""), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(joins),
	cmocka_unit_test(removes_at_every_place),
	cmocka_unit_test(ends_of_all_lengths),
	cmocka_unit_test(collapses),
	cmocka_unit_test(rejects_what_is_too_long),
	cmocka_unit_test(names_what_is_last),
};

UNIT_GROUP(tests);
