/* SPDX-License-Identifier: MIT */
/* file:PATH: keys, rotation, and what others do to the file meanwhile. */
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/targets/rotated.h"
#include "output/targets/kinds.h"
#include "sent.h"
#include "tree.h"
#include "unit.h"
#include "util/clock.h"

enum { LINE_BYTES = 50, WAIT_US = 2000, WAITS_MAX = 30000 };

static struct tree tree;
static char path[TREE_PATH_BYTES];
static struct sent_target target;

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "x", path);
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static int teardown(void **state)
{
	if (target.kind)
		sent_close(&target);
	tree_destroy(&tree);
	return 0;
}

static void open_target(const char *keys)
{
	char text[2 * TREE_PATH_BYTES];

	snprintf(text, sizeof(text), "file:%s%s", path, keys);
	sent_open(&target, &output_kind_file, text);
}

/* Appends the numbers of the lines of a file, with a space after each; the lines are whole. */
static void numbers_of(const char *name, char *text, size_t size)
{
	size_t len = strlen(text);
	char line[2 * SENT_LINE_MAX];
	FILE *file = fopen(name, "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_non_null(strchr(line, '\n'));
		if (strstr(line, "\"evt.type\":\"end\""))
			len += (size_t)snprintf(text + len, size - len, "end ");
		else
			len += (size_t)snprintf(text + len, size - len, "%d ", atoi(line));
	}
	fclose(file);
}

/* The same of all files, the rotated ones first, with a bar after each file. */
static void all_numbers(char *text, size_t size)
{
	struct rotated_list list;

	text[0] = '\0';
	assert_int_equal(rotated_list_read(path, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		numbers_of(list.files[i].path, text, size);
		strcat(text, "| ");
	}
	rotated_list_finish(&list);
	if (access(path, F_OK) == 0)
		numbers_of(path, text, size);
}

static void assert_numbers(const char *wanted)
{
	char text[1024];

	all_numbers(text, sizeof(text));
	assert_string_equal(text, wanted);
}

/* Sends lines in one batch, all of which arrive. */
static void send_lines(uint64_t number, size_t count)
{
	assert_int_equal(sent_all(&target, number, count, LINE_BYTES, NULL), 0);
}

static void test_keys(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"file:", "file: a path is missing: file:PATH"},
		{"file:/x,mode=8", "mode: '8' is not a file mode such as 640"},
		{"file:/x,mode=1777", "mode: '1777' is not a file mode such as 640"},
		{"file:/x,mode=+7", "mode: '+7' is not a file mode such as 640"},
		{"file:/x,compress=gzip",
		 "only rotated files are compressed: give rotate-size= or rotate-age=, too"},
		{"file:/x,compress=lzma", "compress: 'lzma' is not none, gzip or zstd"},
	};
	const struct output_kind *const kinds[] = {&output_kind_file, NULL};
	struct output_config *config = NULL;
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(output_config_read(kinds, wrong[i].text, &config, &err), -EINVAL);
		assert_string_equal(err.text, wrong[i].message);
	}
}

static void test_appends(void **state)
{
	struct stat is;

	tree_write(&tree, "x", "7 there already\n8 torn");
	open_target(",mode=640");
	send_lines(9, 2);
	send_lines(11, 1);
	assert_numbers("7 9 10 11 ");
	sent_close(&target);
	assert_return_code(unlink(path), errno);
	open_target("");
	assert_return_code(stat(path, &is), errno);
	assert_int_equal(is.st_mode & 07777, 0600);
}

static void test_cannot_open(void **state)
{
	struct error err;
	char wanted[64];

	assert_int_equal(sent_try(&target, &output_kind_file, "file:/there/is/no.json", &err),
			 -ENOENT);
	snprintf(wanted, sizeof(wanted), "cannot open /there/is/no.json");
	assert_memory_equal(err.text, wanted, strlen(wanted));
	assert_null(target.kind);
}

/* Files end before the limit, also in the middle of a batch; a long record has a file of its own.
 */
