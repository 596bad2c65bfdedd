/* SPDX-License-Identifier: MIT */
/* The file of a running agent: what others read of it, and one that was left behind. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/pid_file.h"
#include "tree.h"
#include "unit.h"

static struct tree tree;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "agent.pid", path);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static void expect_status(unsigned int begun, unsigned int ended, bool succeeded, const char *said)
{
	struct pid_status status;

	assert_int_equal(pid_file_read(path, &status, NULL), 0);
	assert_int_equal(status.pid, getpid());
	assert_int_equal(status.begun, begun);
	assert_int_equal(status.ended, ended);
	assert_int_equal(status.succeeded, succeeded);
	assert_int_equal(status.said.len, strlen(said));
	assert_memory_equal(status.said.data, said, strlen(said));
	buf_finish(&status.said);
}

static void expect_no_status(int code, const char *words)
{
	struct pid_status status;
	struct error err = {""};

	assert_int_equal(pid_file_read(path, &status, &err), code);
	assert_non_null(strstr(err.text, words));
	buf_finish(&status.said);
}

static void test_reloads(void **state)
{
	struct buf said = {0};
	struct pid_file file;
	char line[32];
	FILE *text;
	int pid;

	expect_no_status(-ENOENT, "--pid-file?");
	assert_int_equal(pid_file_open(&file, path, NULL), 0);
	expect_status(0, 0, false, "");
	pid_file_begin_reload(&file);
	expect_status(1, 0, false, "");
	buf_append_string(&said, "a.yaml:1:1: error: x\n\nend 1 1\n");
	pid_file_end_reload(&file, false, &said);
	expect_status(1, 1, false, said.data ? "a.yaml:1:1: error: x\n\nend 1 1\n" : "");
	pid_file_begin_reload(&file);
	buf_clear(&said);
	pid_file_end_reload(&file, true, &said);
	expect_status(2, 2, true, "");
	/* Others read the first line. */
	text = fopen(path, "r");
	assert_non_null(fgets(line, sizeof(line), text));
	assert_int_equal(sscanf(line, "%d\n", &pid), 1);
	assert_int_equal(pid, getpid());
	fclose(text);
	pid_file_close(&file);
	assert_int_equal(access(path, F_OK), -1);
	buf_finish(&said);
}

/* Much text is cut, and the file stays readable. */
static void test_long_text(void **state)
{
	struct pid_status status;
	struct buf said = {0};
	struct pid_file file;

	assert_int_equal(pid_file_open(&file, path, NULL), 0);
	for (unsigned int i = 0; i < 100000; i++)
		buf_append_string(&said, "x\n");
	pid_file_begin_reload(&file);
	pid_file_end_reload(&file, true, &said);
	assert_int_equal(pid_file_read(path, &status, NULL), 0);
	assert_int_equal(status.said.len, 1 << 16);
	buf_finish(&status.said);
	buf_finish(&said);
	pid_file_close(&file);
}

static void test_two_agents(void **state)
{
	struct pid_file file, other;
	struct error err = {""};

	assert_int_equal(pid_file_open(&file, path, NULL), 0);
	assert_int_equal(pid_file_open(&other, path, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another agent runs with it"));
	expect_status(0, 0, false, "");
	pid_file_close(&file);
	assert_int_equal(pid_file_open(&other, path, &err), 0);
	pid_file_close(&other);
}

/* Without the lock it is nobody's, whatever is in it. */
static void test_left_behind(void **state)
{
	struct pid_file file;

	tree_write(&tree, "agent.pid", "1\nreload 0 0 none\n\nend 0 0\n");
	expect_no_status(-ESRCH, "no longer runs");
	assert_int_equal(pid_file_open(&file, path, NULL), 0);
	expect_status(0, 0, false, "");
	pid_file_close(&file);
}

/* Something else that has the lock. */
static void test_not_a_status(void **state)
{
	static const char *const texts[] = {"",
					    "x",
					    "1\nreload 0 0 none\n\nend 0 0\n",
					    "77\n",
					    "77\nreload 1 1 failed\nhalf a mess",
					    "77\nreload 1 1 failed\nx\nend 1 0\n"};
	struct pid_file file;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(pid_file_open(&file, path, NULL), 0);
		assert_int_equal(ftruncate(file.fd, 0), 0);
		assert_int_equal(pwrite(file.fd, texts[i], strlen(texts[i]), 0), strlen(texts[i]));
		expect_no_status(-EBADMSG, "not the file of an agent");
		pid_file_close(&file);
	}
}

static void test_cannot_open(void **state)
{
	struct error err = {""};
	struct pid_file file;

	tree_path(&tree, "nosuch/agent.pid", path);
	assert_int_equal(pid_file_open(&file, path, &err), -ENOENT);
	assert_non_null(strstr(err.text, "its folder is missing"));
	tree_path(&tree, "agent.pid", path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(pid_file_open(&file, path, &err), -ELOOP);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pid_file_open(&file, path, &err), -EINVAL);
	/* Closing what was not opened does nothing. */
	pid_file_close(&file);
	pid_file_begin_reload(&file);
	pid_file_end_reload(&file, true, NULL);
	assert_int_equal(access(path, F_OK), 0);
}

#define PID_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	PID_TEST(test_reloads),	    PID_TEST(test_long_text),	 PID_TEST(test_two_agents),
	PID_TEST(test_left_behind), PID_TEST(test_not_a_status), PID_TEST(test_cannot_open),
};

UNIT_GROUP(tests);
