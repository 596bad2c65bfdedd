/* SPDX-License-Identifier: MIT */
/* agent reload, with a process that stands in for the running agent. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/pid_file.h"
#include "printed.h"
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

/*
 * Answers one signal, and lives until `stop` is closed. A reload that began before it ends first,
 * and says something else.
 */
static void stand_in(int ready, int stop, bool busy, bool succeeds)
{
	char byte;
	struct buf said = {0};
	struct pid_file file;
	sigset_t hangup;
	int number;

	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	sigprocmask(SIG_BLOCK, &hangup, NULL);
	if (pid_file_open(&file, path, NULL))
		_exit(1);
	if (busy)
		pid_file_begin_reload(&file);
	if (write(ready, "", 1) != 1 || sigwait(&hangup, &number))
		_exit(1);
	buf_append_string(&said, "before\n");
	if (busy)
		pid_file_end_reload(&file, !succeeds, &said);
	usleep(50000);
	pid_file_begin_reload(&file);
	usleep(50000);
	buf_clear(&said);
	buf_append_string(&said, "agent: this one\n");
	pid_file_end_reload(&file, succeeds, &said);
	_exit(read(stop, &byte, 1) != 0);
}

static pid_t start(const int stop[2], bool busy, bool succeeds)
{
	int fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		close(stop[1]);
		stand_in(fds[1], stop[0], busy, succeeds);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	return pid;
}

static void expect(bool busy, bool succeeds)
{
	char line[TREE_PATH_BYTES + 32];
	struct printed printed;
	int status, stop[2];
	pid_t pid;

	assert_int_equal(pipe(stop), 0);
	pid = start(stop, busy, succeeds);
	snprintf(line, sizeof(line), "reload --pid-file %s", path);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, succeeds ? 0 : 1);
	assert_string_equal(printed.err, "agent: this one\n");
	assert_string_equal(printed.out, "");
	printed_finish(&printed);
	close(stop[0]);
	close(stop[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_answers(void **state)
{
	expect(false, true);
	expect(false, false);
}

/* What began before the request may have read the old files. */
static void test_busy(void **state)
{
	expect(true, true);
	expect(true, false);
}

static void test_no_agent(void **state)
{
	char line[TREE_PATH_BYTES + 32];
	struct printed printed;

	snprintf(line, sizeof(line), "reload --pid-file %s", path);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.err, (const char *const[]){"there is no such file", NULL});
	printed_finish(&printed);
}

#define RELOAD_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	RELOAD_TEST(test_answers),
	RELOAD_TEST(test_busy),
	RELOAD_TEST(test_no_agent),
};

UNIT_GROUP(tests);
