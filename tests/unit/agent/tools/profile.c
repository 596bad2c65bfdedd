/* SPDX-License-Identifier: MIT */
/* The command profile as it is run: its help, what it rejects, and a profile of a process that
 * sleeps. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/options/command.h"
#include "printed.h"
#include "unit.h"

static void expect_rejected(const char *line, const char *word)
{
	struct printed printed;

	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, EXIT_USAGE);
	assert_string_equal(printed.out, "");
	printed_expect(printed.err, (const char *const[]){word, NULL});
	printed_finish(&printed);
}

static void test_help(void **state)
{
	printed_expect_run("profile --help",
			   (const char *const[]){"[FILTER] SECONDS", "--off-cpu", NULL});
}

static void test_rejects(void **state)
{
	expect_rejected("profile", "needs one time");
	expect_rejected("profile soon", "is no time in seconds");
	expect_rejected("profile --nosuch 1", "unknown option");
	expect_rejected("profile evt.type=open 1", "evt.type is not known of samples");
	expect_rejected("profile proc.nosuch=1 1", "the filter: ");
}

/* It writes what it has, also if that is nothing. */
static void test_sleeper(void **state)
{
	struct printed printed;
	char line[64];
	pid_t child;

	if (geteuid())
		skip();
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	snprintf(line, sizeof(line), "profile -v -o folded -p %d 0.2", (int)child);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.out, "");
	printed_expect(printed.err, (const char *const[]){"programs", NULL});
	printed_finish(&printed);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_help),
	cmocka_unit_test(test_rejects),
	cmocka_unit_test(test_sleeper),
};

UNIT_GROUP(tests);