static void test_rotation_by_size(void **state)
{
	struct sent sent;

	open_target(",rotate-size=120,keep=0");
	send_lines(1, 1);
	send_lines(2, 4);
	assert_numbers("1 2 end | 3 4 end | 5 ");
	sent_init(&sent, 6, 1, 200);
	assert_int_equal(target.kind->send(target.target, &sent.batch, NULL), 0);
	sent_finish(&sent);
	send_lines(7, 1);
	assert_numbers("1 2 end | 3 4 end | 5 end | 6 end | 7 ");
	sent_close(&target);
	/* The next run counts what is there. */
	open_target(",rotate-size=120,keep=0");
	send_lines(8, 2);
	assert_numbers("1 2 end | 3 4 end | 5 end | 6 end | 7 8 end | 9 ");
}

/* Opens a target and has it write a line within its age, which is returned. */
static useconds_t open_young(void)
{
	useconds_t age_us = 50000;
	uint64_t begin_ns;
	char keys[64];

	do {
		age_us *= 2;
		if (target.kind)
			sent_close(&target);
		tree_destroy(&tree);
		tree_create(&tree);
		tree_path(&tree, "x", path);
		snprintf(keys, sizeof(keys), ",rotate-age=%ums", (unsigned int)age_us / 1000);
		begin_ns = clock_ns(CLOCK_MONOTONIC);
		open_target(keys);
		send_lines(1, 1);
		assert_int_equal(target.kind->tick(target.target, NULL), 0);
	} while (clock_ns(CLOCK_MONOTONIC) - begin_ns >= age_us * UINT64_C(1000));
	return age_us;
}

static void test_rotation_by_age(void **state)
{
	const useconds_t older_us = open_young() / 2 * 3;

	assert_numbers("1 ");
	usleep(older_us);
	assert_int_equal(target.kind->tick(target.target, NULL), 0);
	assert_numbers("1 end | ");
	/* An empty file does not get old. */
	usleep(older_us);
	assert_int_equal(target.kind->tick(target.target, NULL), 0);
	assert_numbers("1 end | ");
	usleep(older_us);
	send_lines(2, 1);
	usleep(older_us);
	send_lines(3, 1);
	assert_numbers("1 end | 2 end | 3 ");
}

static void test_keep_and_compress(void **state)
{
	struct rotated_list list = {0};
	size_t compressed = 0;

	open_target(",rotate-size=60,keep=3,compress=gzip");
	send_lines(1, 10);
	for (int i = 0; i < WAITS_MAX && (list.count != 3 || compressed != 3); i++) {
		usleep(WAIT_US);
		rotated_list_finish(&list);
		assert_int_equal(rotated_list_read(path, &list), 0);
		compressed = 0;
		for (size_t j = 0; j < list.count; j++)
			compressed += list.files[j].compressed && !list.files[j].part;
	}
	assert_int_equal(list.count, 3);
	assert_int_equal(compressed, 3);
	rotated_list_finish(&list);
	assert_int_equal(target.kind->tick(target.target, NULL), 0);
}

/* logrotate: renames, makes a new file, sends SIGHUP; or removes; or copies and truncates. */
static void test_rotated_by_others(void **state)
{
	char other[TREE_PATH_BYTES], text[128] = "";
	struct stat is;

	tree_path(&tree, "x.1", other);
	open_target("");
	send_lines(1, 1);
	assert_return_code(rename(path, other), errno);
	tree_write(&tree, "x", "");
	assert_int_equal(target.kind->reopen(target.target, NULL), 0);
	send_lines(2, 1);
	assert_numbers("2 ");
	/* Without the signal, too. */
	assert_return_code(rename(path, other), errno);
	send_lines(3, 1);
	assert_numbers("3 ");
	assert_return_code(unlink(path), errno);
	send_lines(4, 1);
	assert_numbers("4 ");
	assert_return_code(truncate(path, 0), errno);
	send_lines(5, 1);
	assert_numbers("5 ");
	assert_return_code(stat(path, &is), errno);
	assert_int_equal(is.st_size, LINE_BYTES);
	numbers_of(other, text, sizeof(text));
	assert_string_equal(text, "2 end ");
}

/* A file that cannot be opened anew: the renamed one goes on, into a removed one nothing is
 * written. */
