/* SPDX-License-Identifier: MIT */
/* Files that have only whole records, whatever happens to a write. */
#include "output/targets/appended.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sent.h"
#include "tree.h"
#include "unit.h"

enum { LINES = 100, LINE_BYTES = 50, SPACE = 1030, PIPE_BYTES = 4096 };

static struct tree tree;
static struct output_stop stop;
static struct appended file;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "x", path);
	appended_init(&file, 0600, &stop);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return output_stop_init(&stop);
}

static int teardown(void **state)
{
	appended_finish(&file);
	output_stop_finish(&stop);
	tree_destroy(&tree);
	return 0;
}

static size_t contents(char *text, size_t size)
{
	FILE *in = fopen(path, "r");
	size_t n;

	assert_non_null(in);
	n = fread(text, 1, size - 1, in);
	fclose(in);
	text[n] = '\0';
	return n;
}

static void assert_contents(const char *wanted)
{
	char text[LINES * LINE_BYTES + 1];

	contents(text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void limit_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_return_code(getrlimit(RLIMIT_FSIZE, &limit), errno);
	limit.rlim_cur = bytes;
	assert_return_code(setrlimit(RLIMIT_FSIZE, &limit), errno);
}

static void test_mode_and_append(void **state)
{
	mode_t before = umask(0777);
	struct sent sent;
	size_t done;

	appended_init(&file, 0640, &stop);
	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	umask(before);
	assert_int_equal(file.stat.st_mode & 07777, 0640);
	sent_init(&sent, 1, 2, 5);
	assert_int_equal(appended_write(&file, &sent.batch, 0, 10, &done), 0);
	assert_int_equal(done, 10);
	assert_int_equal(file.stat.st_size, 10);
	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	assert_int_equal(appended_write(&file, &sent.batch, 5, 10, &done), 0);
	assert_contents("1 ..\n2 ..\n2 ..\n");
	sent_finish(&sent);
}

/* What a killed process leaves of a line goes; lines stay, and so does what never was a line. */
static void test_tail(void **state)
{
	static const struct {
		const char *before, *after;
		bool lines;
	} cases[] = {
		{"a\nb\n", "a\nb\n", true},   {"a\nb", "a\n", true}, {"a\nb", "a\nb", false},
		{"no line", "no line", true}, {"", "", true},	     {"\n{\"x\":", "\n", true},
	};
	char large[3 * LINES * LINE_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree_write(&tree, "x", cases[i].before);
		assert_int_equal(appended_open(&file, path, cases[i].lines, NULL), 0);
		assert_contents(cases[i].after);
		assert_int_equal(file.stat.st_size, strlen(cases[i].after));
		appended_finish(&file);
	}
	memset(large, 'z', sizeof(large));
	memcpy(large, "a\n", 2);
	tree_write_bytes(&tree, "x", large, sizeof(large));
	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	assert_contents("a\n");
}

/* Another agent may be about to write the rest of it. */
static void test_tail_of_another(void **state)
{
	struct appended other;

	tree_write(&tree, "x", "a\n");
	appended_init(&other, 0600, &stop);
	assert_int_equal(appended_open(&other, path, true, NULL), 0);
	assert_int_equal(write(other.fd, "b", 1), 1);
	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	assert_contents("a\nb");
	appended_finish(&other);
	appended_finish(&file);
	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	assert_contents("a\n");
}

static void test_rejected(void **state)
{
	static const struct {
		const char *name, *message;
		int code;
	} cases[] = {
		{"no/x", "No such file or directory: make its folder first", -ENOENT},
		{"folder", "Is a directory: name a file in it", -EISDIR},
		{"link",
		 "Too many levels of symbolic links: name the file that the symbolic link leads to",
		 -ELOOP},
		{"fifo",
		 "No such device or address: start the process that reads the FIFO first; for a "
		 "socket use unix:PATH",
		 -ENXIO},
	};
	char there[TREE_PATH_BYTES], wanted[2 * TREE_PATH_BYTES];
	struct error err;

	tree_write(&tree, "folder/y", "");
	tree_path(&tree, "link", there);
	assert_return_code(symlink(path, there), errno);
	tree_path(&tree, "fifo", there);
	assert_return_code(mkfifo(there, 0600), errno);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree_path(&tree, cases[i].name, there);
		assert_int_equal(appended_open(&file, there, true, &err), cases[i].code);
		snprintf(wanted, sizeof(wanted), "cannot open %s: %s", there, cases[i].message);
		assert_string_equal(err.text, wanted);
		assert_int_equal(file.fd, -1);
	}
}

