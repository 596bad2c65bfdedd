/* SPDX-License-Identifier: MIT */
/* What is rejected is kept: with its reason, for the owner alone, up to a size. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/targets/http.h"
#include "sent.h"
#include "tree.h"
#include "unit.h"

static struct tree tree;
static char path[TREE_PATH_BYTES];
static struct http_dead_letters letters;
static struct error err;

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "dead", path);
	return 0;
}

static int teardown(void **state)
{
	http_dead_letters_close(&letters);
	tree_destroy(&tree);
	return 0;
}

static void add(const char *text, uint8_t flags, const char *reason)
{
	struct sent sent;

	sent_init_text(&sent, 5, text);
	sent.records[0].flags = flags;
	http_dead_letters_add(&letters, &sent.batch, &sent.records[0], 400, reason);
	sent_finish(&sent);
}

/* Line `number` of the file, without its time. */
static void expect_line(int number, const char *wanted)
{
	char line[4096] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	for (int i = 0; i <= number; i++)
		assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	assert_memory_equal(line, "{\"time\":\"2", 10);
	assert_string_equal(strchr(line, ','), wanted);
}

static void test_lines(void **state)
{
	struct stat status;

	assert_int_equal(http_dead_letters_open(&letters, path, 10000, &err), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	add("{\"a\":1}\n", 0, "a \"reason\"");
	add("{\"a\":1}", RECORD_IS_DROP, "");
	add("text\n", 0, "x");
	assert_int_equal(http_dead_letters_write(&letters, &err), 0);
	expect_line(0,
		    ",\"status\":400,\"reason\":\"a \\\"reason\\\"\",\"id\":\"0123456789abcdef-5\","
		    "\"record\":{\"a\":1}}\n");
	expect_line(1, ",\"status\":400,\"reason\":\"\",\"id\":\"0123456789abcdef-"
		       "5d1700000000123456789.1\",\"record\":{"
		       "\"a\":1}}\n");
	expect_line(2, ",\"status\":400,\"reason\":\"x\",\"id\":\"0123456789abcdef-5\","
		       "\"record_b64\":\"dGV4dAo=\"}\n");
}

/* Whole lines up to the size; over restarts, too. */
static void test_size(void **state)
{
	struct stat status;

	assert_int_equal(http_dead_letters_open(&letters, path, 300, &err), 0);
	for (int i = 0; i < 3; i++)
		add("{\"a\":1}\n", 0, "x");
	assert_int_equal(http_dead_letters_write(&letters, &err), -EFBIG);
	assert_non_null(strstr(err.text, path));
	expect_line(1, ",\"status\":400,\"reason\":\"x\",\"id\":\"0123456789abcdef-5\",\"record\":{"
		       "\"a\":1}}\n");
	assert_int_equal(stat(path, &status), 0);
	assert_in_range(status.st_size, 200, 300);
	http_dead_letters_close(&letters);
	assert_int_equal(http_dead_letters_open(&letters, path, 300, &err), 0);
	assert_int_equal(http_dead_letters_write(&letters, &err), 0);
	add("{\"a\":1}\n", 0, "x");
	assert_int_equal(http_dead_letters_write(&letters, &err), -EFBIG);
	assert_int_equal(stat(path, &status), 0);
	assert_in_range(status.st_size, 200, 300);
}

static void test_no_file(void **state)
{
	char fifo[TREE_PATH_BYTES];

	assert_int_equal(http_dead_letters_open(&letters, NULL, 0, &err), 0);
	add("{}\n", 0, "x");
	assert_int_equal(http_dead_letters_write(&letters, &err), 0);
	assert_int_equal(http_dead_letters_open(&letters, "/no/such/folder/x", 1, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/folder/x"));
	/* Nothing that others control: neither a link nor a device. */
	tree_path(&tree, "link", fifo);
	assert_int_equal(symlink("/etc/passwd", fifo), 0);
	assert_int_equal(http_dead_letters_open(&letters, fifo, 1, &err), -ELOOP);
	assert_int_equal(http_dead_letters_open(&letters, "/dev/null", 1, &err), -EINVAL);
	assert_null(letters.path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
	cmocka_unit_test_setup_teardown(test_size, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_file, setup, teardown),
};

UNIT_GROUP(tests);
