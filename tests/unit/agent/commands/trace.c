/* SPDX-License-Identifier: MIT */
/* The command trace: its options, and the filter that is made of them. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/commands/commands.h"
#include "agent/commands/trace_options.h"
#include "printed.h"
#include "unit.h"

enum { WORDS_MAX = 24 };

/* Words that are separated by blanks. */
static int read_trace_words(const char *text, struct trace_command_options *options,
			    struct error *err)
{
	static char memory[256];
	static char *words[WORDS_MAX];
	char *rest = memory;
	int n = 0;

	snprintf(memory, sizeof(memory), "trace %s", text);
	while (n < WORDS_MAX - 1 && (words[n] = strsep(&rest, " ")))
		n += words[n][0] != '\0';
	words[n] = NULL;
	return trace_options_read(n, words, options, err);
}

static void reads_trace_options(void **state)
{
	struct trace_command_options options;
	struct error err = {""};

	assert_int_equal(read_trace_words("-ttt -yy -s 100 -a 20 -T -r -C -S errors -qq -o file -f "
					  "ls -l",
					  &options, &err),
			 0);
	assert_int_equal(options.lines.time, TRACE_TIME_EPOCH);
	assert_int_equal(options.lines.names, TRACE_NAMES_ALL);
	assert_int_equal(options.lines.string_max, 100);
	assert_int_equal(options.lines.column, 20);
	assert_int_equal(options.lines.shows, TRACE_LINES_AND_TABLE);
	assert_int_equal(options.lines.order, TRACE_BY_ERRORS);
	assert_int_equal(options.lines.traced, 1);
	assert_true(options.lines.durations && options.lines.relative && options.lines.quiet_exits);
	assert_true(options.lines.pid_column);
	assert_string_equal(options.output, "file");
	assert_string_equal(options.command[1], "-l");
	/* Without a file it is -f. */
	assert_int_equal(read_trace_words("-ff ls", &options, &err), 0);
	assert_true(options.lines.follows);
	assert_int_equal(read_trace_words("-p 1,2 -p 3 -c", &options, &err), 0);
	assert_int_equal(options.lines.traced, 3);
	assert_int_equal(options.lines.shows, TRACE_TABLE);
	assert_null(options.command);
}

/* The table beside lines, whatever the order of the options. */
static void keeps_lines_beside_the_table(void **state)
{
	static const struct {
		const char *words;
		enum trace_shows shows;
	} rows[] = {
		{"-C -w ls", TRACE_LINES_AND_TABLE},
		{"-w -C ls", TRACE_LINES_AND_TABLE},
		{"-C -c ls", TRACE_LINES_AND_TABLE},
		{"-c -w ls", TRACE_TABLE},
		{"-w ls", TRACE_TABLE},
		{"ls", TRACE_LINES},
	};
	struct trace_command_options options;
	struct error err = {""};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_trace_words(rows[i].words, &options, &err), 0);
		assert_int_equal(options.lines.shows, rows[i].shows);
	}
}

/* The words of strace. */
static void reads_orders(void **state)
{
	static const struct {
		const char *word;
		enum trace_order order;
	} rows[] = {
		{"time-total", TRACE_BY_TIME},	 {"total_time", TRACE_BY_TIME},
		{"time-percent", TRACE_BY_TIME}, {"avg-time", TRACE_BY_MEAN},
		{"shortest", TRACE_BY_MIN},	 {"max-time", TRACE_BY_MAX},
		{"syscall-name", TRACE_BY_NAME}, {"nothing", TRACE_BY_NOTHING},
	};
	struct trace_command_options options;
	struct error err = {""};
	char words[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(words, sizeof(words), "-c -S %s ls", rows[i].word);
		assert_int_equal(read_trace_words(words, &options, &err), 0);
		assert_int_equal(options.lines.order, rows[i].order);
	}
}

static void *wait_for_release(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

/* Those of a process that has more than one, if they are followed. */
static void counts_threads_at_first(void **state)
{
	struct trace_command_options options;
	struct error err = {""};
	char words[64];
	pthread_t threads[2];
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_release, &lock), 0);
	snprintf(words, sizeof(words), "-f -p %d", (int)getpid());
	assert_int_equal(read_trace_words(words, &options, &err), 0);
	assert_int_equal(options.lines.traced, 3);
	assert_int_equal(read_trace_words(words + strlen("-f "), &options, &err), 0);
	assert_int_equal(options.lines.traced, 1);
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void rejects_trace_options(void **state)
{
	static const char *const wrong[] = {
		"-p x",
		"",
		"-p 1 ls",
		"-s -1 ls",
		"-s 100000 ls",
		"-S no ls",
		"-S time-percen ls",
		"-U calls ls",
		"-ff -o file ls",
		"-f --output-separately -o file ls",
		"-k ls",
		"-u me",
		"-e inject=read:error=1 ls",
		"--nosuch ls",
		"-s",
		"-a 1000 ls",
	};
	struct trace_command_options options;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct error err = {""};

		assert_int_equal(read_trace_words(wrong[i], &options, &err), -EINVAL);
		assert_string_not_equal(err.text, "");
	}
}

static void expect_trace_filter(const char *words, const char *expected)
{
	struct trace_command_options options;
	struct error err = {""};
	struct buf out = {0};

	assert_int_equal(read_trace_words(words, &options, &err), 0);
	assert_int_equal(trace_options_append_filter(&options, &out, &err), 0);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void makes_trace_filters(void **state)
{
	expect_trace_filter("-e read -e signal=none -Z ls",
			    "(evt.type in (read) and evt.failed = true) or evt.type = procexit");
	expect_trace_filter("--trace=read -e status=successful -e s=chld ls",
			    "(evt.type in (read) and evt.failed = false) or evt.type = procexit or "
			    "(evt.type = signaldeliver and evt.arg.sig in (17))");
	/* New threads are counted, though the calls that make them are not shown. */
	expect_trace_filter("-f -e read -e signal=none ls",
			    "(evt.type in (read)) or evt.type = procexit or (evt.type in (clone, "
			    "clone3, fork, vfork) and evt.rawres = 0)");
	expect_trace_filter("-f -c -e read ls", "(evt.type in (read)) or evt.type = procexit");
	expect_trace_filter("-e t=read -c -P /a ls",
			    "(evt.type in (read) and (fd.name = \"/a\" or fs.path.name = \"/a\" or "
			    "fs.path.source = \"/a\" or fs.path.target = \"/a\" or evt.abspath = "
			    "\"/a\")) or evt.type = procexit");
}

static void runs_trace(void **state)
{
	static const char *const none[] = {"trace needs a command", NULL};
	struct printed printed;

	printed_expect_run("trace --help",
			   (const char *const[]){"--follow-forks", "-e, --expr LIST", NULL});
	printed_run("trace", &printed);
	assert_int_equal(printed.exit_code, EXIT_USAGE);
	printed_expect(printed.err, none);
	printed_finish(&printed);
	printed_run("trace -o /no/such/folder/file true", &printed);
	assert_int_equal(printed.exit_code, EXIT_USAGE);
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_trace_options),
	cmocka_unit_test(keeps_lines_beside_the_table),
	cmocka_unit_test(reads_orders),
	cmocka_unit_test(counts_threads_at_first),
	cmocka_unit_test(rejects_trace_options),
	cmocka_unit_test(makes_trace_filters),
	cmocka_unit_test(runs_trace),
};

UNIT_GROUP(tests);
