/* SPDX-License-Identifier: MIT */
/* The command offcputime as it is run: its help, what it rejects, and the waits of a process. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/options/command.h"
#include "printed.h"
#include "tree.h"
#include "unit.h"

static void test_help(void **state)
{
	printed_expect_run("offcputime --help",
			   (const char *const[]){"[SECONDS]", "--min-block-time", NULL});
}

static void test_naps(void **state)
{
	struct printed printed;
	char line[64], last[64];
	pid_t child;

	if (geteuid())
		skip();
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "napping");
		for (;;)
			usleep(10000);
	}
	snprintf(line, sizeof(line), "offcputime -p %d 0.5", (int)child);
	snprintf(last, sizeof(last), "    -                napping (%d)\n", (int)child);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out, (const char *const[]){"    schedule\n", last, NULL});
	printed_finish(&printed);
	/* None is that long, or it is no thread of the kernel. */
	snprintf(line, sizeof(line), "offcputime -m 60000000 -p %d 0.3", (int)child);
	printed_run(line, &printed);
	assert_string_equal(printed.out, "");
	printed_finish(&printed);
	snprintf(line, sizeof(line), "offcputime -k -p %d 0.3", (int)child);
	printed_run(line, &printed);
	assert_string_equal(printed.out, "");
	printed_finish(&printed);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Debugging information of others is not read for what is not printed: here it is damaged. */
static void test_reads_no_inlined(void **state)
{
	static const char *const commands[] = {"offcputime", "profile --off-cpu"};
	char line[TREE_PATH_BYTES + 256], path[TREE_PATH_BYTES];
	struct printed printed;
	struct tree tree;
	pid_t child;

	if (geteuid())
		skip();
	tree_create(&tree);
	tree_write(&tree, "naps.c",
		   "#include <unistd.h>\nint main(void) { for (;;) usleep(10000); return 0; }\n");
	snprintf(line, sizeof(line),
		 "cd %s && gcc -g -o naps naps.c && printf '\\377\\377' >junk && "
		 "objcopy --update-section .debug_abbrev=junk naps",
		 tree.path);
	assert_int_equal(system(line), 0);
	tree_path(&tree, "naps", path);
	child = fork();
	if (child == 0) {
		execl(path, path, NULL);
		_exit(1);
	}
	for (size_t i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "%s -p %d 0.5", commands[i], (int)child);
		printed_run(line, &printed);
		assert_int_equal(printed.exit_code, 0);
		assert_true((strstr(printed.err, "the inlined functions") != NULL) == (i == 1));
		printed_finish(&printed);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_help),
	cmocka_unit_test(test_naps),
	cmocka_unit_test(test_reads_no_inlined),
};

UNIT_GROUP(tests);
