/* SPDX-License-Identifier: MIT */
/* The command of the agent: when it begins, how it ends, and commands that cannot be executed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/process/child.h"
#include "agent/process/signals.h"
#include "patience.h"
#include "unit.h"

static char folder[] = "/tmp/lanner-child-XXXXXX";

static int setup(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	return rmdir(folder);
}

/* A file in the folder, with these contents and this mode. */
static void make_file(const char *name, const char *text, mode_t mode, char *path, size_t size)
{
	FILE *file;

	assert_true(snprintf(path, size, "%s/%s", folder, name) < (int)size);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Runs a script to its end; returns the exit code. */
static int run(const char *script)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};
	struct error err = {""};
	struct child child;
	int code;

	assert_int_equal(child_start(argv, &child, &err), 0);
	child_go(&child);
	while (!child_has_exited(&child))
		sleep_ms(1);
	code = child_end(&child, &err);
	assert_string_equal(err.text, "");
	child_finish(&child);
	return code;
}

static void test_exit_codes(void **state)
{
	assert_int_equal(run("exit 0"), 0);
	assert_int_equal(run("exit 7"), 7);
	assert_int_equal(run("kill -9 $$"), 128 + SIGKILL);
	assert_int_equal(run("kill -PIPE $$"), 128 + SIGPIPE);
}

/* Nothing of the command happens before it may go on. */
static void test_gate(void **state)
{
	char path[64], script[128];
	char *argv[] = {"sh", "-c", script, NULL};
	struct child child;

	snprintf(path, sizeof(path), "%s/began", folder);
	snprintf(script, sizeof(script), ": > %s", path);
	assert_int_equal(child_start(argv, &child, NULL), 0);
	sleep_ms(50);
	assert_int_equal(access(path, F_OK), -1);
	assert_false(child_went(&child) || child_has_exited(&child));
	child_go(&child);
	assert_true(child_went(&child));
	while (!child_has_exited(&child))
		sleep_ms(1);
	assert_int_equal(unlink(path), 0);
	child_finish(&child);
}

/* A capture that fails to start ends the process that waits, without a trace of the command. */
static void test_never_gone(void **state)
{
	char path[64], script[128];
	char *argv[] = {"sh", "-c", script, NULL};
	struct child child;

	snprintf(path, sizeof(path), "%s/began", folder);
	snprintf(script, sizeof(script), ": > %s", path);
	assert_int_equal(child_start(argv, &child, NULL), 0);
	child_finish(&child);
	assert_int_equal(kill(child.pid, 0), -1);
	assert_int_equal(access(path, F_OK), -1);
}

static void expect_no_command(const char *name, int code, int exit_code, const char *message)
{
	char *argv[] = {(char *)name, NULL};
	struct error err = {""};
	struct child child;

	assert_int_equal(child_start(argv, &child, &err), code);
	assert_int_equal(child_exit_code_of_error(code), exit_code);
	assert_non_null(strstr(err.text, message));
}

static void test_no_command(void **state)
{
	char path[64];

	make_file("plain", "x", 0644, path, sizeof(path));
	expect_no_command("no-such-command", -ENOENT, 127, "no-such-command: command not found");
	expect_no_command("", -ENOENT, 127, "command not found");
	expect_no_command("/no/such", -ENOENT, 127, "cannot execute /no/such: No such file");
	expect_no_command(path, -EACCES, 126, "Permission denied");
	expect_no_command(folder, -EISDIR, 126, "Is a directory");
	unlink(path);
}