static void test_folder_gone(void **state)
{
	char folder[TREE_PATH_BYTES], away[TREE_PATH_BYTES], moved[TREE_PATH_BYTES + 8];
	char text[128] = "";
	struct sent sent;
	struct error err;

	tree_path(&tree, "d", folder);
	tree_path(&tree, "away", away);
	tree_path(&tree, "d/x", path);
	assert_return_code(mkdir(folder, 0700), errno);
	open_target("");
	send_lines(1, 1);
	assert_return_code(rename(folder, away), errno);
	sent_init(&sent, 2, 1, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -ENOENT);
	assert_non_null(strstr(err.text, "make its folder first"));
	assert_int_equal(sent_count(&sent, OUTPUT_DELIVERED), 1);
	sent_finish(&sent);
	assert_int_equal(target.kind->reopen(target.target, NULL), -ENOENT);
	snprintf(moved, sizeof(moved), "%s/x", away);
	numbers_of(moved, text, sizeof(text));
	assert_string_equal(text, "1 2 ");
	assert_return_code(unlink(moved), errno);
	sent_init(&sent, 3, 1, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -ENOENT);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	sent_finish(&sent);
	assert_return_code(mkdir(folder, 0700), errno);
	send_lines(3, 1);
	assert_numbers("3 ");
}

/* Rotation is impossible: records go on into the file, and it is reported once. */
static void test_rotation_fails(void **state)
{
	struct error err = {""};
	char name[NAME_MAX + 1], text[128];

	/* With a time behind it the name is too long. */
	memset(name, 'x', NAME_MAX);
	name[NAME_MAX] = '\0';
	tree_path(&tree, name, path);
	open_target(",rotate-size=120");
	send_lines(1, 2);
	assert_int_equal(sent_all(&target, 3, 3, LINE_BYTES, &err), 1);
	assert_non_null(strstr(err.text, "cannot rotate"));
	assert_int_equal(sent_all(&target, 6, 1, LINE_BYTES, &err), 0);
	text[0] = '\0';
	numbers_of(path, text, sizeof(text));
	assert_string_equal(text, "1 2 3 4 5 6 ");
}

/* A torn message of protobuf would hide all that follow: each run has a file of its own. */
static void test_protobuf(void **state)
{
	open_target(",format=protobuf");
	send_lines(1, 1);
	sent_close(&target);
	open_target(",format=protobuf");
	send_lines(2, 1);
	assert_numbers("1 | 2 ");
}

/* The reader of a FIFO goes and another one comes. */
static void test_fifo(void **state)
{
	struct sent sent;
	char text[8 * LINE_BYTES];
	int reader;

	assert_return_code(mkfifo(path, 0600), errno);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	open_target(",rotate-size=10");
	send_lines(1, 3);
	assert_int_equal(read(reader, text, sizeof(text)), 3 * LINE_BYTES);
	close(reader);
	sent_init(&sent, 4, 1, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, NULL), -EPIPE);
	assert_int_equal(target.kind->send(target.target, &sent.batch, NULL), -ENXIO);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	sent_finish(&sent);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	send_lines(4, 1);
	assert_int_equal(read(reader, text, sizeof(text)), LINE_BYTES);
	assert_int_equal(atoi(text), 4);
	close(reader);
}

static void test_sync(void **state)
{
	open_target(",sync");
	send_lines(1, 2);
	assert_numbers("1 2 ");
	assert_int_equal(target.kind->tick(target.target, NULL), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_keys),
	cmocka_unit_test_setup_teardown(test_appends, setup, teardown),
	cmocka_unit_test_setup_teardown(test_cannot_open, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rotation_by_size, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rotation_by_age, setup, teardown),
	cmocka_unit_test_setup_teardown(test_keep_and_compress, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rotated_by_others, setup, teardown),
	cmocka_unit_test_setup_teardown(test_folder_gone, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rotation_fails, setup, teardown),
	cmocka_unit_test_setup_teardown(test_protobuf, setup, teardown),
	cmocka_unit_test_setup_teardown(test_fifo, setup, teardown),
	cmocka_unit_test_setup_teardown(test_sync, setup, teardown),
};

UNIT_GROUP(tests);
