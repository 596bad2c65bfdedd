/* SPDX-License-Identifier: MIT */
/* The command record: its options, and the files that it writes of a command. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/tools/record_options.h"
#include "agent/commands/subcommands.h"
#include "printed.h"
#include "tree.h"
#include "typed.h"
#include "unit.h"

static void reads_options(void **state)
{
	struct record_options options;
	struct error err = {""};

	assert_int_equal(typed_read(&record_own_options,
				    "-e cs -e faults:u -F 99 -g -o file -z -- ls -l", &options,
				    &err),
			 0);
	assert_string_equal(options.events.data, "cs,faults:u");
	assert_int_equal(options.sampled.frequency_hz, 99);
	assert_int_equal(options.sampled.call_graph, PERF_CALL_GRAPH_FP);
	assert_int_equal(options.sampled.clock, CLOCK_MONOTONIC);
	assert_string_equal(options.output, "file");
	assert_int_equal(options.level, 1);
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-l");
	assert_false(options.all_cpus);
	record_options_finish(&options);
	assert_int_equal(
		typed_read(&record_own_options,
			   "-c 1000 --call-graph dwarf,4090 --compression-level=19 -m 3 -k "
			   "boot --switch-output=30s sleep -a 1",
			   &options, &err),
		0);
	assert_int_equal(options.sampled.period, 1000);
	assert_int_equal(options.sampled.call_graph, PERF_CALL_GRAPH_DWARF);
	assert_int_equal(options.sampled.stack_bytes, 4096);
	assert_int_equal(options.sampled.clock, CLOCK_BOOTTIME);
	assert_int_equal(options.level, 19);
	assert_int_equal(options.ring_bytes, 4 * sysconf(_SC_PAGESIZE));
	assert_true(options.switches.wanted && options.switches.ns == UINT64_C(30000000000));
	record_options_finish(&options);
	assert_int_equal(typed_read(&record_own_options,
				    "-p 1,2 -m 1M --switch-output=100M -z7 --namespaces -F max",
				    &options, &err),
			 0);
	assert_int_equal(options.ring_bytes, 1 << 20);
	assert_int_equal(options.level, 7);
	assert_int_equal(options.switches.bytes, 100 << 20);
	assert_true(options.sampled.has_namespaces);
	assert_true(options.sampled.frequency_hz > 0);
	record_options_finish(&options);
	/* As perf(1): without anything to record, all is. */
	assert_int_equal(typed_read(&record_own_options, "--switch-output -q", &options, &err), 0);
	assert_true(options.all_cpus && options.quiet && options.switches.wanted);
	assert_string_equal(options.output, "perf.data");
	record_options_finish(&options);
}

static void reads_its_own_words(void **state)
{
	char *record[] = {"agent", "record", "-e", "cs"};

	assert_string_equal(agent_subcommand_of_own_options(subcommands, 4, record)->name,
			    "record");
	printed_expect_run("record --help",
			   (const char *[]){"Usage: agent record", "--call-graph KIND", NULL});
}

static bool is_recording(const char *path, bool is_pipe)
{
	char head[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return n == sizeof(head) && memcmp(head, "PERFILE2", 8) == 0 &&
	       head[8] == (is_pipe ? 16 : 104);
}

/* Runs it with a file in the tree. Returns its exit code; skips where events cannot be opened. */
static int run(const char *format, const char *path, const char *said)
{
	struct printed printed;
	char text[TREE_PATH_BYTES + 128];
	int exit_code;

	snprintf(text, sizeof(text), format, path);
	printed_run(text, &printed);
	exit_code = printed.exit_code;
	if (strstr(printed.err, "CAP_PERFMON")) {
		printed_finish(&printed);
		skip();
	}
	if (!strstr(printed.err, said))
		fail_msg("%s", printed.err);
	printed_finish(&printed);
	return exit_code;
}

static void records_a_command(void **state)
{
	char path[TREE_PATH_BYTES], old[TREE_PATH_BYTES + 4], fifo[TREE_PATH_BYTES];
	struct stat found;
	struct tree tree;
	int end;

	tree_create(&tree);
	tree_path(&tree, "perf.data", path);
	snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(run("record -e page-faults:u -c 1 -o %s true", path, " samples, 0 lost\n"),
			 0);
	assert_true(is_recording(path, false));
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_mode & 0777, 0600);
	/* The earlier one is kept. */
	assert_int_equal(stat(old, &found), -1);
	assert_int_equal(run("record -z -g -e dummy:u -o %s false", path, "agent: record: woken "),
			 1);
	assert_true(is_recording(path, false) && is_recording(old, false));
	assert_int_equal(run("record -v -e dummy:u -o %s /nonexistent", path,
			     "agent: cannot execute /nonexistent: No such file or directory\n"),
			 127);
	/* What is no file is a pipe. */
	tree_path(&tree, "fifo", fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	end = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(run("record -e dummy:u -o %s true", fifo, "agent: record: woken "), 0);
	assert_true(is_recording(fifo, true));
	close(end);
	tree_destroy(&tree);
}

static void says_why_it_does_not(void **state)
{
	struct printed printed;

	printed_run("record -e nonsense true", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_finish(&printed);
	printed_run("record -e dummy:u -u nobody-of-that-name", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.err, "agent: record: no user nobody-of-that-name\n");
	printed_finish(&printed);
	printed_run("record -e dummy:u -p x", &printed);
	assert_string_equal(printed.err, "agent: record: 'x' is no list of processes\n");
	printed_finish(&printed);
	printed_run("record -e dummy:u -o /nonexistent/perf.data true", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_options),
	cmocka_unit_test(reads_its_own_words),
	cmocka_unit_test(records_a_command),
	cmocka_unit_test(says_why_it_does_not),
};

UNIT_GROUP(tests);
