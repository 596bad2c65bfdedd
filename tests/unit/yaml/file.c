/* SPDX-License-Identifier: MIT */
/* Files in memory: what is read, and where characters, lines and invalid bytes are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "yaml/file.h"

static void copy(struct yaml_file *file, const char *text, size_t len)
{
	struct error err;

	assert_int_equal(yaml_file_copy("a.yaml", text, len, file, &err), 0);
	assert_string_equal(file->path, "a.yaml");
	assert_int_equal(file->data[file->len], '\0');
}

static void test_byte_order_mark(void **state)
{
	static const struct {
		const char *text, *kept;
	} rows[] = {
		{"", ""},
		{"\xef\xbb", "\xef\xbb"},
		{"\xef\xbb\xbf", ""},
		{"\xef\xbb\xbf"
		 "a: b",
		 "a: b"},
		{"\xef\xbb\xbf\xef\xbb\xbf", "\xef\xbb\xbf"},
		{"a\xef\xbb\xbf", "a\xef\xbb\xbf"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct yaml_file file;

		copy(&file, rows[i].text, strlen(rows[i].text));
		assert_int_equal(file.len, strlen(rows[i].kept));
		assert_string_equal(file.data, rows[i].kept);
		yaml_file_finish(&file);
	}
}

static void test_positions(void **state)
{
	static const char text[] = "a\xc3\xa4"
				   "b\n\r\nc\rd";
	static const struct {
		size_t offset;
		unsigned int line, column;
	} rows[] = {
		{0, 1, 1},  {1, 1, 2},	{3, 1, 3},
		{4, 1, 4},  {5, 2, 1},	{6, 2, 1}, /* both ends of an empty line */
		{7, 3, 1},  {8, 3, 2},	{9, 4, 1},
		{10, 4, 2}, {11, 4, 2}, {SIZE_MAX, 4, 2},
	};
	struct yaml_file file;

	copy(&file, text, sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int line, column;

		yaml_file_position(&file, rows[i].offset, &line, &column);
		if (line != rows[i].line || column != rows[i].column)
			fail_msg("offset %zu is at %u:%u", rows[i].offset, line, column);
	}
	yaml_file_finish(&file);
}

/* Characters of one to four bytes in turn, around the places that the index keeps. */
static void test_offsets(void **state)
{
	static const char *const characters[] = {"a", "\xc3\xa4", "\xe2\x82\xac",
						 "\xf0\x9f\x90\x8d"};
	enum { COUNT = 1024 };
	size_t offsets[COUNT + 1], len = 0;
	char text[4 * COUNT];
	struct yaml_file file;

	for (size_t i = 0; i < COUNT; i++) {
		const char *character = characters[i % 4];

		offsets[i] = len;
		memcpy(text + len, character, strlen(character));
		len += strlen(character);
	}
	offsets[COUNT] = len;
	copy(&file, text, len);
	for (size_t i = 0; i <= COUNT; i++)
		assert_int_equal(yaml_file_offset(&file, i), offsets[i]);
	assert_int_equal(yaml_file_offset(&file, COUNT + 1), len);
	assert_int_equal(yaml_file_offset(&file, COUNT + 1000), len);
	assert_int_equal(yaml_file_offset(&file, SIZE_MAX), len);
	yaml_file_finish(&file);
	copy(&file, "", 0);
	assert_int_equal(yaml_file_offset(&file, 0), 0);
	assert_int_equal(yaml_file_offset(&file, 1), 0);
	yaml_file_finish(&file);
}

static void test_valid_length(void **state)
{
	static const struct {
		const char *text;
		size_t valid;
	} rows[] = {
		{"", 0},
		{"abc", 3},
		{"a\xc3\xa4", 3},
		{"a\xc3", 1}, /* truncated */
		{"ab\xff"
		 "c",
		 2},
		{"\x80", 0},
		{"\xed\xa0\x80", 0}, /* a surrogate */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct yaml_file file;

		copy(&file, rows[i].text, strlen(rows[i].text));
		assert_int_equal(yaml_file_valid_len(&file), rows[i].valid);
		yaml_file_finish(&file);
	}
}

/* A temporary file of `len` bytes; `path` gets its name. */
static void make_file(char *path, const char *text, off_t len)
{
	int fd;

	strcpy(path, "/tmp/yaml_file.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(ftruncate(fd, len), 0);
	close(fd);
}

static void test_reading(void **state)
{
	struct yaml_file file;
	struct error err;
	char path[32];

	make_file(path, "\xef\xbb\xbf- list: l\n", 13);
	assert_int_equal(yaml_file_read(path, &file, &err), 0);
	assert_string_equal(file.path, path);
	assert_string_equal(file.data, "- list: l\n");
	assert_int_equal(file.len, 10);
	yaml_file_finish(&file);
	assert_null(file.data);
	unlink(path);
}

/* A file may be as large as the limit, and not larger. */
static void test_limit(void **state)
{
	struct yaml_file file;
	struct error err;
	char path[32], *text;

	for (size_t more = 0; more < 2; more++) {
		make_file(path, "", YAML_FILE_BYTES_MAX + (off_t)more);
		assert_int_equal(yaml_file_read(path, &file, &err), more ? -EFBIG : 0);
		if (more)
			assert_string_equal(err.text, "larger than 16 MiB");
		else
			assert_int_equal(file.len, YAML_FILE_BYTES_MAX);
		yaml_file_finish(&file);
		unlink(path);
		text = calloc(1, YAML_FILE_BYTES_MAX + more);
		assert_int_equal(yaml_file_copy("a", text, YAML_FILE_BYTES_MAX + more, &file, &err),
				 more ? -EFBIG : 0);
		yaml_file_finish(&file);
		free(text);
	}
}

/* Released in each case. */
static void test_no_files(void **state)
{
	struct yaml_file file;
	struct error err;

	assert_int_equal(yaml_file_read("/nosuch/rules.yaml", &file, &err), -ENOENT);
	assert_string_equal(err.text, "No such file or directory");
	yaml_file_finish(&file);
	assert_int_equal(yaml_file_read("/", &file, &err), -EISDIR);
	assert_string_equal(err.text, "Is a directory");
	yaml_file_finish(&file);
	assert_int_equal(yaml_file_read("/dev/null", &file, NULL), 0);
	assert_int_equal(file.len, 0);
	yaml_file_finish(&file);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_byte_order_mark), cmocka_unit_test(test_positions),
	cmocka_unit_test(test_offsets),		cmocka_unit_test(test_valid_length),
	cmocka_unit_test(test_reading),		cmocka_unit_test(test_limit),
	cmocka_unit_test(test_no_files),
};

UNIT_GROUP(tests);