/* As a shell does: a file that cannot be executed does not end the search. */
static void test_search(void **state)
{
	char plain[64], path[128];
	char *argv[] = {"true", NULL};
	const char *before = getenv("PATH");
	char *kept = strdup(before ? before : "");
	struct child child;

	make_file("true", "x", 0644, plain, sizeof(plain));
	assert_int_equal(setenv("PATH", folder, 1), 0);
	assert_int_equal(child_start(argv, &child, NULL), -EACCES);
	snprintf(path, sizeof(path), "/no/such:%s:/usr/bin:/bin", folder);
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_int_equal(child_start(argv, &child, NULL), 0);
	child_go(&child);
	while (!child_has_exited(&child))
		sleep_ms(1);
	assert_int_equal(child_end(&child, NULL), 0);
	child_finish(&child);
	setenv("PATH", kept, 1);
	free(kept);
	unlink(plain);
}

/* What only exec finds out comes back. */
static void test_exec_fails(void **state)
{
	char path[64];
	char *argv[] = {path, NULL};
	struct error err = {""};
	struct child child;

	make_file("script", "#!/no/such/interpreter\n", 0755, path, sizeof(path));
	assert_int_equal(child_start(argv, &child, &err), 0);
	child_go(&child);
	while (!child_has_exited(&child))
		sleep_ms(1);
	assert_int_equal(child_end(&child, &err), 127);
	assert_non_null(strstr(err.text, "cannot execute"));
	child_finish(&child);
	unlink(path);
}

/* The capture ended first: the command is asked to end, also one that is stopped. */
static void test_end_of_one_that_runs(void **state)
{
	char *sleeps[] = {"sleep", "60", NULL};
	struct child child;

	assert_int_equal(child_start(sleeps, &child, NULL), 0);
	child_go(&child);
	assert_int_equal(child_end(&child, NULL), 128 + SIGTERM);
	child_finish(&child);
	assert_int_equal(child_start(sleeps, &child, NULL), 0);
	child_go(&child);
	assert_int_equal(kill(child.pid, SIGSTOP), 0);
	assert_int_equal(child_end(&child, NULL), 128 + SIGTERM);
	child_finish(&child);
}

static bool has_begun(pid_t pid, const char *name)
{
	char path[64], comm[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%31s", comm), 1);
	fclose(file);
	return strcmp(comm, name) == 0;
}

/* SIGINT that somebody sends to the agent is for the command. */
static void test_signals_are_passed_on(void **state)
{
	char *sleeps[] = {"sleep", "60", NULL};
	int before = signals_count();
	struct child child;

	assert_int_equal(child_start(sleeps, &child, NULL), 0);
	assert_int_equal(signals_pass_on(child.pid, NULL), 0);
	child_go(&child);
	assert_true(waited_until(has_begun(child.pid, "sleep")));
	assert_int_equal(kill(getpid(), SIGINT), 0);
	assert_true(waited_until(child_has_exited(&child)));
	assert_int_equal(child_end(&child, NULL), 128 + SIGINT);
	assert_int_equal(signals_count(), before);
	child_finish(&child);
}

/* One that ignores SIGTERM is killed when the agent gets another signal. */
static void test_end_of_one_that_does_not_want_to(void **state)
{
	char path[64], script[160];
	char *argv[] = {"sh", "-c", script, NULL};
	struct child child;

	snprintf(path, sizeof(path), "%s/ignores", folder);
	snprintf(script, sizeof(script), "trap '' TERM; : > %s; while :; do sleep 0.01; done",
		 path);
	assert_int_equal(child_start(argv, &child, NULL), 0);
	assert_int_equal(signals_init(false, NULL), 0);
	child_go(&child);
	assert_true(waited_until(access(path, F_OK) == 0));
	signals_end_after(300000000);
	assert_int_equal(child_end(&child, NULL), 128 + SIGKILL);
	child_finish(&child);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_exit_codes),
	cmocka_unit_test(test_gate),
	cmocka_unit_test(test_never_gone),
	cmocka_unit_test(test_no_command),
	cmocka_unit_test(test_search),
	cmocka_unit_test(test_exec_fails),
	cmocka_unit_test(test_end_of_one_that_runs),
	cmocka_unit_test(test_signals_are_passed_on),
	/* Last: a signal, once counted, stays. */
	cmocka_unit_test(test_end_of_one_that_does_not_want_to),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