static void test_moved(void **state)
{
	char there[TREE_PATH_BYTES];

	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	assert_int_equal(appended_moved(&file, path), 0);
	tree_path(&tree, "y", there);
	assert_return_code(rename(path, there), errno);
	assert_int_equal(appended_moved(&file, path), 1);
	tree_write(&tree, "x", "");
	assert_int_equal(appended_moved(&file, path), 1);
}

/* The write ends within a record. */
static void test_cut_back(void **state)
{
	struct sent sent;
	size_t done;
	char text[2 * LINES * LINE_BYTES];

	assert_int_equal(appended_open(&file, path, true, NULL), 0);
	sent_init(&sent, 1, LINES, LINE_BYTES);
	limit_size(SPACE);
	assert_int_equal(appended_write(&file, &sent.batch, 0, sent.batch.bytes, &done), -EFBIG);
	limit_size(RLIM_INFINITY);
	assert_int_equal(done, SPACE / LINE_BYTES * LINE_BYTES);
	assert_int_equal(file.stat.st_size, done);
	assert_int_equal(contents(text, sizeof(text)), done);
	assert_int_equal(appended_write(&file, &sent.batch, done, sent.batch.bytes, &done), 0);
	assert_int_equal(contents(text, sizeof(text)), sent.batch.bytes);
	assert_memory_equal(text, sent.bytes, sent.batch.bytes);
	sent_finish(&sent);
}

/* A half record that cannot be cut off: it is in a pipe. `ends` are for the caller to close. */
static void tear(int ends[2])
{
	static char filler[PIPE_BYTES];
	struct sent sent;
	size_t done;

	assert_return_code(pipe2(ends, O_NONBLOCK), errno);
	assert_int_equal(fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES), PIPE_BYTES);
	file.fd = dup(ends[1]);
	sent_init(&sent, 1, LINES, LINE_BYTES);
	output_stop_now(&stop);
	assert_int_equal(appended_write(&file, &sent.batch, 0, sent.batch.bytes, &done),
			 -ECANCELED);
	assert_int_equal(done, PIPE_BYTES);
	assert_int_equal(file.torn_number, PIPE_BYTES / LINE_BYTES + 1);
	assert_int_equal(read(ends[0], filler, sizeof(filler)), PIPE_BYTES);
	sent_finish(&sent);
}

/* Writes a record after that; returns what a reader gets. */
static size_t write_next(int ends[2], uint64_t number, char text[2 * LINE_BYTES])
{
	struct sent next;
	size_t done;
	ssize_t n;

	sent_init(&next, number, 1, LINE_BYTES);
	assert_int_equal(appended_write(&file, &next.batch, 0, LINE_BYTES, &done), 0);
	assert_int_equal(done, LINE_BYTES);
	assert_int_equal(file.torn_number, 0);
	n = read(ends[0], text, 2 * LINE_BYTES);
	assert_true(n > 0);
	assert_memory_equal(text + n - (n > LINE_BYTES ? LINE_BYTES : n),
			    next.bytes + LINE_BYTES - (n > LINE_BYTES ? LINE_BYTES : n),
			    (size_t)(n > LINE_BYTES ? LINE_BYTES : n));
	sent_finish(&next);
	close(ends[0]);
	close(ends[1]);
	return (size_t)n;
}

/* The same record again: only its rest is missing. */
static void test_completed(void **state)
{
	char text[2 * LINE_BYTES];
	int ends[2];

	tear(ends);
	assert_int_equal(write_next(ends, PIPE_BYTES / LINE_BYTES + 1, text),
			 LINE_BYTES - PIPE_BYTES % LINE_BYTES);
}

/* Another record, because that one was dropped. */
static void test_ended(void **state)
{
	char text[2 * LINE_BYTES];
	int ends[2];

	tear(ends);
	assert_int_equal(write_next(ends, LINES, text), LINE_BYTES + 1);
	assert_int_equal(text[0], '\n');
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_mode_and_append, setup, teardown),
	cmocka_unit_test_setup_teardown(test_tail, setup, teardown),
	cmocka_unit_test_setup_teardown(test_tail_of_another, setup, teardown),
	cmocka_unit_test_setup_teardown(test_rejected, setup, teardown),
	cmocka_unit_test_setup_teardown(test_moved, setup, teardown),
	cmocka_unit_test_setup_teardown(test_cut_back, setup, teardown),
	cmocka_unit_test_setup_teardown(test_completed, setup, teardown),
	cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
};

UNIT_GROUP(tests);
