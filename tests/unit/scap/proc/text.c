/* SPDX-License-Identifier: MIT */
/* Files, lines, words and numbers of /proc: never beyond the end of the text, nothing trusted. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/proc/text.h"
#include "unit.h"

static struct proc_text text_of(const char *text)
{
	return (struct proc_text){text, text + strlen(text)};
}

static void expect_text(struct proc_text text, const char *expected)
{
	assert_int_equal(text.end - text.at, strlen(expected));
	assert_memory_equal(text.at, expected, strlen(expected));
}

static void test_lines(void **state)
{
	struct proc_text text = text_of("one\n\ntwo"), line;
	static const char *const lines[] = {"one", "", "two"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_true(proc_text_line(&text, &line));
		expect_text(line, lines[i]);
	}
	assert_false(proc_text_line(&text, &line));
	text = text_of("last\n"); /* no empty line after it */
	assert_true(proc_text_line(&text, &line));
	assert_false(proc_text_line(&text, &line));
}

static void test_words(void **state)
{
	struct proc_text text = text_of(" \tone\t two  "), word;

	assert_true(proc_text_word(&text, &word));
	expect_text(word, "one");
	assert_true(proc_text_word(&text, &word));
	expect_text(word, "two");
	assert_false(proc_text_word(&text, &word));
	text = text_of("a b c");
	assert_true(proc_text_skip(&text, 2));
	expect_text(text, " c");
	assert_false(proc_text_skip(&text, 2));
	assert_true(proc_text_skip(&text, 0));
}

static void test_prefix(void **state)
{
	static const char flags[] = "flags";
	struct proc_text text = text_of("flags: 2"), cut = {flags, flags + 3};

	assert_false(proc_text_prefix(&text, "flag:"));
	expect_text(text, "flags: 2");
	assert_true(proc_text_prefix(&text, "flags:"));
	expect_text(text, " 2");
	assert_false(proc_text_prefix(&cut, "flags"));
}

/* The number at the beginning, and what is left; nothing is taken when there is none. */
static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		unsigned int base;
		bool good;
		uint64_t value;
		const char *rest;
	} cases[] = {
		{"0", 10, true, 0, ""},
		{"12ab", 10, true, 12, "ab"},
		{"12ab", 16, true, 0x12ab, ""},
		{"fFg", 16, true, 0xff, "g"},
		{"0128", 8, true, 012, "8"},
		{"18446744073709551615", 10, true, UINT64_MAX, ""},
		{"18446744073709551616", 10, false, 0, "18446744073709551616"},
		{"10000000000000000", 16, false, 0, "10000000000000000"},
		{"-1", 10, false, 0, "-1"},
		{" 1", 10, false, 0, " 1"},
		{"", 10, false, 0, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct proc_text text = text_of(cases[i].text);
		uint64_t value = 0;

		assert_int_equal(proc_text_u64(&text, cases[i].base, &value), cases[i].good);
		assert_true(value == cases[i].value);
		expect_text(text, cases[i].rest);
	}
}

/* As a word with a sign, and as a name of a directory, which has none. */
static void test_signed_and_names(void **state)
{
	static const struct {
		const char *text;
		bool word, name;
		int64_t value;
	} cases[] = {
		{"70", true, true, 70},
		{"-70", true, false, -70},
		{"9223372036854775807", true, true, INT64_MAX},
		{"9223372036854775808", false, false, 0},
		{"-9223372036854775808", false, false, 0},
		{"--7", false, false, 0},
		{"7x", false, false, 0},
		{"0x7", false, false, 0},
		{"-", false, false, 0},
		{"", false, false, 0},
		{"self", false, false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t value = 0;

		assert_int_equal(proc_word_i64(text_of(cases[i].text), &value), cases[i].word);
		assert_true(value == cases[i].value);
		value = 0;
		assert_int_equal(proc_name_number(cases[i].text, &value), cases[i].name);
		assert_true(value == (cases[i].name ? cases[i].value : 0));
	}
}

static void test_deleted(void **state)
{
	static const struct {
		const char *path, *cut;
	} cases[] = {
		{"/a (deleted)", "/a"},
		{"/a (deleted) (deleted)", "/a (deleted)"},
		{"/a (deleted)x", "/a (deleted)x"},
		{" (deleted)", " (deleted)"},
		{"/a", "/a"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[64];

		strcpy(path, cases[i].path);
		proc_cut_deleted(path, strlen(path));
		assert_string_equal(path, cases[i].cut);
	}
}

/* A file and a link in a directory of their own, which is the state of the test. */
struct folder {
	char path[32];
	int dir;
};

static int folder_setup(void **state)
{
	static struct folder folder;

	strcpy(folder.path, "/tmp/lanner-text-XXXXXX");
	if (!mkdtemp(folder.path))
		return -1;
	folder.dir = open(folder.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*state = &folder;
	return folder.dir < 0 ? -1 : 0;
}

static int folder_teardown(void **state)
{
	struct folder *folder = *state;

	unlinkat(folder->dir, "x", 0);
	close(folder->dir);
	return rmdir(folder->path);
}

/* Whole files, longer than one read, and those that are cut at the most that is wanted. */
static void test_read_file(void **state)
{
	static const size_t lengths[] = {0, 1, 4095, 4096, 4097, 10000};
	static const size_t most[] = {1, 4096, 5000, 1 << 16};
	struct folder *folder = *state;
	static char bytes[10000];
	struct buf buf = {0};

	memset(bytes, 'x', sizeof(bytes));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		int fd = openat(folder->dir, "x", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		assert_int_equal(write(fd, bytes, lengths[i]), lengths[i]);
		close(fd);
		for (size_t j = 0; j < sizeof(most) / sizeof(*most); j++) {
			size_t n = lengths[i] < most[j] ? lengths[i] : most[j];

			assert_int_equal(proc_read_file(folder->dir, "x", most[j], &buf), 0);
			assert_int_equal(buf.len, n);
			assert_memory_equal(buf.data, bytes, n);
			assert_int_equal(buf.data[n], '\0');
		}
	}
	assert_int_equal(proc_read_file(folder->dir, "y", 10, &buf), -ENOENT);
	assert_int_equal(proc_read_file(folder->dir, ".", 10, &buf), -EISDIR);
	buf_finish(&buf);
}

/* A target that leaves no room for its NUL is not cut, it is an error. */
static void test_read_link(void **state)
{
	struct folder *folder = *state;
	char target[6];

	assert_int_equal(symlinkat("12345", folder->dir, "x"), 0);
	assert_int_equal(proc_read_link(folder->dir, "x", target, 6), 5);
	assert_string_equal(target, "12345");
	assert_int_equal(proc_read_link(folder->dir, "x", target, 5), -ENAMETOOLONG);
	assert_int_equal(proc_read_link(folder->dir, "y", target, 6), -ENOENT);
	assert_int_equal(proc_read_link(folder->dir, ".", target, 6), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_words),
	cmocka_unit_test(test_prefix),
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_signed_and_names),
	cmocka_unit_test(test_deleted),
	cmocka_unit_test_setup_teardown(test_read_file, folder_setup, folder_teardown),
	cmocka_unit_test_setup_teardown(test_read_link, folder_setup, folder_teardown),
};

UNIT_GROUP(tests);
