/* SPDX-License-Identifier: MIT */
/* Output to pipes: when it is written, readers that are gone, and what counts as lost. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/line_writer.h"
#include "agent/process/signals.h"
#include "unit.h"

struct pipe_test {
	int ends[2];
	struct line_writer writer;
};

/* Lines, one of which may go over several. */
static void put_lines(struct line_writer *writer, const char *first, const char *second)
{
	buf_append_string(&writer->buf, first);
	line_writer_end_line(writer);
	if (!second)
		return;
	buf_append_string(&writer->buf, second);
	line_writer_end_line(writer);
}

static void open_pipe(struct pipe_test *test)
{
	assert_int_equal(pipe2(test->ends, O_CLOEXEC), 0);
	line_writer_init(&test->writer, test->ends[1]);
}

static void close_pipe(struct pipe_test *test)
{
	line_writer_finish(&test->writer);
	close(test->ends[0]);
	close(test->ends[1]);
}

static void test_written_on_flush(void **state)
{
	struct error err = {""};
	struct pipe_test test;
	char got[16];

	open_pipe(&test);
	put_lines(&test.writer, "a\n", "b\n");
	assert_int_equal(line_writer_flush_if_full(&test.writer, &err), 0);
	assert_int_equal(test.writer.buf.len, 4);
	assert_int_equal(line_writer_flush(&test.writer, &err), 0);
	assert_int_equal(test.writer.buf.len, 0);
	assert_int_equal(read(test.ends[0], got, sizeof(got)), 4);
	assert_memory_equal(got, "a\nb\n", 4);
	assert_int_equal(test.writer.lines_lost, 0);
	close_pipe(&test);
}

static void test_full_buffer_is_written(void **state)
{
	struct error err = {""};
	struct line_writer writer;

	line_writer_init(&writer, open("/dev/null", O_WRONLY | O_CLOEXEC));
	for (int i = 0; i < LINE_WRITER_FLUSH_BYTES; i++)
		buf_append_char(&writer.buf, '\n');
	assert_int_equal(line_writer_flush_if_full(&writer, &err), 0);
	assert_int_equal(writer.buf.len, 0);
	close(writer.fd);
	line_writer_finish(&writer);
}

static void test_reader_gone(void **state)
{
	struct error err = {""};
	struct pipe_test test;

	open_pipe(&test);
	line_writer_check_reader(&test.writer);
	assert_false(test.writer.closed);
	close(test.ends[0]);
	line_writer_check_reader(&test.writer);
	assert_true(test.writer.closed);

	test.writer.closed = false;
	put_lines(&test.writer, "a\n", "b\nof several\nlines\n");
	assert_int_equal(line_writer_flush(&test.writer, &err), 0);
	assert_true(test.writer.closed);
	put_lines(&test.writer, "c\n", NULL);
	assert_int_equal(line_writer_flush(&test.writer, &err), 0);
	assert_int_equal(test.writer.lines_lost, 3);
	close_pipe(&test);
}

static void test_failure_is_reported(void **state)
{
	struct error err = {""};
	struct line_writer writer;

	line_writer_init(&writer, open("/dev/full", O_WRONLY | O_CLOEXEC));
	put_lines(&writer, "a\n", NULL);
	assert_int_equal(line_writer_flush(&writer, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	assert_int_equal(writer.lines_lost, 1);
	close(writer.fd);
	line_writer_finish(&writer);
}

/*
 * The reader does not read: after the end of the agent's time (like any signal) and the alarm that
 * follows, the rest is given up.
 */
static void test_end_while_blocked(void **state)
{
	struct error err = {""};
	struct pipe_test test;
	int lines;

	open_pipe(&test);
	lines = fcntl(test.ends[1], F_GETPIPE_SZ) / 2 + 1000;
	for (int i = 0; i < lines; i++)
		put_lines(&test.writer, "a\n", NULL);
	assert_int_equal(signals_count(), 0);
	signals_end_after(50 * 1000000);
	assert_int_equal(line_writer_flush(&test.writer, &err), 0);
	assert_true(test.writer.closed);
	assert_int_equal(test.writer.lines_lost, 1000);
	assert_true(signals_count() > 1);
	close_pipe(&test);
}

enum { SLOW_LINE = 100, SLOW_LINES = 2000, SLOW_READ = 10000 };

/* Reads some, but only when the writer has been told to end. */
static void *read_slowly(void *argument)
{
	struct pipe_test *test = argument;
	static char bytes[SLOW_READ];
	size_t got = 0;

	while (!signals_count())
		usleep(1000);
	while (got < sizeof(bytes)) {
		ssize_t n = read(test->ends[0], bytes + got, sizeof(bytes) - got);

		if (n <= 0)
			abort();
		got += (size_t)n;
	}
	return NULL;
}

/* Signals are for the thread that writes. */
static void start_reader(pthread_t *reader, struct pipe_test *test)
{
	sigset_t all, before;

	sigfillset(&all);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
	assert_int_equal(pthread_create(reader, NULL, read_slowly, test), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

/* The reader reads too little: what it gets ends with a line. */
static void test_end_beside_a_slow_reader(void **state)
{
	static char rest[SLOW_LINE * SLOW_LINES];
	struct error err = {""};
	struct pipe_test test;
	char line[SLOW_LINE + 1];
	pthread_t reader;
	ssize_t got;

	memset(line, 'a', SLOW_LINE - 1);
	line[SLOW_LINE - 1] = '\n';
	line[SLOW_LINE] = '\0';
	open_pipe(&test);
	for (int i = 0; i < SLOW_LINES; i++)
		put_lines(&test.writer, line, NULL);
	signals_end_after(50 * 1000000);
	start_reader(&reader, &test);
	assert_int_equal(line_writer_flush(&test.writer, &err), 0);
	assert_true(test.writer.closed);
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_int_equal(fcntl(test.ends[0], F_SETFL, O_NONBLOCK), 0);
	got = read(test.ends[0], rest, sizeof(rest));
	assert_true(got > 0);
	assert_int_equal(rest[got - 1], '\n');
	assert_int_equal((SLOW_READ + got) % SLOW_LINE, 0);
	assert_int_equal((SLOW_READ + got) / SLOW_LINE + test.writer.lines_lost, SLOW_LINES);
	close_pipe(&test);
}

static int watch_signals(void **state)
{
	return signals_init(false, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_written_on_flush),
	cmocka_unit_test(test_full_buffer_is_written),
	/* Before the one that makes a SIGPIPE, which counts too. */
	cmocka_unit_test(test_end_while_blocked),
	cmocka_unit_test(test_end_beside_a_slow_reader),
	cmocka_unit_test(test_reader_gone),
	cmocka_unit_test(test_failure_is_reported),
};

UNIT_GROUP(tests, .setup = watch_signals);
