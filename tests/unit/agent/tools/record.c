/* SPDX-License-Identifier: MIT */
/* The command record: its options, and the files that it writes of a command. */
#include <errno.h>
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
#include "unit.h"

enum { WORDS_MAX = 24 };

/* Words that are separated by blanks. */
static int read_words(const char *text, struct record_options *options, struct error *err)
{
	static char memory[256];
	static char *words[WORDS_MAX];
	char *rest = memory;
	int n = 0;

	snprintf(memory, sizeof(memory), "record %s", text);
	while (n < WORDS_MAX - 1 && (words[n] = strsep(&rest, " ")))
		n += words[n][0] != '\0';
	words[n] = NULL;
	return record_options_read(n, words, options, err);
}

static void reads_options(void **state)
{
	struct record_options options;
	struct error err = {""};

	assert_int_equal(
		read_words("-e cs -e faults:u -F 99 -g -o file -z -- ls -l", &options, &err), 0);
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
		read_words("-c 1000 --call-graph dwarf,4090 --compression-level=19 -m 3 -k "
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
	assert_int_equal(read_words("-p 1,2 -m 1M --switch-output=100M -z7 --namespaces -F max",
				    &options, &err),
			 0);
	assert_int_equal(options.ring_bytes, 1 << 20);
	assert_int_equal(options.level, 7);
	assert_int_equal(options.switches.bytes, 100 << 20);
	assert_true(options.sampled.has_namespaces);
	assert_true(options.sampled.frequency_hz > 0);
	record_options_finish(&options);
	/* As perf(1): without anything to record, all is. */
	assert_int_equal(read_words("--switch-output -q", &options, &err), 0);
	assert_true(options.all_cpus && options.quiet && options.switches.wanted);
	assert_string_equal(options.output, "perf.data");
	record_options_finish(&options);
}

static void rejects_others(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{"-e", "record: -e needs a value"},
		{"-J ls", "record: -J: unknown option; agent record --help lists them"},
		{"--evnt=cs ls", "record: --evnt=cs: unknown option (did you mean --event?)"},
		{"-F 0 ls", "record: -F 0: expected a number from 1, or max"},
		{"-F 4000000000 ls", "record: -F 4000000000: the kernel allows "},
		{"-c x ls", "record: -c x: expected a number from 1"},
		{"-c 5 -F 5 ls", "record: -c or -F: one of them"},
		{"--call-graph fp,5 ls", "record: --call-graph fp,5: expected fp, dwarf, "},
		{"--call-graph dwarf,7 ls", "record: --call-graph dwarf,7: expected bytes from 8"},
		{"--call-graph dwarf,1G ls", "record: --call-graph dwarf,1G: expected bytes"},
		{"--call-graph dwa ls", "record: --call-graph dwa: expected fp, dwarf, "},
		{"-k wall ls", "record: -k wall: expected monotonic, "},
		{"-m 0 ls", "record: -m 0: expected pages"},
		{"-m 2G ls", "record: -m 2G: expected pages"},
		{"-m 1000000 ls", "record: -m 1000000: expected pages"},
		{"-z23 ls", "record: -z 23: expected a level from 1 to 22"},
		{"--switch-output=5 ls", "record: --switch-output=5: expected signal, "},
		{"--switch-output -o - ls", "record: --switch-output needs a file"},
		{"-p 1 -a", "record: tasks are sampled on all CPUs"},
		{"-u root -C 0", "record: tasks are sampled on all CPUs"},
	};
	struct record_options options;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = {""};

		assert_int_equal(read_words(rows[i].words, &options, &err), -EINVAL);
		assert_memory_equal(err.text, rows[i].message, strlen(rows[i].message));
	}
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
	cmocka_unit_test(reads_options),	cmocka_unit_test(rejects_others),
	cmocka_unit_test(reads_its_own_words),	cmocka_unit_test(records_a_command),
	cmocka_unit_test(says_why_it_does_not),
};

UNIT_GROUP(tests);
