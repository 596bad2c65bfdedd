/* SPDX-License-Identifier: MIT */
/* The input of a capture file: whole, truncated and corrupt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/input/input.h"
#include "sinsp/sinsp.h"

#include "capture.h"
#include "unit.h"

enum { FILE_BYTES_MAX = 1 << 20 };

/* The bytes of a small capture, and more behind them. */
static char whole[FILE_BYTES_MAX];
static size_t whole_bytes;

static struct options options;
static struct plan plan = {.options = &options};

static int read_whole(void **state)
{
	FILE *file = fopen(CAPTURES "/current.scap", "r");

	if (!file)
		return -1;
	whole_bytes = fread(whole, 1, sizeof(whole), file);
	fclose(file);
	return whole_bytes == 0 || whole_bytes == sizeof(whole);
}

/* Opens a file with the first `n` bytes of the capture, and takes the state before its events. */
static struct input *open_bytes(size_t n, struct state **engine)
{
	struct input *input;
	struct error err = {""};

	options.read = capture_path(whole, n);
	if (input_file_open(&plan, &input, &err) ||
	    input->ops->create_state(input, &(struct state_follow){0}, engine, &err))
		fail_msg("%s", err.text);
	return input;
}

/* Applies all events; returns what ended them. */
static int read_events(struct input *input, struct state *engine, unsigned int *count)
{
	struct state_event applied;
	struct scap_event event;
	int got;

	for (*count = 0; (got = scap_source_next(input->ops->step(input), 0, &event)) == 1;) {
		assert_int_equal(state_process(engine, &event, &applied), 0);
		++*count;
	}
	return got;
}

static void close_input(struct input *input, struct state *engine)
{
	state_destroy(engine);
	input_destroy(input);
}

/* What the report begins with. */
static void expect_report(struct input *input, const char *format, ...)
{
	const struct account account = {.matched = 2, .printed = 1};
	struct buf text = {0};
	char expected[512];
	va_list args;

	va_start(args, format);
	vsnprintf(expected, sizeof(expected), format, args);
	va_end(args);
	assert_int_equal(input->ops->append_report(input, &account, &text, NULL), 0);
	assert_true(text.len >= strlen(expected));
	text.data[strlen(expected)] = '\0';
	assert_string_equal(text.data, expected);
	buf_finish(&text);
}

static void test_no_capture(void **state)
{
	struct input *input = NULL;
	struct error err = {""};

	options.read = "/nonexistent/a.scap";
	assert_int_equal(input_file_open(&plan, &input, &err), -ENOENT);
	assert_null(input);
	assert_non_null(strstr(err.text, "/nonexistent/a.scap"));
	options.read = capture_path("not a capture file", 18);
	assert_true(input_file_open(&plan, &input, &err) < 0);
	assert_null(input);
	assert_non_null(strstr(err.text, options.read));
}

static void test_whole_file(void **state)
{
	const struct state_stats clean = {0}, corrupt = {.corrupt = 1};
	struct state *engine;
	struct state_stats stats;
	struct input *input = open_bytes(whole_bytes, &engine);
	struct buf text = {0};
	unsigned int count;

	/* The state is that of the file. */
	state_stats(engine, &stats);
	assert_true(stats.threads > 0 && stats.fds > 0);
	assert_in_range(input->ops->percent_read(input), 0, 100);
	assert_int_equal(read_events(input, engine, &count), -ENODATA);
	assert_true(count > 0);
	assert_int_equal(input->ops->percent_read(input), 100);
	assert_false(input->ops->is_incomplete(input, &clean));
	assert_true(input->ops->is_incomplete(input, &corrupt));
	expect_report(input, "agent: read %u events of %zu bytes; matched 2, printed 1\n", count,
		      whole_bytes);
	assert_int_equal(input->ops->append_counters(input, &text), 0);
	assert_non_null(memmem(text.data, text.len, "(100%)", 6));
	buf_finish(&text);
	close_input(input, engine);
}

/* It gives all events for any plan, and what was not read is not needed. */
static void test_operations(void **state)
{
	struct state *engine;
	struct input *input = open_bytes(whole_bytes, &engine);

	assert_null(input->live);
	assert_null(input->ops->stop(input));
	close_input(input, engine);
}

/* All before the end was read: a warning, and only with --strict a failure. */
static void test_truncated_file(void **state)
{
	const struct state_stats clean = {0};
	struct error err = {""};
	struct state *engine;
	struct input *input = open_bytes(whole_bytes - 5, &engine);
	unsigned int count;
	int code = read_events(input, engine, &count);

	assert_int_equal(code, -EPIPE);
	assert_true(count > 0);
	assert_false(input->ops->is_incomplete(input, &clean));
	assert_int_equal((input->ops->fail)(input, code, &err), -ENODATA);
	assert_string_equal(err.text, "");
	assert_true(input->ops->is_incomplete(input, &clean));
	expect_report(input, "agent: warning: %s: ", options.read);
	options.strict = true;
	expect_report(input, "agent: %s: ", options.read);
	options.strict = false;
	close_input(input, engine);
}

/* A block that is shorter than its own header. */
static void test_corrupt_file(void **state)
{
	static const uint32_t block[] = {0x216, 5, 0};
	struct error err = {""};
	struct state *engine;
	struct input *input;
	unsigned int count;
	int code;

	memcpy(whole + whole_bytes, block, sizeof(block));
	input = open_bytes(whole_bytes + sizeof(block), &engine);
	code = read_events(input, engine, &count);
	assert_int_equal(code, -EBADMSG);
	assert_true(count > 0);
	assert_int_equal((input->ops->fail)(input, code, &err), -EBADMSG);
	assert_int_equal(strncmp(err.text, options.read, strlen(options.read)), 0);
	assert_int_equal(strncmp(err.text + strlen(options.read), ": ", 2), 0);
	close_input(input, engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_capture),   cmocka_unit_test(test_whole_file),
	cmocka_unit_test(test_operations),   cmocka_unit_test(test_truncated_file),
	cmocka_unit_test(test_corrupt_file),
};

UNIT_GROUP(tests, .setup = read_whole);
