/* SPDX-License-Identifier: MIT */
/* What is read as JSON, and what is not: everything that is no plain file of bounded size. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meta/runtimes/document.h"
#include "sinsp/state/containers/container.h"

#include "tree.h"
#include "unit.h"

static const struct document_limits limits = {.bytes = 64, .values = 5};

static struct tree tree;
static struct error err;

static int setup(void **state)
{
	tree_create(&tree);
	err = (struct error){""};
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static int load(const char *path, struct document *document)
{
	return document_load(tree.path, path, STATE_OWNER_ROOT, &limits, document, &err);
}

static void expect_error(const char *path, int code, const char *text)
{
	struct document document;

	assert_int_equal(load(path, &document), code);
	assert_non_null(strstr(err.text, text));
	assert_non_null(strstr(err.text, path));
}

static void test_reads(void **state)
{
	struct document document;

	tree_write(&tree, "a/b.json", "{\"name\": \"web\", \"n\": 7}");
	assert_int_equal(
		document_load(tree.path, "/a/b.json", STATE_OWNER_ROOT, &limits, &document, &err),
		0);
	assert_string_equal(JSON_INPUT_TEXT(document.value, "name"), "web");
	assert_null(JSON_INPUT_TEXT(document.value, "n"));
	assert_null(JSON_INPUT_TEXT(document.value, "none"));
	assert_null(JSON_INPUT_TEXT(NULL, "name"));
	assert_int_equal(document.status.st_size, 23);
	assert_int_equal(document.left_out, 0);
	json_decref(document.value);
}

static void test_through_links(void **state)
{
	char path[TREE_PATH_BYTES];
	struct document document;

	tree_write(&tree, "real.json", "[1]");
	tree_path(&tree, "link.json", path);
	assert_int_equal(symlink("real.json", path), 0);
	assert_int_equal(load("/link.json", &document), 0);
	json_decref(document.value);
}

static void test_missing(void **state)
{
	char path[TREE_PATH_BYTES], *name;
	struct document document;

	tree_write(&tree, "file", "{}");
	assert_int_equal(load("/none.json", &document), -ENOENT);
	assert_int_equal(load("/file/none.json", &document), -ENOENT);
	tree_path(&tree, "circle", path);
	assert_int_equal(symlink("circle", path), 0);
	assert_int_equal(load("/circle", &document), -ENOENT);
	name = malloc(PATH_MAX + 1);
	memset(name, 'a', PATH_MAX);
	name[0] = '/';
	name[PATH_MAX] = '\0';
	assert_int_equal(load(name, &document), -ENOENT);
	free(name);
	assert_string_equal(err.text, "");
}

/* A FIFO without a writer would block, and the opening of a device can have effects. */
static void test_only_files(void **state)
{
	char path[TREE_PATH_BYTES];

	tree_path(&tree, "fifo", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_error("/fifo", -EINVAL, "not a regular file");
	tree_path(&tree, "device", path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	/* A link leads to what is below the same root. */
	assert_int_equal(load("/device", NULL), -ENOENT);
	tree_write(&tree, "folder/file", "");
	expect_error("/folder", -EINVAL, "not a regular file");
}

/* The attacks on this are those of unit/meta/runtimes/owned. */
static void test_of_others(void **state)
{
	char path[TREE_PATH_BYTES];

	tree_write(&tree, "open.json", "{}");
	tree_path(&tree, "open.json", path);
	assert_int_equal(chmod(path, 0666), 0);
	expect_error("/open.json", -EPERM, "others than its owner can write it");
}

static void test_size(void **state)
{
	char text[64 + 1];
	struct document document;

	memset(text, '1', sizeof(text));
	text[0] = '[';
	text[1] = '"';
	text[limits.bytes - 2] = '"';
	text[limits.bytes - 1] = ']';
	tree_write_bytes(&tree, "limit.json", text, limits.bytes);
	assert_int_equal(load("/limit.json", &document), 0);
	json_decref(document.value);
	tree_write_bytes(&tree, "larger.json", text, limits.bytes + 1);
	expect_error("/larger.json", -EFBIG, "File too large");
}

/* What is beyond limits is left out; what is known by the rest stays. */
static void test_thinned(void **state)
{
	static const char name[] = "], \"name\": \"web\"}";
	const size_t room = limits.bytes * 16;
	char *text = malloc(room + 1);
	struct document document;

	memset(text, ' ', room + 1);
	memcpy(text, "{\"a\\u0000b\": [", 15);
	memcpy(text + room - sizeof(name) + 1, name, sizeof(name) - 1);
	text[room] = ' ';
	tree_write_bytes(&tree, "long.json", text, room);
	assert_int_equal(load("/long.json", &document), 0);
	assert_string_equal(JSON_INPUT_TEXT(document.value, "name"), "web");
	assert_int_equal(json_object_size(document.value), 1);
	assert_int_equal(document.left_out, 1);
	json_decref(document.value);
	tree_write_bytes(&tree, "longer.json", text, room + 1);
	expect_error("/longer.json", -EFBIG, "File too large");
	free(text);
}

static void test_invalid(void **state)
{
	static const char *const texts[] = {
		"", "{", "{\"a\": \"\xff\"}", "[1] [2]", "7",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		tree_write(&tree, "x.json", texts[i]);
		expect_error("/x.json", -EBADMSG, "line 1");
	}
}

/* Also where the file is short: a value takes many times its length. */
static void test_values(void **state)
{
	struct document document;

	tree_write(&tree, "limit.json", "[1,2,3,4]");
	assert_int_equal(load("/limit.json", &document), 0);
	json_decref(document.value);
	tree_write(&tree, "more.json", "[1,2,3,4,5]");
	expect_error("/more.json", -EBADMSG, "more than 5 JSON values");
}

static void test_depth(void **state)
{
	const size_t depth = 1 << 20;
	const struct document_limits deep = {.bytes = depth, .values = 2 * depth};
	char *text = malloc(depth);
	struct document document;

	memset(text, '[', depth);
	tree_write_bytes(&tree, "deep.json", text, depth);
	free(text);
	assert_int_equal(
		document_load(tree.path, "/deep.json", STATE_OWNER_ROOT, &deep, &document, &err),
		-EBADMSG);
}

static void test_status(void **state)
{
	struct stat status;

	tree_write(&tree, "file", "12345");
	assert_int_equal(document_status(tree.path, "/file", &status), 0);
	assert_int_equal(status.st_size, 5);
	assert_int_equal(document_status(tree.path, "/none", &status), -ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_reads, setup, teardown),
	cmocka_unit_test_setup_teardown(test_through_links, setup, teardown),
	cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_only_files, setup, teardown),
	cmocka_unit_test_setup_teardown(test_of_others, setup, teardown),
	cmocka_unit_test_setup_teardown(test_size, setup, teardown),
	cmocka_unit_test_setup_teardown(test_thinned, setup, teardown),
	cmocka_unit_test_setup_teardown(test_invalid, setup, teardown),
	cmocka_unit_test_setup_teardown(test_values, setup, teardown),
	cmocka_unit_test_setup_teardown(test_depth, setup, teardown),
	cmocka_unit_test_setup_teardown(test_status, setup, teardown),
};

UNIT_GROUP(tests);
